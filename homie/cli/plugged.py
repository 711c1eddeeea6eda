"""Commands of other packages, by the entry points `homie.commands`: their help, and their import paths."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from homie.kernel import registry

Command: TypeAlias = Callable[..., None] | Mapping[str, Callable[..., None]]
"""A function, or functions by name for `homie NAME PART`."""


@dataclass(frozen=True, slots=True)
class PluggedCommand:
    """Description of a command that an entry point provides: light to import, since every `homie --help` does.

    Attributes:
        help: Its line in the help of `homie`.
        chapter: Its chapter in that help (`homie.cli.help_layout.CHAPTERS`).
        target: Its import path, `MODULE:NAME`; imported when the command is chosen.
        examples: Command lines that end its help, by the words after `homie`.
    """

    help: str
    chapter: str
    target: str
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def load(self) -> Command:
        """Import the command."""
        module, _, attribute = self.target.partition(":")
        command: Command = getattr(importlib.import_module(module), attribute)
        return command


def plugged() -> dict[str, PluggedCommand]:
    """Return the commands of all installed packages, by name."""
    return registry.usable("commands")

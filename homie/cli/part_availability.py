"""The parts that can be chosen, and whether the installed packages make them usable. Imports no SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import isroutine

from pydantic import BaseModel

from homie.kernel import registry
from homie.kernel.errors import HomieError
from homie.kernel.support import packages
from homie.kernel.support.text import first_sentence

CONFIGURED = ("planners", "skills", "detectors")
"""Kinds of parts that declare the packages they need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """The state of a part on this machine.

    target: the import path of its class. problem: why it cannot be used, "" if it can. fix: the command that helps.
    about: its description, in a sentence. settings: the model of its settings. note: what its users should know first.
    keys: environment variables for the API keys of a planner.
    """

    name: str
    target: str
    problem: str = ""
    fix: str = ""
    about: str = ""
    settings: type[BaseModel] | None = None
    note: str = ""
    keys: tuple[str, ...] = ()


def part_states(kind: str) -> Iterator[PartState]:
    """Yield all registered parts of a kind. For a part that cannot be imported, the problem is the import error."""
    for name, target in registry.targets(kind).items():
        try:
            part: object = registry.load(kind, name)  # a class, or a function that makes one
        except HomieError as error:
            command = re.search(r"`(.+)`", str(error))
            yield PartState(name=name, target=target, problem=str(error), fix=command.group(1) if command else "")
        except Exception as error:  # an error in another package must not hide the remaining parts
            yield PartState(name=name, target=target, problem=f"{type(error).__name__}: {error}")
        else:
            yield _state(name, target, part)


def own_state(kind: str, text: str) -> PartState:
    """Return the state of a part that is not registered, MODULE:CLASS. Raises BadInput, MissingPart."""
    part, _ = registry.find(kind, text)
    return _state(text, registry.path_of(part), part)


def _state(name: str, target: str, part: object) -> PartState:
    extra = getattr(part, "extra", "")
    missing = [requirement.name for requirement in packages.lacking(extra)] if extra else []
    return PartState(
        name=name,
        target=target,
        problem=f"not installed: {', '.join(missing)}" if missing else "",
        fix=packages.install_command(extra) if missing else "",
        about=_about(part),
        settings=getattr(part, "Settings", None),
        note=getattr(part, "note", ""),
        keys=getattr(part, "keys", ()),
    )


def _about(part: object) -> str:
    """Describe a part in a sentence: the docstring of a class or a function, the layers of an order of checks, or else
    its `about`."""
    if isinstance(part, Sequence) and not isinstance(part, str):
        layers = (str(getattr(check, "layer", getattr(check, "__name__", type(check).__name__))) for check in part)
        return f"Checks {', '.join(layers)}, in this order."
    if isinstance(part, type) or isroutine(part):
        return first_sentence(part.__doc__ or "")
    return str(getattr(part, "about", ""))

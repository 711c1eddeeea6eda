"""Which optional parts of Homie are installed, and what that makes usable. Imports no SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from homie.kernel import packages, registry
from homie.kernel.errors import HomieError
from homie.kernel.interfaces import Detector, Planner, SkillSet

CONFIGURED = ("planners", "skills", "detectors")
"""The kinds of parts that may have settings and need packages."""


@dataclass(frozen=True, slots=True)
class PartState:
    """A part as it is here. problem: why it cannot be used, "" if it can; fix: the command that helps.

    settings: the model of its settings. keys: environment variables of the API keys of a planner.
    """

    name: str
    target: str
    problem: str = ""
    fix: str = ""
    settings: type[BaseModel] | None = None
    keys: tuple[str, ...] = ()


def part_states(kind: str) -> Iterator[PartState]:
    """All registered parts of one of the `CONFIGURED` kinds. One that cannot even be imported is described by what its
    import says."""
    for name, target in registry.targets(kind).items():
        try:
            made: type[Planner] | type[SkillSet] | type[Detector] = registry.load(kind, name)
        except HomieError as error:
            command = re.search(r"`(.+)`", str(error))
            yield PartState(name, target, str(error), command.group(1) if command else "")
        except Exception as error:  # somebody else's package: it must not hide the others
            yield PartState(name, target, f"{type(error).__name__}: {error}")
        else:
            missing = [requirement.name for requirement in packages.lacking(made.extra)] if made.extra else []
            problem = f"not installed: {', '.join(missing)}" if missing else ""
            fix = packages.install_command(made.extra) if missing else ""
            yield PartState(name, target, problem, fix, made.Settings, getattr(made, "keys", ()))

"""Which optional parts of Homie are installed, and which planners that makes usable. Imports no SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import requires

from pydantic import BaseModel

from homie import registry
from homie.errors import HomieError
from homie.interfaces import Planner


@dataclass(frozen=True, slots=True)
class PlannerState:
    """A planner as it is here. problem: why it can not be used, "" if it can; fix: the command that helps.

    settings: the model of its settings. keys: environment variables of its API keys.
    """

    name: str
    target: str
    problem: str = ""
    fix: str = ""
    settings: type[BaseModel] | None = None
    keys: tuple[str, ...] = ()


def planner_states() -> Iterator[PlannerState]:
    """All registered planners. One that can not even be imported is described by what its import says."""
    lacking = lacking_packages()
    for name, target in registry.targets("planners").items():
        try:
            made: type[Planner] = registry.load("planners", name)
        except HomieError as error:
            command = re.search(r"`(.+)`", str(error))
            yield PlannerState(name, target, str(error), command.group(1) if command else "")
        except Exception as error:  # somebody else's package: it must not hide the other planners
            yield PlannerState(name, target, f"{type(error).__name__}: {error}")
        else:
            missing = lacking.get(made.extra, [])
            problem = f"not installed: {', '.join(missing)}" if missing else ""
            fix = f"pip install 'homie[{made.extra}]'" if missing else ""
            yield PlannerState(name, target, problem, fix, made.Settings, made.keys)


def lacking_packages() -> dict[str, list[str]]:
    """For every extra that this version of Homie declares, the packages of it that are not installed."""
    lacking: dict[str, list[str]] = {}
    for requirement in requires("homie") or ():
        if declared := re.search(r"extra == ['\"]([\w-]+)", requirement):
            missing = lacking.setdefault(declared.group(1), [])
            if registry.installed_version(package_name(requirement)) is None:
                missing.append(package_name(requirement))
    return lacking


def package_name(requirement: str) -> str:
    """The package that a requirement asks for."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]

"""What this installation of Homie declares that it needs, what of it is missing, and what stands in its way.

The commands that are shown to users come from the distribution's own metadata, so they ask for the versions that are
tested, and they work whether or not Homie itself came from a package index.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from homie.kernel.errors import MissingPart

if TYPE_CHECKING:
    from packaging.requirements import Requirement

DISTRIBUTION = "homie-robot"
"""The name to install, which is not the name to import."""
STRANGER = "homie"
"""Another project on PyPI, for MQTT: it brings a package of the same name."""
OURS = ("homie", "planners", "skills", "perception", "error_detection", "ros_bridge", "robot_server", "suites")
"""The packages that Homie brings, all beside each other."""


def installed_version(distribution: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def extras() -> tuple[str, ...]:
    """The optional parts that this version of Homie declares, `()` where it runs without having been installed."""
    try:
        return tuple(importlib.metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or ())
    except importlib.metadata.PackageNotFoundError:
        return ()


def requirements(extra: str = "") -> tuple[Requirement, ...]:
    """What Homie itself needs on this machine, or what an extra adds to it; extras within extras are followed."""
    from packaging.requirements import Requirement  # not at start-up, which needs none of it

    try:
        declared = [Requirement(line) for line in importlib.metadata.requires(DISTRIBUTION) or ()]
    except importlib.metadata.PackageNotFoundError:
        return ()
    needed: dict[str, Requirement] = {}
    for requirement in declared:
        of_extra = "extra" in str(requirement.marker or "")
        if of_extra != bool(extra) or not (requirement.marker is None or requirement.marker.evaluate({"extra": extra})):
            continue
        inner = requirement.extras if requirement.name == DISTRIBUTION else ()
        for further in (item for name in sorted(inner) for item in requirements(name)) if inner else (requirement,):
            needed.setdefault(further.name, further)
    return tuple(needed.values())


def lacking(extra: str = "") -> tuple[Requirement, ...]:
    """What of `requirements` is not installed, or is in a version that Homie does not allow."""
    states = ((requirement, installed_version(requirement.name)) for requirement in requirements(extra))
    return tuple(
        requirement for requirement, version in states if version is None or version not in requirement.specifier
    )


def install_command(extra: str = "", package: str = "") -> str:
    """The command that brings what an extra lacks, `pip install 'openai>=3.0'`, or `package` where it lacks nothing."""
    declared = requirements(extra) if extra else ()
    named = [requirement for requirement in declared if requirement.name == package]
    needed = lacking(extra) or named or declared
    names = [f"{requirement.name}{requirement.specifier}" for requirement in needed] or [package]
    return "pip install " + " ".join(f"'{name}'" if any(sign in name for sign in "<>=!~,") else name for name in names)


def missing_part(user: str, package: str | None, extra: str) -> MissingPart:
    """The error of a part that lacks a package. `user` begins the sentence: "The detector 'yolo'"."""
    command = install_command(extra, package or "") if extra else f"pip install {package}"
    return MissingPart(f"{user} needs the package '{package}': install it with `{command}`.")


def shadows() -> dict[str, Path]:
    """Of `OURS` those for which Python takes somebody else's file or folder, and that: it comes first on the path."""
    here = Path(__file__).resolve().parents[3]
    hidden: dict[str, Path] = {}
    for package in OURS:
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        places = [Path(place) for place in spec.submodule_search_locations or ([spec.origin] if spec.origin else [])]
        if places and not any(place.resolve().parent == here for place in places):
            hidden[package] = places[0]
    return hidden


def stranger() -> str:
    """A sentence about another distribution whose package is called homie, "" where there is none."""
    version = installed_version(STRANGER)
    if version is None:
        return ""
    return (
        f"The distribution '{STRANGER}' {version} is installed: it is another project's (MQTT), or Homie from before it"
        f" was called {DISTRIBUTION}, and its files may replace Homie's: run `pip uninstall {STRANGER}`, then install"
        " Homie again."
    )

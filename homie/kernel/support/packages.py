"""Declared requirements of this installation of Homie, missing packages, and conflicting files or distributions.

The commands that are shown to users are those of docs/installation.md, with the folder that Homie was installed from.
If that no longer exists, they are made from the distribution's metadata, with the versions that Homie allows.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from homie.kernel.errors import MissingPart

if TYPE_CHECKING:
    from packaging.requirements import Requirement

DISTRIBUTION = "homie-robot"
"""Name of the distribution, which differs from the name to import."""
STRANGER = "homie"
"""Another project on PyPI, for MQTT, with a package of the same name."""
OURS = ("homie", "planners", "skills", "perception", "error_detection", "ros_bridge", "robot_server", "suites")
"""The packages of Homie's distribution."""

OWN_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"libero": "MuJoCo below 4", "inspect": "an older fsspec", "lerobot-policies": "an older torch"}
)
"""Extras that are incompatible with the tested versions of other packages, and their requirement."""


def installed_version(distribution: str) -> str | None:
    """Return the installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def extras() -> tuple[str, ...]:
    """Return the extras that this version of Homie declares, `()` if it is not installed."""
    try:
        return tuple(importlib.metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or ())
    except importlib.metadata.PackageNotFoundError:
        return ()


def requirements(extra: str = "") -> tuple[Requirement, ...]:
    """Return the requirements of Homie itself on this machine, or those added by an extra, with nested extras."""
    from packaging.requirements import Requirement  # not needed at start-up

    try:
        declared = [Requirement(line) for line in importlib.metadata.requires(DISTRIBUTION) or ()]
    except importlib.metadata.PackageNotFoundError:
        return ()
    selected: dict[str, Requirement] = {}
    for requirement in declared:
        is_extra = "extra" in str(requirement.marker or "")
        if is_extra != bool(extra) or not (requirement.marker is None or requirement.marker.evaluate({"extra": extra})):
            continue
        inner = requirement.extras if requirement.name == DISTRIBUTION else ()
        for addition in (item for name in sorted(inner) for item in requirements(name)) if inner else (requirement,):
            selected.setdefault(addition.name, addition)
    return tuple(selected.values())


def lacking(extra: str = "") -> tuple[Requirement, ...]:
    """Return those of `requirements` that are not installed, or in a version that Homie does not allow."""
    states = ((requirement, installed_version(requirement.name)) for requirement in requirements(extra))
    return tuple(
        requirement for requirement, version in states if version is None or version not in requirement.specifier
    )


def install_command(extra: str = "", package: str = "") -> str:
    """Return the command that installs an extra, or all that Homie itself needs ("").

    In a clone it is that of docs/installation.md, `pip install -c constraints.txt -e '.[chat]'`. If the source of the
    installation no longer exists, it names the missing packages (`pip install 'openai>=3.0'`), and for the extra of
    another distribution `package`.
    """
    is_homie = extra in extras() or not (extra or package)
    options, place = _installed_from() if is_homie else ([], "")
    if extra in OWN_ENVIRONMENT and is_homie:
        folder = f"{extra}-env"
        editable = [option for option in options if option == "-e"]
        install = shlex.join([f"{folder}/bin/pip", "install", *editable, f"{place or DISTRIBUTION}[{extra}]"])
        return f"python3 -m venv {folder} && {install}"
    if place:
        return shlex.join(["pip", "install", *options, f"{place}[{extra}]" if extra else place])
    declared = requirements(extra) if extra or not package else ()
    matching = [requirement for requirement in declared if requirement.name == package]
    missing = lacking(extra) or matching or declared
    names = [f"{requirement.name}{requirement.specifier}" for requirement in missing] or [package]
    return shlex.join(["pip", "install", *names])


def _installed_from() -> tuple[list[str], str]:
    """Return options of pip and the source of this installation: a folder, a wheel, or the name in a package index
    (PEP 610). "" if it no longer exists."""
    distributions = list(importlib.metadata.distributions(name=DISTRIBUTION))
    installed = [
        distribution for distribution in distributions if distribution.read_text("METADATA")
    ]  # leftovers of a build in a clone have no METADATA
    if not installed:
        return [], ""
    record = installed[0].read_text("direct_url.json")
    if record is None:
        return [], DISTRIBUTION
    source = json.loads(record)
    address = urlsplit(source["url"])
    path = Path(unquote(address.path))
    if address.scheme != "file" or not path.exists():
        return [], ""
    place = Path() if path.samefile(".") else path
    constraints = ["-c", str(place / "constraints.txt")] if (place / "constraints.txt").is_file() else []
    editable = ["-e"] if source.get("dir_info", {}).get("editable") else []
    return [*constraints, *editable], str(place)


def missing_part(user: str, package: str | None, extra: str) -> MissingPart:
    """Create the error of a part that lacks a package. `user` begins the message: "The detector 'yolo'"."""
    command = install_command(extra, package or "") if extra else f"pip install {package}"
    constraint = OWN_ENVIRONMENT.get(extra)
    environment = f" in an environment of its own, as it asks for {constraint}," if constraint else ""
    sentence = f"needs the package '{package}': install it{environment} with `{command}`."
    return MissingPart(f"{user} {sentence}", sentence)


def shadows() -> dict[str, Path]:
    """Return the packages of `OURS` that another file or folder hides because it comes first on the Python path, with
    that path."""
    root = Path(__file__).resolve().parents[3]
    hidden: dict[str, Path] = {}
    for package in OURS:
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        places = [Path(place) for place in spec.submodule_search_locations or ([spec.origin] if spec.origin else [])]
        if places and not any(place.resolve().parent == root for place in places):
            hidden[package] = places[0]
    return hidden


def stranger() -> str:
    """Return a message about an installed distribution of another project with a package called homie, "" if there is
    none."""
    version = installed_version(STRANGER)
    if version is None:
        return ""
    return (
        f"The distribution '{STRANGER}' {version} is installed: it is another project's (MQTT), or Homie from before it"
        f" was called {DISTRIBUTION}, and its files may replace Homie's: run `pip uninstall {STRANGER}`, then install"
        " Homie again."
    )

"""Provenance of episodes: planner, detector, skills, robot, settings, versions. Each distinct one is stored once.

Parts --describe--> PartsFile --keep--> RUN/parts/<sha256>.json      episode.json refers to it: `parts`
                                        RUN/texts/<sha256>.txt       templates, examples, plan files: it refers to them
                                                                     system messages: steps.jsonl refers to them
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.function_planner import FunctionPlanner
from homie.kernel.interfaces.parts import check_returned, method_of
from homie.kernel.options import RunOptions
from homie.kernel.registry import path_of
from homie.kernel.support.checksums import sha256
from homie.kernel.support.files import to_json, write_atomically
from homie.kernel.support.packages import DISTRIBUTION, OURS, installed_version

PACKAGES = (DISTRIBUTION, "mujoco", "numpy", "pydantic", "opencv-python-headless", "pillow", "av")
WHERE_USED = ("torch", "transformers", "onnxruntime", "ultralytics")
"""Packages that only some parts need; their versions are recorded if they have been imported."""
NOT_PLAYING = (
    "homie/bench",
    "homie/cli",
    *(f"suites/{room}" for room in ("authoring", "commands", "leaderboard", "protocols", "published", "tables")),
)
"""Code of Homie that no episode executes: it may change between two episodes of a run."""
SETTINGS = ("targets", "grasp", "check_order", "attempts", "rounds", "on_missing_model")
"""Options that affect an episode and do not belong to a single part."""
SHOWN = 12
"""Hex digits of a SHA-256 in messages."""


class OtherParts(BadInput):
    """A run would continue with other parts than those of its first episodes; the message says what differs."""


class PartsFile(BaseModel):
    """`parts/<sha256>.json`, named by the SHA-256 of its content: the provenance of some episodes of a run.

    Parts are given by their `describe`. Versions are those of Python, of packages, and of Homie's own source.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    planner: dict[str, Any]
    detector: dict[str, Any]
    skills: dict[str, Any]
    robot: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]

    @classmethod
    def of(cls, described: Mapping[str, Mapping[str, Any]], options: RunOptions) -> PartsFile:
        """Create the file from descriptions of parts (`Parts.describe`) and the options that they were made from."""
        settings = options.model_dump(mode="json", include=set(SETTINGS))
        return cls.model_validate({**described, "settings": settings, "versions": versions()})

    @property
    def data(self) -> bytes:
        """The content of the file."""
        return to_json(self.model_dump(mode="json"))

    @property
    def digest(self) -> str:
        """The name of the file."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def facts(self) -> dict[str, str]:
        """Its values as text, by dotted name (`planner.sha256`)."""
        content = self.model_dump(mode="json", exclude={"format"})
        return dict(_flatten("", content))


def keep(run: Path, file: PartsFile, texts: Mapping[str, str], *, mixed: bool) -> str:
    """Store a description and its texts in a run folder; return the name by which episodes refer to it. Raises
    OtherParts, OSError.

    Args:
        texts: Texts by their SHA-256.
        mixed: Whether the run may have episodes with different parts.
    """
    folder = run / "parts"
    folder.mkdir(exist_ok=True)
    with _lock_folder(folder):
        previous = [digest for digest in description_names(run) if digest != file.digest]
        if previous and not mixed:
            changes = differences(read_parts(run, previous[0]), file)
            raise OtherParts(
                f"The run folder {run} was made with other parts (different: {'; '.join(changes)}): choose another "
                "--out, or --mixed to go on; every episode then says what it was made with."
            )
        for digest, text in texts.items():
            keep_text(run, text, digest)
        path = folder / f"{file.digest}.json"
        if not path.exists():
            write_atomically(path, file.data)
    return file.digest


def keep_text(run: Path, text: str, digest: str = "") -> str:
    """Store a text in a run folder, once; return its SHA-256 (`digest` if given), by which others refer to it.

    Raises OSError.
    """
    data = text.encode(errors="replace")
    digest = digest or hashlib.sha256(data).hexdigest()
    path = run / "texts" / f"{digest}.txt"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        with _lock_folder(path.parent):  # workers may store the same system message at the same time
            if not path.exists():
                write_atomically(path, data)
    return digest


def description_names(run: Path) -> tuple[str, ...]:
    """Return the names of all descriptions in a run folder."""
    return tuple(sorted(path.stem for path in (run / "parts").glob("*.json")))


def forget(run: Path, digest: str) -> None:
    """Remove a description that no episode refers to. Raises OSError."""
    (run / "parts" / f"{digest}.json").unlink(missing_ok=True)


def read_parts(run: str | Path, digest: str) -> PartsFile | None:
    """Read the description named `digest`; None if the file is missing or damaged."""
    try:
        data = (Path(run) / "parts" / f"{digest}.json").read_bytes()
        return PartsFile.model_validate_json(data) if hashlib.sha256(data).hexdigest() == digest else None
    except (OSError, ValidationError):
        return None


def read_text(run: Path, digest: str) -> str | None:
    """Read a text by its SHA-256 (a prompt template, examples, a plan file, a system message); None if it is missing or
    damaged."""
    try:
        data = (run / "texts" / f"{digest}.txt").read_bytes()
    except OSError:
        return None
    return data.decode(errors="replace") if hashlib.sha256(data).hexdigest() == digest else None


def differences(previous: PartsFile | None, current: PartsFile | None) -> tuple[str, ...]:
    """Describe each difference: `versions.mujoco (3.9.0, now 3.10.0)`."""
    if previous is None or current is None:
        return ("what they were is not known",)
    old, new = previous.facts, current.facts
    names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return tuple(f"{name} ({format_value(old.get(name))}, now {format_value(new.get(name))})" for name in names)


def format_value(value: str | None) -> str:
    """Format a value for a message: a SHA-256 by its first digits, - for None."""
    if value is None:
        return "-"
    return value[:SHOWN] if len(value) == 64 and not value.strip("0123456789abcdef") else value


def complete_description(part: object, description: Mapping[str, object]) -> dict[str, Any]:
    """Complete the description of a part by its class or function, and for user code by the SHA-256 of its file.

    Raises BadInput for a description that is not a mapping.
    """
    code = path_of(part.function if isinstance(part, FunctionPlanner) else part)
    facts: dict[str, Any] = {"class": code}
    module = code.partition(":")[0]
    if module.partition(".")[0] not in OURS and (source := _source_of(module)):
        facts["source"] = source
    own_description = check_returned(description, Mapping, method_of("part", part, "describe"))  # type: ignore[type-abstract]
    return {**facts, **own_description}


def versions() -> dict[str, str]:
    """Return the versions of Python, of packages that results may depend on, and of Homie's code that runs episodes."""
    packages = {name: installed_version(name) or "not installed" for name in PACKAGES}
    used_versions = {name: installed_version(name) or "unknown" for name in WHERE_USED if name in sys.modules}
    return {"python": platform.python_version(), **packages, **used_versions, "source": source()}


@lru_cache(maxsize=1)
def source() -> str:
    """Return the shortened SHA-256 of Homie's code and data that episodes use."""
    digest = hashlib.sha256()
    for package in OURS:
        spec = find_spec(package)
        for folder in sorted(spec.submodule_search_locations or ()) if spec else ():
            for path in _files(Path(folder)):
                name = f"{package}/{path.relative_to(folder).as_posix()}"
                if not name.startswith(NOT_PLAYING):
                    digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:SHOWN]


def _files(folder: Path) -> list[Path]:
    suffixes = (".py", ".json", ".yaml", ".md", ".xml")
    paths = (path for path in folder.rglob("*") if path.suffix in suffixes and "__pycache__" not in path.parts)
    return sorted(path for path in paths if path.is_file())


def check_code(run: Path) -> None:
    """Raise OtherParts if user code has changed since a run was begun with it.

    Changes are otherwise detected when parts are constructed, which does not happen if all episodes are finished.
    """
    for file in filter(None, (read_parts(run, digest) for digest in description_names(run))):
        parts = {"planner": file.planner, "detector": file.detector, "robot": file.robot}
        for name, facts in {**parts, **{f"skills.{key}": value for key, value in file.skills.items()}}.items():
            recorded, code = facts.get("source"), str(facts.get("class"))
            current = _source_of(code.partition(":")[0])
            if recorded and current and recorded != current:
                raise OtherParts(
                    f"The run folder {run} was made with another {name} {code}: its code has changed since. Choose "
                    "another --out, or --mixed to keep both; every episode then says what it was made with."
                )


@lru_cache
def _source_of(module: str) -> str:
    """Return the SHA-256 of the file of a module, imported or not, "" if there is none."""
    try:
        if module in sys.modules:  # a script that is being run has no import specification
            file = getattr(sys.modules[module], "__file__", None)
        else:
            file = getattr(find_spec(module), "origin", None)
        return sha256(Path(file)) if file else ""
    except (OSError, ImportError, ValueError):
        return ""


def _flatten(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _flatten(f"{name}.{key}" if name else str(key), item)
    else:
        yield name, str(value)


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Context with an exclusive lock on a folder: several workers store their descriptions in it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

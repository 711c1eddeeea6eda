"""Location of the checkpoint file in a folder: layouts of flax, orbax, Octo's release and the hub's cache.

model.safetensors                                    a repository of the hub, LeRobot
checkpoint              checkpoint_900000            flax
default/checkpoint      300000/default/checkpoint    orbax, all arrays in one file (Octo)
NAME/any of these       one level deeper, as archives unpack (RT-1-X)
snapshots/HASH/...      a repository in the cache of the Hugging Face hub
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading

HUB_FILE = "model.safetensors"
STEP_FILE = re.compile(r"checkpoint_(\d+)")
"""A checkpoint of flax, with its step."""
ORBAX = ("_METADATA", "manifest.ocdbt", ".zarray")
"""Files of an orbax checkpoint whose arrays are not in one file."""
CONVERT = "docs/policies.md shows the few lines that make one file of it where orbax is installed"
"""Advice for checkpoints that only orbax can read."""
SHOWN = 5
"""Number of files and folders that an error names."""
LOOKED_THROUGH = 10_000
"""Maximum number of entries in and below a folder that are searched for traces of orbax: a user may give `/`."""


def find_file(path: Path) -> Path:
    """Return the checkpoint file of a path: the file itself, or the only one in a folder, of several steps the highest.

    Raises BadInput if there is none or several, and for an orbax checkpoint in many files.
    """
    with reading(path):
        if path.is_file():
            return path
        if not path.is_dir():
            raise BadInput(
                f"There is no checkpoint {path}: docs/policies.md says where to get one; `homie skill generate` "
                "makes a random one to try the plumbing."
            )
        folder = _snapshot(path)
        return _only_file(path, _in_folder(folder)) or _only_file(path, _in_subfolders(folder)) or _raise_missing(path)


def step_of(file: Path) -> int | None:
    """Return the training step in the names `STEP/default/checkpoint` and `checkpoint_STEP`; None for no step."""
    if match := STEP_FILE.fullmatch(file.name):
        return int(match[1])
    folder = file.absolute().parent
    if file.name == "checkpoint" and folder.name == "default" and folder.parent.name.isdecimal():
        return int(folder.parent.name)
    return None


def release_of(file: Path) -> Path | None:
    """Return the folder of the release that contains `STEP/default/checkpoint`; None for a file of another layout."""
    return file.absolute().parents[2] if file.name == "checkpoint" and step_of(file) is not None else None


def _snapshot(path: Path) -> Path:
    """Return the snapshot of a repository in the hub's cache that `refs/main` names, or the only one; else the path
    itself."""
    snapshots = path / "snapshots"
    if not snapshots.is_dir():
        return path
    main = path / "refs" / "main"
    if (
        main.is_file()
        and (main_snapshot := snapshots / main.read_text(encoding="ascii", errors="replace").strip()).is_dir()
    ):
        return main_snapshot
    folders = sorted(entry for entry in snapshots.iterdir() if entry.is_dir())
    if len(folders) == 1:
        return folders[0]
    raise BadInput(f"{path} holds {len(folders)} snapshots, and no refs/main says which: give {snapshots}/HASH.")


def _in_folder(folder: Path) -> list[Path]:
    """Return the checkpoints at the top of a folder: the plain one, or of several steps the highest."""
    for single in (folder / HUB_FILE, folder / "checkpoint", folder / "default" / "checkpoint"):
        if single.is_file():
            return [single]
    stepped = [file for file in (*folder.glob("checkpoint_*"), *folder.glob("*/default/checkpoint")) if file.is_file()]
    steps = {file: step for file in stepped if (step := step_of(file)) is not None}
    return [max(steps, key=lambda file: steps[file])] if steps else []


def _in_subfolders(folder: Path) -> list[Path]:
    return [file for inside in sorted(folder.iterdir()) if inside.is_dir() for file in _in_folder(inside)]


def _only_file(path: Path, files: list[Path]) -> Path | None:
    if len(files) > 1:
        raise BadInput(f"The folder {path} holds several checkpoints, {_format_files(files)}: give one of them.")
    return files[0] if files else None


def _raise_missing(path: Path) -> Path:
    for entry in islice(_subfolders(path), LOOKED_THROUGH):
        if entry.name in ORBAX:
            raise BadInput(f"{path} is an orbax checkpoint, whose arrays are in many files ({entry.name}): {CONVERT}.")
    file_names = sorted(Path(entry.name) for entry in path.iterdir() if entry.is_file())
    hint = f"it holds {_format_files(file_names)}" if file_names else "it holds no file"
    raise BadInput(
        f"The folder {path} holds no checkpoint in a layout that Homie knows (model.safetensors, checkpoint,"
        f" checkpoint_STEP, STEP/default/checkpoint, also one level deeper): give the file itself; {hint}."
    )


def _subfolders(path: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(path):
        for name in files:
            yield Path(folder, name)


def _format_files(files: list[Path]) -> str:
    suffix = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return f"{', '.join(str(file) for file in files[:SHOWN])}{suffix}"

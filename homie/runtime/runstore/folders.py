"""The folders of a run: their paths, locks, and the names of episode folders."""

from __future__ import annotations

import fcntl
import os
import re
from datetime import datetime
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.files import check_folder, entries_of, reading, slug, sync_folder, writing

FRAMES = "frames"
SET_ASIDE = re.compile(r"-partial-(\d+)$")
"""Suffix of the name of an interrupted episode's folder that was set aside, with its number."""


class LockedFolder:
    """A run folder that is locked by this process until `close`.

    Args:
        lock: The descriptor from `lock_folder`.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    def close(self) -> None:
        """Release the folder. Idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def runs_folder() -> Path:
    """Return the parent of run folders without --out: the environment variable HOMIE_RUNS, by default `runs`."""
    return Path(os.environ.get("HOMIE_RUNS") or "runs").expanduser()


def lock_folder(out: Path | None, name: str, noun: str = "run folder") -> tuple[Path, int]:
    """Create and lock the run folder `out`, or a new one named after the time and `name`; return path and lock. Raises
    BadInput.

    The lock is a file descriptor; closing it, or the end of the process, releases the folder.

    Args:
        noun: Noun for the folder in errors.
    """
    with writing(out or runs_folder(), f"the {noun}"):
        path = out or _create_folder(name)
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise BadInput(f"The {noun} {path} is in use by another running homie.") from None
    return path, lock


def check_writable(run: Path) -> None:
    """Raise BadInput if a run folder, or a folder in it, cannot be read or written: episodes would be lost later."""
    for folder in (run, *(run / name for name in ("episodes", "workers", "parts", "texts"))):
        if folder.exists():
            check_folder(folder)


def new_episode(path: Path) -> Path:
    """Create an empty episode folder. The folder of an interrupted episode is set aside as `...-partial-N`."""
    if path.exists():
        number = 1
        while (partial_path := path.with_name(f"{path.name}-partial-{number}")).exists():
            number += 1
        path.rename(partial_path)
    path.mkdir(parents=True)
    sync_folder(path.parent)
    return path


def episode_folders(run: str | Path) -> tuple[Path, ...]:
    """Return the episode folders of a run, by name, without those that were set aside. Raises BadInput."""
    folder = Path(run) / "episodes"
    with reading(folder):
        return tuple(path for path in entries_of(folder) if path.is_dir() and not SET_ASIDE.search(path.name))


def tries(folder: Path) -> tuple[Path, ...]:
    """Return the interrupted attempts at an episode that were set aside, oldest first."""
    partials = {
        path: int(match[1])
        for path in folder.parent.glob("*-partial-*")
        if (match := SET_ASIDE.fullmatch(path.name.removeprefix(folder.name))) and path.is_dir()
    }
    return tuple(sorted(partials, key=lambda path: partials[path]))


def frame(folder: Path, round_number: int, view: str) -> Path:
    """Return the path of a picture of a round in an episode folder: a view or `HAND`."""
    return folder / FRAMES / f"round-{round_number:02d}-{view}.png"


def _create_folder(task: str) -> Path:
    """Create a new folder <time>-<task> in the folder of runs. Raises OSError."""
    base = runs_folder() / f"{datetime.now():%Y%m%d-%H%M%S}-{slug(task)}"
    base.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = base if number == 1 else base.with_name(f"{base.name}-{number}")
        try:
            path.mkdir()
            return path
        except FileExistsError:  # another run that began in the same second
            number += 1

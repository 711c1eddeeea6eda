"""Recordings in a folder: begin one, list them, repair them after a kill.

FOLDER/<time>-<task>/                      a complete run folder, readable by `homie report` and `homie data`
    episodes/<task>-0/recording.mcap       measurements, pictures and commands
    episodes/<task>-0/notes.jsonl          marks, analyses, remarks
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from homie.data.recording.mcapfile import Reading, Repaired, repair
from homie.data.recording.notes import Mark, Note, is_discarded, mark_of, read_notes
from homie.data.recording.recorder import RECORDING, Recorder
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.options import OpenOptions, RunOptions
from homie.kernel.support.files import slug, writing
from homie.kernel.types import Image, Observation
from homie.runtime.assembly import Parts
from homie.runtime.provenance import PartsFile
from homie.runtime.runstore import EpisodeStore, RunFolder, episode_folders, read_episode, read_run

_NAME = re.compile(r"\d{8}-\d{6}-")
_EARLY_FILES = ("run.json", ".run.json.tmp", "scene.json", ".scene.json.tmp", "parts", "texts")
"""Contents of a run folder before its episode begins."""
JUST_MADE = 10.0
"""Minimum age in s of a folder without `run.json` to be removed: a younger one may be about to be locked by its
process."""


class Take:
    """A recording in progress. `listeners` receive the events of the episode, in this order; `close` closes the
    files."""

    def __init__(self, run: RunFolder, episode: Path, store: EpisodeStore, recorder: Recorder) -> None:
        self.run, self.episode = run, episode
        self._store, self.recorder = store, recorder

    @property
    def listeners(self) -> tuple[EpisodeListener, ...]:
        """The store is last: `episode.json` marks that all other files are complete."""
        return (self.recorder, self._store)

    def close(self) -> None:
        """Close the files. Idempotent. An unfinished episode stays unfinished, and its recording is kept.

        Raises InfrastructureError if the disk fails."""
        try:
            self.recorder.close()
        finally:
            self._store.close()
            self.run.close()


def begin_take(
    folder: Path,
    task: str,
    options: OpenOptions,
    parts: Parts,
    *,
    look: Callable[[str], Image],
    cameras: Collection[str],
    depths: Mapping[str, Callable[[], Observation]] = MappingProxyType({}),
    fps: float,
) -> Take:
    """Open a new recording in a folder of recordings.

    Args:
        folder: Folder of recordings; created if missing.
        task: Instruction.
        options: Options that the parts were assembled from.
        parts: Parts assembled by `homie.runtime.assembly`.
        look: Returns the current picture (H, W, 3) of a camera.
        cameras: Cameras to record in addition to the views of every round.
        depths: Cameras whose depth is recorded, with a function that returns the current observation.
        fps: Pictures per second of robot time.

    Raises:
        BadInput: The folder cannot be written, or the robot has no such camera.
        InfrastructureError: The disk fails.
    """
    values = {**options.model_dump(exclude_defaults=True, include=set(OpenOptions.model_fields)), "video": False}
    values |= {"planner": options.planner, "rounds": options.rounds}  # independent of the command's defaults
    run_options = RunOptions.build(**values, frames=True, task=task, out=_fresh(folder, task))
    run = RunFolder.open(run_options, parts.robot, PartsFile.of(parts.describe(), run_options), parts.planner.texts())
    try:
        episode = run.episode(task, trial=0)
        digest = read_run(run.path).parts
        store = EpisodeStore(episode, parts.robot, seed=options.seed, trial=0, frames=True, parts=digest)
        try:
            spec, kinematics = parts.robot.spec, parts.robot.kinematics if parts.robot.spec.first("arm") else None
            recorder = Recorder(
                episode, spec, kinematics=kinematics, look=look, cameras=cameras, depths=depths, fps=fps
            )
        except BaseException:
            store.close()
            raise
    except BaseException:
        run.close()
        raise
    return Take(run, episode, store, recorder)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTake:
    """A recording in a folder.

    Attributes:
        run: Run folder.
        episode: Episode folder.
        task: Instruction.
        planner: Name of the planner, even if a person took over.
        finished: Whether the episode is finished.
        rounds: Number of decisions; 0 if unfinished.
        robot_seconds: Duration in robot time; 0 if unfinished.
        mark: Mark of success or failure by a person.
        discarded: Whether a person discarded the episode.
        notes: All notes by people.
    """

    run: Path
    episode: Path
    task: str
    planner: str
    finished: bool
    rounds: int
    robot_seconds: float
    mark: Mark | None
    discarded: bool
    notes: tuple[Note, ...]


def list_takes(folder: str | Path) -> tuple[ListedTake, ...]:
    """List the recordings of a folder, oldest first. A damaged one is skipped with a warning."""
    takes = []
    for run in _run_folders(Path(folder)):
        try:
            file = read_run(run)
            for episode in episode_folders(run):
                if not (episode / RECORDING).exists():
                    continue
                ending, notes = read_episode(episode), read_notes(episode)
                takes.append(
                    ListedTake(
                        run=run,
                        episode=episode,
                        task=file.options.task,
                        planner=file.options.planner,
                        finished=ending is not None,
                        rounds=ending.rounds if ending else 0,
                        robot_seconds=ending.robot_seconds if ending else 0.0,
                        mark=mark_of(notes),
                        discarded=is_discarded(notes),
                        notes=notes,
                    )
                )
        except BadInput as error:
            warnings.warn(f"{error} The recording is not listed.", stacklevel=2)
    return tuple(takes)


def repair_takes(folder: Path) -> tuple[Repaired, ...]:
    """Repair every recording left unfinished by a kill; recordings in progress are not touched.

    If nothing had been recorded before the kill, the run folder is removed.

    Returns:
        What was repaired, as messages for the user.

    Raises:
        BadInput: A recording cannot be read or written.
        MissingPart: There are recordings, and the package for them is not installed.
    """
    repairs: list[Repaired] = []
    for run in _run_folders_to_repair(folder):
        lock = os.open(run, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            with writing(run, "the recordings in"):
                if _is_empty(run):
                    shutil.rmtree(run)
                else:
                    repairs += _repair_run(run)
        finally:
            os.close(lock)
    return tuple(repairs)


def _repair_run(run: Path) -> list[Repaired]:
    results = [repair(path) for path in sorted(run.glob(f"episodes/*/{RECORDING}"))]
    return [repaired for repaired in results if repaired is not None]


def _run_folders_to_repair(folder: Path) -> list[Path]:
    """Return the run folders, and empty folders with such names that a kill has left without `run.json`."""
    now = time.time()
    incomplete = [
        path
        for path in sorted(folder.glob("*"))
        if _NAME.match(path.name) and not (path / "run.json").exists() and now - path.stat().st_mtime > JUST_MADE
    ]
    return [*_run_folders(folder), *(path for path in incomplete if path.is_dir() and _is_empty(path))]


def _is_empty(run: Path) -> bool:
    """Return whether nothing was recorded in a run folder: it contains only what is written before an episode
    begins."""
    for path in run.rglob("*"):
        if path.is_dir() or path.relative_to(run).parts[0] in _EARLY_FILES:
            continue
        if path.name == RECORDING:
            if next(iter(Reading(path)), None) is not None:
                return False
        elif path.stat().st_size:
            return False
    return True


def _run_folders(folder: Path) -> list[Path]:
    """Return the run folders by start time, because names are only accurate to the second."""
    files = sorted(folder.glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent for path in files]


def _fresh(folder: Path, task: str) -> Path:
    """Return the path of a new run folder: <time>-<task>, with a number if two begin in the same second."""
    base = folder / f"{datetime.now():%Y%m%d-%H%M%S}-{slug(task)}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path

"""Recordings in a folder: begin one, list them, repair what a kill has left.

FOLDER/<time>-<task>/                      a run folder, whole: `homie report`, `homie data` read it
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
from homie.data.recording.notes import Mark, Note, discarded, mark_of, read_notes
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
_BEFORE = ("run.json", ".run.json.tmp", "scene.json", ".scene.json.tmp", "parts", "texts")
"""What a run folder has before its episode begins."""
JUST_MADE = 10.0
"""Seconds: a younger folder without `run.json` may be one that another process is making, which locks it next."""


class Take:
    """One recording that goes on. `listeners` get the events of the episode, in this order; `close` ends the files."""

    def __init__(self, run: RunFolder, episode: Path, store: EpisodeStore, recorder: Recorder) -> None:
        self.run, self.episode = run, episode
        self._store, self.recorder = store, recorder

    @property
    def listeners(self) -> tuple[EpisodeListener, ...]:
        """The store comes last: `episode.json` says that all the rest is there."""
        return (self.recorder, self._store)

    def close(self) -> None:
        """End the files. Idempotent. An episode that has not finished stays unfinished, and what was recorded is kept.

        Raises InfrastructureError for a disk that fails."""
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
        folder: The folder of recordings; it is made where there is none.
        task: The instruction.
        options: What the parts were assembled from.
        parts: As `homie.runtime.assembly` makes them.
        look: The picture (H, W, 3) that a camera sees now.
        cameras: Those to record in addition to the views of every round.
        depths: By camera whose depth is recorded, what it sees now.
        fps: Pictures a second of robot time.

    Raises:
        BadInput: The folder cannot be written, or the robot has no such camera.
        InfrastructureError: The disk fails.
    """
    values = {**options.model_dump(exclude_defaults=True, include=set(OpenOptions.model_fields)), "video": False}
    values |= {"planner": options.planner, "rounds": options.rounds}  # whatever the defaults of the command are
    run_options = RunOptions.build(**values, frames=True, task=task, out=_fresh(folder, task))
    run = RunFolder.open(run_options, parts.robot, PartsFile.of(parts.describe(), run_options), parts.planner.texts())
    try:
        episode = run.episode(task, trial=0)
        digest = read_run(run.path).parts
        store = EpisodeStore(episode, parts.robot, seed=options.seed, trial=0, frames=True, parts=digest)
        try:
            recorder = Recorder(episode, parts.robot.spec, look=look, cameras=cameras, depths=depths, fps=fps)
        except BaseException:
            store.close()
            raise
    except BaseException:
        run.close()
        raise
    return Take(run, episode, store, recorder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A recording of a folder.

    Attributes:
        run: its run folder.
        episode: its episode folder.
        task: the instruction.
        planner: who decided, unless a person took over.
        finished: whether it came to its end.
        rounds: decisions; 0 where it is unfinished.
        robot_seconds: how long it took; 0 where it is unfinished.
        mark: whether people say that it went well.
        discarded: whether it is not to be used.
        notes: all that people have said.
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


def list_takes(folder: str | Path) -> tuple[Listed, ...]:
    """The recordings of a folder, the oldest first. One that is damaged is left out with a warning."""
    listed = []
    for run in _runs(Path(folder)):
        try:
            file = read_run(run)
            for episode in episode_folders(run):
                if not (episode / RECORDING).exists():
                    continue
                ending, notes = read_episode(episode), read_notes(episode)
                listed.append(
                    Listed(
                        run=run,
                        episode=episode,
                        task=file.options.task,
                        planner=file.options.planner,
                        finished=ending is not None,
                        rounds=ending.rounds if ending else 0,
                        robot_seconds=ending.robot_seconds if ending else 0.0,
                        mark=mark_of(notes),
                        discarded=discarded(notes),
                        notes=notes,
                    )
                )
        except BadInput as error:
            warnings.warn(f"{error} The recording is not listed.", stacklevel=2)
    return tuple(listed)


def repair_takes(folder: Path) -> tuple[Repaired, ...]:
    """Repair every recording that a kill has left without its end; those that are being made are left alone.

    Where the kill came before anything was recorded, the run folder is removed.

    Returns:
        What was done, as a message for the user.

    Raises:
        BadInput: A recording cannot be read or written.
        MissingPart: There are recordings, and the package for them is not installed.
    """
    done: list[Repaired] = []
    for run in _begun(folder):
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
                    done += _repaired(run)
        finally:
            os.close(lock)
    return tuple(done)


def _repaired(run: Path) -> list[Repaired]:
    tried = [repair(path) for path in sorted(run.glob(f"episodes/*/{RECORDING}"))]
    return [repaired for repaired in tried if repaired is not None]


def _begun(folder: Path) -> list[Path]:
    """The run folders, and folders of a name like theirs that a kill has left without `run.json`."""
    now = time.time()
    torn = [
        path
        for path in sorted(folder.glob("*"))
        if _NAME.match(path.name) and not (path / "run.json").exists() and now - path.stat().st_mtime > JUST_MADE
    ]
    return [*_runs(folder), *(path for path in torn if path.is_dir() and _is_empty(path))]


def _is_empty(run: Path) -> bool:
    """Whether nothing was recorded in a run folder: it has what is written before an episode begins, and no more."""
    for path in run.rglob("*"):
        if path.is_dir() or path.relative_to(run).parts[0] in _BEFORE:
            continue
        if path.name == RECORDING:
            if next(iter(Reading(path)), None) is not None:
                return False
        elif path.stat().st_size:
            return False
    return True


def _runs(folder: Path) -> list[Path]:
    """By when they were begun: names are to the second."""
    files = sorted(folder.glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent for path in files]


def _fresh(folder: Path, task: str) -> Path:
    """The path of a new run folder: <time>-<task>, with a number where two begin in one second."""
    base = folder / f"{datetime.now():%Y%m%d-%H%M%S}-{slug(task)}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path

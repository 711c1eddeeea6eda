"""What a bench leaves, and what of it is still to be done. Everything is read from the run folder: there is no other
list that could disagree with it.

    RUN/run.json                     a `BenchFile`: options, versions
    RUN/suite.json                   the whole suite
    RUN/parts.json                   what planner and skill sets say of themselves (`Parts.describe`)
    RUN/episodes/<task>-<trial>/     an episode folder (docs/run-folder.md), with its own scene.json
        failure.json                 a `Failure`: why infrastructure ended this try
    RUN/workers/worker-N.log         what the workers wrote
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.bench.goals import read_state
from homie.bench.suite import Suite, Task
from homie.errors import BadInput
from homie.files import to_json, write_atomically
from homie.options import MAX_SEED, BenchOptions
from homie.runstore import (
    EpisodeFile,
    HeldFolder,
    held_folder,
    new_episode,
    read_episode,
    read_model,
    read_steps,
    versions,
)
from homie.types import HistoryItem

Cause = Literal["crash", "killed", "deadline", "memory", "planner", "robot", "error"]
"""Why infrastructure ended a try: the worker died by itself or was killed, took too long or too much memory; the
planner gave no decision (its endpoint failed); the robot had a fault; anything else that nobody expected."""

INDECISIVE = ("suite", "out", "workers", "ray", "timeout", "retries", "memory", "recycle", "again", "sweep")
"""Options that do not change the result of any episode. (The content of the suite does; its path does not.)"""
PLANNER = "planner."
"""What the name of a planner's setting begins with in a sweep."""
PATIENCE = 20.0
"""Seconds to wait for the workers of a runner that was killed to notice it."""


class BenchFile(BaseModel):
    """`run.json` of a bench."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["bench"] = "bench"
    created: str
    seed: int
    options: BenchOptions
    versions: dict[str, str]
    platform: str


class SweepFile(BaseModel):
    """`sweep.json`: what was varied, and which values each run folder beside it has."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["sweep"] = "sweep"
    sweep: tuple[str, ...]
    runs: dict[str, dict[str, Any]]


class Failure(BaseModel):
    """`failure.json`: why infrastructure ended one try of an episode. `attempt` counts from 1."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    cause: Cause
    message: str
    attempt: int
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class Episode:
    """One planned episode of a bench and where it is kept."""

    task: Task
    trial: int
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def ending(self) -> EpisodeFile | None:
        """How it ended, None if it is unfinished. Raises BadInput for a broken file."""
        return read_episode(self.folder)

    @property
    def verdict(self) -> bool | None:
        """Whether the world is as the goal wants it; None without a goal or a final state. Raises BadInput."""
        path = self.folder / "final_state.json"
        if self.task.goal is None or not path.exists():
            return None
        return self.task.goal.holds(read_state(json.loads(path.read_bytes()), str(path)))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The tries that infrastructure ended since the episode was last given up, oldest first. Raises BadInput."""
        aside = self.folder.parent.glob(f"{self.name}-partial-*")
        tries = sorted(aside, key=lambda path: int(path.name.rpartition("-")[2]))
        found: list[Failure] = []
        for path in (*tries, self.folder):
            if (path / "failure.json").exists():
                found.append(read_model(path / "failure.json", Failure))
            if path != self.folder and (path / "episode.json").exists():
                found.clear()
        return tuple(found)

    def begin(self) -> None:
        """Make the folder anew; what a kill left in it is set aside. Raises OSError."""
        new_episode(self.folder)

    def fail(self, cause: Cause, message: str, seconds: float) -> Failure:
        """Write down why infrastructure ended this try. Raises OSError."""
        failure = Failure(cause=cause, message=message, attempt=len(self.failures) + 1, wall_seconds=round(seconds, 3))
        write_atomically(self.folder / "failure.json", to_json(failure.model_dump(mode="json")))
        return failure

    def give_up(self, failure: Failure, seed: int) -> None:
        """End the episode as `infrastructure`. What was done until then stays in `steps.jsonl`. Raises OSError."""
        with warnings.catch_warnings(action="ignore"):  # a line that a kill has torn is what is expected here
            records = read_steps(self.folder) if (self.folder / "steps.jsonl").exists() else ()
        done = [record.execution for record in records if not record.decision.problem]
        ending = EpisodeFile(
            task=self.task.text,
            trial=self.trial,
            seed=seed,
            ended_by="infrastructure",
            rounds=records[-1].round if records else 0,
            history=tuple(HistoryItem(n, one.subtask, one.feedback) for n, one in enumerate(done, 1)),
            inventory=records[-1].inventory if records else (),
            robot_seconds=records[-1].stamp if records else 0.0,
            wall_seconds=failure.wall_seconds,
            cause=f"{failure.cause}: {failure.message}",
        )
        write_atomically(self.folder / "episode.json", to_json(ending.model_dump(mode="json")))


class BenchFolder(HeldFolder):
    """The run folder of a bench."""

    @classmethod
    def open(cls, options: BenchOptions, suite: Suite) -> BenchFolder:
        """Create the run folder, or take up one of the same configuration. Raises BadInput."""
        path, lock = held_folder(options.out, suite.name)
        folder = cls(path, lock)
        try:
            if (path / "run.json").exists():
                _check_same(path, options, suite)
            else:
                folder._create(options, suite)
            folder._wait_for_workers()
        except OSError as error:
            folder.close()
            raise BadInput(f"Can not write into the run folder {path}: {error.strerror}.") from error
        except BaseException:
            folder.close()
            raise
        return folder

    def describe(self, parts: Mapping[str, object]) -> None:
        """Keep what the parts say of themselves, the first time. Raises OSError."""
        if parts and not (self.path / "parts.json").exists():
            write_atomically(self.path / "parts.json", to_json(parts))

    def _create(self, options: BenchOptions, suite: Suite) -> None:
        # Folders and suite come before run.json: where that is, all is.
        ours = {"suite.json", ".suite.json.tmp", ".run.json.tmp", "episodes", "workers"}
        if any(entry.name not in ours for entry in self.path.iterdir()):
            raise BadInput(f"The folder {self.path} is not empty and not a run folder: choose another --out.")
        (self.path / "episodes").mkdir(exist_ok=True)
        (self.path / "workers").mkdir(exist_ok=True)
        write_atomically(self.path / "suite.json", _suite_json(suite))
        file = BenchFile(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=options.seed,
            options=options,
            versions=versions(),
            platform=platform.platform(),
        )
        write_atomically(self.path / "run.json", to_json(file.model_dump(mode="json")))

    def _wait_for_workers(self) -> None:
        """Every worker shares a lock on `episodes` while it lives: one of a killed runner must not write any more."""
        descriptor = os.open(self.path / "episodes", os.O_RDONLY)
        end = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    if time.monotonic() > end:
                        raise BadInput(
                            f"Workers of an earlier run still write into {self.path}: end these processes first."
                        ) from None
                    time.sleep(0.05)
        finally:
            os.close(descriptor)


def plan(run: Path, options: BenchOptions, suite: Suite) -> tuple[Episode, ...]:
    """All episodes of a bench: every selected task, every trial. Raises BadInput."""
    trials = options.trials or suite.protocol.trials
    tasks = suite.select(options.tasks, options.split)
    return tuple(
        Episode(task, trial, run / "episodes" / f"{task.id}-{trial}") for task in tasks for trial in range(trials)
    )


def read_bench(run: Path) -> tuple[BenchFile, Suite, tuple[Episode, ...]]:
    """A run folder of a bench: its configuration, its suite and all its episodes, finished or not. Raises BadInput."""
    file = read_model(run / "run.json", BenchFile)
    suite = read_model(run / "suite.json", Suite)
    return file, suite, plan(run, file.options, suite)


def unfinished(episodes: Sequence[Episode], *, again: bool = False) -> Iterator[Episode]:
    """Those that are to be run; with `again` also those that infrastructure ended. Raises BadInput."""
    for episode in episodes:
        ending = episode.ending
        if ending is None or (again and ending.ended_by == "infrastructure"):
            yield episode


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """The seed of an episode. It depends on nothing but these three."""
    digest = hashlib.sha256(f"{seed}/{task_id}/{trial}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (MAX_SEED + 1)


def _suite_json(suite: Suite) -> bytes:
    return to_json(suite.model_dump(mode="json", by_alias=True, exclude_none=True))


def _check_same(path: Path, options: BenchOptions, suite: Suite) -> None:
    before = read_model(path / "run.json", BenchFile).options
    decisive = [name for name in BenchOptions.model_fields if name not in INDECISIVE]
    changed = [name for name in decisive if getattr(before, name) != getattr(options, name)]
    if (path / "suite.json").read_bytes() != _suite_json(suite):
        changed.append("the content of the suite")
    if changed:
        raise BadInput(
            f"The run folder {path} belongs to another bench (different: {', '.join(changed)}): choose another --out."
        )

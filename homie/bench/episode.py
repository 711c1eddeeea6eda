"""An episode of a bench: its folder, its ending, failed tries, and the validity of its files.

RUN/episodes/<task>-<trial>/             docs/run-folder.md
    failure.json                         a `FailedTry`: why infrastructure ended this try
RUN/episodes/<task>-<trial>-partial-N/   moved aside: an interrupted or failed try, or a damaged episode
"""

from __future__ import annotations

import contextlib
import os
import shutil
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from homie.bench.goal_lines import GoalLine, read_goals
from homie.bench.suite.suite import Task
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.types import RoundRecord
from homie.kernel.world.snapshot import WorldSnapshot, read_snapshot
from homie.runtime.runstore import EpisodeFile, new_episode, read_model, read_steps, tries, write_ending, write_model
from homie.runtime.runstore.damage import DAMAGED, ENDING, DamagedEpisode, damaged_record, history_of, read_finished

Cause = Literal["crash", "killed", "deadline", "memory", "planner", "unreadable", "robot", "code", "error", "damaged"]
"""Why infrastructure ended a try: the worker crashed or was killed, exceeded the time or memory limit; the planner gave
no decision (its endpoint failed), or never a readable one; the robot had a fault; a third-party part raised an
exception; any other unexpected error; or the episode was finished, but its files have changed since."""
OWN_CODE: Cause = "code"
"""Cause of an episode in which a bug of the user's own code ended the last try."""
UNREADABLE: Cause = "unreadable"
"""Cause of an episode that is not retried at once, because the planner would fail again, but by the next command, after
its endpoint or settings may have been fixed."""
STATE = "final_state.json"
RECORDS = ("failure.json", "error.log", ENDING)
"""Files of a try kept when a run is cleaned: the reason of the failure."""


class FailedTry(BaseModel):
    """`failure.json`: why infrastructure ended one try of an episode. `attempt` counts from 1."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    cause: Cause
    message: str
    attempt: int
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished episode.

    Attributes:
        records: Rounds; () if infrastructure ended it.
        verdict: Whether the goal holds in the final world; None if unknown.
        progress: Share of the goal's conditions that hold; None if unknown.
        goals: Truth of the goal from the start to the last subtask; empty if it was not recorded.
    """

    ending: EpisodeFile
    records: tuple[RoundRecord, ...] = ()
    verdict: bool | None = None
    progress: float | None = None
    goals: tuple[GoalLine, ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether its files are damaged; then `ending.cause` names the file."""
        return self.ending.ended_by == "infrastructure" and self.ending.cause.startswith(f"{DAMAGED}:")


@dataclass(frozen=True, slots=True)
class Episode:
    """One planned episode of a bench.

    Attributes:
        seed: Seed of the episode.
        folder: Folder of the episode.
    """

    task: Task
    trial: int
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def finished(self) -> Finished | None:
        """Result of the episode, None if it is unfinished.

        One with damaged files, or of another task, trial or seed, counts as ended by infrastructure, with the cause
        `damaged: FILE (problem)`: it is not scored, and is run again.
        """
        try:
            stored = read_finished(self.folder)
            return None if stored is None else self._with_verdict(Finished(*stored))
        except DamagedEpisode as damage:
            return Finished(damaged_record(damage, task=self.task.text, trial=self.trial, seed=self.seed))

    @property
    def ending(self) -> EpisodeFile | None:
        """Ending of the episode, as in `finished`."""
        return self.finished.ending if self.finished else None

    @property
    def damaged(self) -> bool:
        """Whether it is marked as finished, but has damaged files."""
        finished = self.finished
        return finished is not None and finished.damaged

    @property
    def unreadable(self) -> bool:
        """Whether no output of its planner was readable."""
        ending = self.ending
        return ending is not None and ending.cause.startswith(f"{UNREADABLE}:")

    @property
    def failures(self) -> tuple[FailedTry, ...]:
        """Return the tries ended by infrastructure since the episode was last given up, oldest first."""
        problems: list[FailedTry] = []
        for path in (*tries(self.folder), self.folder):
            # `Path.exists` raises for a file in an inaccessible folder
            if os.path.exists(path / "failure.json"):
                problems.append(_read_failure(path / "failure.json", len(problems) + 1))
            if path != self.folder and os.path.exists(path / ENDING):
                problems.clear()
        return tuple(problems)

    def final_state(self) -> WorldSnapshot:
        """Return the final world. Raises BadInput, OSError or ValueError if there is no readable one."""
        path = self.folder / STATE
        return read_snapshot(load_json(path), str(path))

    def begin(self) -> None:
        """Create an empty folder; an existing one is moved aside. Raises OSError."""
        new_episode(self.folder)

    def clean(self) -> None:
        """Of a finished episode's failed tries, keep the reasons and remove all other files. Raises OSError."""
        if self.finished is None or self.damaged:
            return
        for path in tries(self.folder):
            for entry in path.iterdir():
                if entry.is_dir():
                    shutil.rmtree(entry)
                elif entry.name not in RECORDS:
                    entry.unlink()
            if not any(path.iterdir()):
                path.rmdir()

    def fail(self, cause: Cause, message: str, seconds: float) -> FailedTry:
        """Record why infrastructure ended this try. Raises OSError."""
        failure = FailedTry(
            cause=cause, message=message, attempt=len(self.failures) + 1, wall_seconds=round(seconds, 3)
        )
        write_model(self.folder / "failure.json", failure)
        return failure

    def give_up(self, failure: FailedTry) -> None:
        """End the episode as `infrastructure`. Rounds played so far stay in `steps.jsonl`. Raises OSError."""
        records: tuple[RoundRecord, ...] = ()
        if (self.folder / "steps.jsonl").exists():
            # A line truncated by a kill is normal here.
            with warnings.catch_warnings(action="ignore"), contextlib.suppress(BadInput):
                records = read_steps(self.folder)
        ending = EpisodeFile(
            task=self.task.text,
            trial=self.trial,
            seed=self.seed,
            ended_by="infrastructure",
            rounds=records[-1].round if records else 0,
            history=history_of(records),
            inventory=records[-1].inventory if records else (),
            robot_seconds=records[-1].stamp if records else 0.0,
            wall_seconds=failure.wall_seconds,
            cause=f"{failure.cause}: {failure.message}",
        )
        write_ending(self.folder, ending)

    def _with_verdict(self, finished: Finished) -> Finished:
        """Add the verdict. Raises DamagedEpisode for files of another episode, and for a world in which the goal cannot
        be judged."""
        ending = finished.ending
        for name, expected in (("task", self.task.text), ("trial", self.trial), ("seed", self.seed)):
            if (recorded := getattr(ending, name)) != expected:
                raise DamagedEpisode(
                    f"{ENDING} (it is of another episode: its {name} is {recorded!r}, not {expected!r})"
                )
        if self.task.goal is None or ending.ended_by == "infrastructure":
            return finished
        try:
            world = self.final_state()
            goal = self.task.goal
            goal_lines = read_goals(self.folder)
            return replace(finished, verdict=goal.holds(world), progress=goal.progress(world), goals=goal_lines)
        except FileNotFoundError:
            raise DamagedEpisode(f"{STATE} (it is missing)") from None
        except (BadInput, OSError, ValueError, RecursionError) as error:
            raise DamagedEpisode(
                f"{STATE} (the goal cannot be judged: {' '.join(str(error).split())[:200]})"
            ) from error


def describe_loss(cause: str) -> str:
    """Describe what ended a lost episode, from its cause (`robot: A motor is hot.`): `infrastructure (robot)`."""
    kind = cause.partition(":")[0]
    return "an error in code of your own" if kind == OWN_CODE else f"infrastructure ({kind})"


def _read_failure(path: Path, attempt: int) -> FailedTry:
    """Read a failed try; one with a damaged record counts as failed too."""
    try:
        return read_model(path, FailedTry)
    except BadInput:
        return FailedTry(cause=DAMAGED, message=f"{path.name} is damaged", attempt=attempt, wall_seconds=0.0)

"""One episode of a bench: where it is kept, how it ended, the tries that failed, and whether it can be trusted.

RUN/episodes/<task>-<trial>/             docs/run-folder.md
    failure.json                         a `FailedTry`: why infrastructure ended this try
RUN/episodes/<task>-<trial>-partial-N/   what was set aside: an interrupted or failed try, or a damaged episode
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
from homie.runtime.runstore.damage import DAMAGED, ENDING, Damaged, history_of, lost_to, read_finished

Cause = Literal["crash", "killed", "deadline", "memory", "planner", "unreadable", "robot", "code", "error", "damaged"]
"""Why infrastructure ended a try: the worker died by itself or was killed, took too long or too much memory; the
planner gave no decision (its endpoint failed), or none that could ever be read; the robot had a fault; the code of a
part that is not Homie's raised an exception; anything else that nobody expected; or the episode was finished, and its
files are no longer what was written."""
OWN_CODE: Cause = "code"
"""The cause of an episode in which a bug of a user's own code ended the last try."""
UNREADABLE: Cause = "unreadable"
"""The cause of an episode that is not tried again at once, since the planner would be asked as many times in vain, but
by the next command, when its endpoint or settings may be right."""
STATE = "final_state.json"
RECORDS = ("failure.json", "error.log", ENDING)
"""What stays of a try that was set aside when a run is cleaned: why it failed."""


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
        records: None if infrastructure ended it.
        verdict: Whether the world is as the goal wants it, and progress which share of the goal's conditions hold; None
            where nobody can tell.
        goals: The truth of the goal from the start to the last subtask, empty where it was not kept.
    """

    ending: EpisodeFile
    records: tuple[RoundRecord, ...] = ()
    verdict: bool | None = None
    progress: float | None = None
    goals: tuple[GoalLine, ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether its files cannot be trusted; then `ending.cause` says which."""
        return self.ending.ended_by == "infrastructure" and self.ending.cause.startswith(f"{DAMAGED}:")


@dataclass(frozen=True, slots=True)
class Episode:
    """One planned episode of a bench.

    Attributes:
        seed: The one that it is played with.
        folder: Where it is kept.
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
        """What it left, None if it is unfinished.

        One with damaged files, or one of another task, trial or seed, counts as ended by infrastructure, with the cause
        `damaged: FILE (what is wrong)`: nothing in it is scored, and it is run again.
        """
        try:
            stored = read_finished(self.folder)
            return None if stored is None else self._judge(Finished(*stored))
        except Damaged as damage:
            return Finished(lost_to(damage, task=self.task.text, trial=self.trial, seed=self.seed))

    @property
    def ending(self) -> EpisodeFile | None:
        """How it ended, as `finished` has it."""
        return self.finished.ending if self.finished else None

    @property
    def damaged(self) -> bool:
        """Whether it says that it is finished and its files cannot be trusted."""
        finished = self.finished
        return finished is not None and finished.damaged

    @property
    def unreadable(self) -> bool:
        """Whether no output of its planner could ever be read."""
        ending = self.ending
        return ending is not None and ending.cause.startswith(f"{UNREADABLE}:")

    @property
    def failures(self) -> tuple[FailedTry, ...]:
        """The tries that infrastructure ended since the episode was last given up, oldest first."""
        problems: list[FailedTry] = []
        for path in (*tries(self.folder), self.folder):
            # `Path.exists` raises for a file in a folder that may not be read
            if os.path.exists(path / "failure.json"):
                problems.append(_read_failure(path / "failure.json", len(problems) + 1))
            if path != self.folder and os.path.exists(path / ENDING):
                problems.clear()
        return tuple(problems)

    def final_state(self) -> WorldSnapshot:
        """The world at the end. Raises BadInput, OSError or ValueError where there is none that can be read."""
        path = self.folder / STATE
        return read_snapshot(load_json(path), str(path))

    def begin(self) -> None:
        """Make the folder anew; what was in it is set aside. Raises OSError."""
        new_episode(self.folder)

    def clean(self) -> None:
        """Of what was set aside, keep why each try failed and remove the rest; only of a finished episode. Raises
        OSError."""
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
        """Write down why infrastructure ended this try. Raises OSError."""
        failure = FailedTry(
            cause=cause, message=message, attempt=len(self.failures) + 1, wall_seconds=round(seconds, 3)
        )
        write_model(self.folder / "failure.json", failure)
        return failure

    def give_up(self, failure: FailedTry) -> None:
        """End the episode as `infrastructure`. What was done until then stays in `steps.jsonl`. Raises OSError."""
        records: tuple[RoundRecord, ...] = ()
        if (self.folder / "steps.jsonl").exists():
            # A line that a kill has torn is what is expected here.
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

    def _judge(self, finished: Finished) -> Finished:
        """With the verdict. Raises Damaged for an episode that is not this one, or whose world cannot be judged."""
        ending = finished.ending
        for name, expected in (("task", self.task.text), ("trial", self.trial), ("seed", self.seed)):
            if (recorded := getattr(ending, name)) != expected:
                raise Damaged(f"{ENDING} (it is of another episode: its {name} is {recorded!r}, not {expected!r})")
        if self.task.goal is None or ending.ended_by == "infrastructure":
            return finished
        try:
            world = self.final_state()
            goal = self.task.goal
            goal_lines = read_goals(self.folder)
            return replace(finished, verdict=goal.holds(world), progress=goal.progress(world), goals=goal_lines)
        except FileNotFoundError:
            raise Damaged(f"{STATE} (it is missing)") from None
        except (BadInput, OSError, ValueError, RecursionError) as error:
            raise Damaged(f"{STATE} (the goal cannot be judged: {' '.join(str(error).split())[:200]})") from error


def lost_by(cause: str) -> str:
    """What ended an episode that was lost, by its cause (`robot: A motor is hot.`): `infrastructure (robot)`."""
    kind = cause.partition(":")[0]
    return "an error in code of your own" if kind == OWN_CODE else f"infrastructure ({kind})"


def _read_failure(path: Path, attempt: int) -> FailedTry:
    """A failed try. One whose record is damaged has failed all the same."""
    try:
        return read_model(path, FailedTry)
    except BadInput:
        return FailedTry(cause=DAMAGED, message=f"{path.name} is damaged", attempt=attempt, wall_seconds=0.0)

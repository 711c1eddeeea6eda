"""The score of one episode, the scores of a run, and the contract of a profile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from homie.bench.score.trajectory import Trajectory

MISSING = "no record"
"""The cause of a planned episode that has no record."""


class Count(NamedTuple):
    """How often a skill succeeded and failed."""

    success: int
    fail: int

    @property
    def rate(self) -> float | None:
        """The share of successes, None without any execution."""
        return self.success / (self.success + self.fail) if self.success + self.fail else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One episode under one profile. A value that the profile could not compute is None, and `raises` says why.

    Attributes:
        tp_per_keypath: Matched share of each key path, or the name of the exception.
        tp: Their maximum.
        success: Whether the planner ended and a whole key path was matched.
        weight: The PLWSR term; for a success, the expert's length over the larger of the two lengths.
        replans: Failures after which the planner continued.
        errors: By code.
        executions, attempts: By action.
        next_node: The first missed node of the best key path, "" if none was missed; `never [...]` if that subtask
            violated the task.
        verdict: Whether the final state of the world satisfies the task.
        progress: The share of its goal's conditions that hold there.
        claim: What the planner reported when it ended the task, None without a report.
        held_first: The first subtask, from 1, after which the goal held, as far as that was kept.
        given: Whether it held before the first subtask.
        lost: Why the episode could not be run, "" if it could.
    """

    task_id: str
    trial: int
    tp: float | None
    success: bool | None
    ended: bool
    weight: float | None
    length: int = 0
    tp_per_keypath: tuple[float | str, ...] = ()
    replans: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    scored_steps: int = 0
    executions: Mapping[str, Count] = field(default_factory=dict)
    attempts: Mapping[str, Count] = field(default_factory=dict)
    next_node: str = ""
    verdict: bool | None = None
    progress: float | None = None
    claim: bool | None = None
    held_first: int | None = None
    given: bool = False
    lost: str = ""
    raises: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        return self.task_id, self.trial

    @property
    def lag(self) -> int | None:
        """Subtasks from the first after which the goal held to the report, of a true report of success."""
        true_success = self.verdict is True and self.claim is True
        return self.length - self.held_first if true_success and self.held_first is not None else None

    @property
    def disagrees(self) -> bool:
        """Whether key path and world state disagree about success; not where the planner itself said that it failed."""
        if self.claim is False:
            return False
        return self.verdict is not None and self.success is not None and self.verdict != self.success


class Profile(Protocol):
    """One reading of the EMMOE protocol."""

    name: Literal["strict-emmoe", "homie"]
    keeps_lost: bool
    """Whether an episode that could not be run stays in the denominators."""

    def score(self, trajectory: Trajectory) -> Score:
        """The score of an episode that could be run."""


@dataclass(frozen=True, slots=True)
class Results:
    """The scores of one run under one profile.

    Attributes:
        scores: The episodes that the metrics count.
        lost: The episodes that could not be run or have no record; they are also among the scores, as failures, if the
            profile keeps them.
    """

    profile: str
    scores: tuple[Score, ...]
    lost: tuple[Score, ...] = ()

    def only(self, tasks: Collection[str]) -> Results:
        """The results of some tasks."""
        return Results(
            self.profile,
            tuple(score for score in self.scores if score.task_id in tasks),
            tuple(score for score in self.lost if score.task_id in tasks),
        )

    def at(self, keys: Collection[tuple[str, int]]) -> Results:
        """The results of some (task, trial) episodes."""
        return Results(
            self.profile,
            tuple(score for score in self.scores if score.key in keys),
            tuple(score for score in self.lost if score.key in keys),
        )

    @property
    def disagreements(self) -> tuple[Score, ...]:
        """The episodes for which key path and world state disagree about success."""
        return tuple(score for score in self.scores if score.disagrees)


def score_run(profile: Profile, trajectories: Iterable[Trajectory], planned: Iterable[tuple[str, int]] = ()) -> Results:
    """Score a run.

    Args:
        profile: the reading of the protocol.
        trajectories: one per recorded episode.
        planned: the (task, trial) pairs of all planned episodes; those without a trajectory count as lost.
    """
    ordered = sorted(trajectories, key=lambda item: (item.task_id, item.trial))
    played = [profile.score(item) for item in ordered if not item.infrastructure]
    lost = [_lost(item.task_id, item.trial, item.infrastructure) for item in ordered if item.infrastructure]
    recorded = {(item.task_id, item.trial) for item in ordered}
    lost += [_lost(task, trial, MISSING) for task, trial in planned if (task, trial) not in recorded]
    scores: Sequence[Score] = played + lost if profile.keeps_lost else played
    return Results(
        profile.name, tuple(sorted(scores, key=lambda item: item.key)), tuple(sorted(lost, key=lambda item: item.key))
    )


def _lost(task_id: str, trial: int, cause: str) -> Score:
    return Score(task_id=task_id, trial=trial, tp=0.0, success=False, ended=False, weight=0.0, lost=cause)

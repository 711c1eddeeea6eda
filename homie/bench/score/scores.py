"""The score of one episode, the scores of a run, and what a profile is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from homie.bench.score.trajectory import Trajectory

MISSING = "no record"
"""The cause of a planned episode that nobody recorded."""


class Count(NamedTuple):
    """How often a skill succeeded and failed."""

    success: int
    fail: int

    @property
    def rate(self) -> float | None:
        """The share of successes, None if there was nothing."""
        return self.success / (self.success + self.fail) if self.success + self.fail else None


@dataclass(frozen=True, slots=True)
class Score:
    """One episode under one profile. What the profile could not compute is None, and `raises` says why.

    tp_per_keypath: matched share of each key path, or the name of the exception. tp: their maximum. success: ended and
    a whole key path matched. weight: the PLWSR term, path length over the longer of the two if it was a success.
    replans: failures that the planner went on from. errors: by code. executions, attempts: by skill. next_node: the
    first node of the best key path that was not reached, "" if all were; `never [...]` where that subtask has spoilt
    the task. verdict: the world's own. lost: why the
    episode could not be run, "" if it could.
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
    lost: str = ""
    raises: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        return self.task_id, self.trial

    @property
    def disagrees(self) -> bool:
        """Whether key path and world give different answers."""
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

    scores: what the metrics are made of. lost: the episodes that could not be run or left no record; they are among
    the scores, as failures, where the profile keeps them.
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
        """The episodes where key path and world give different answers."""
        return tuple(score for score in self.scores if score.disagrees)


def score_run(profile: Profile, trajectories: Iterable[Trajectory], planned: Iterable[tuple[str, int]] = ()) -> Results:
    """Score a run. `planned` are the (task, trial) episodes it should have; what has no trajectory is lost."""
    given = sorted(trajectories, key=lambda one: (one.task_id, one.trial))
    ran = [profile.score(one) for one in given if not one.infrastructure]
    lost = [_lost(one.task_id, one.trial, one.infrastructure) for one in given if one.infrastructure]
    recorded = {(one.task_id, one.trial) for one in given}
    lost += [_lost(task, trial, MISSING) for task, trial in planned if (task, trial) not in recorded]
    scores: Sequence[Score] = ran + lost if profile.keeps_lost else ran
    return Results(
        profile.name, tuple(sorted(scores, key=lambda one: one.key)), tuple(sorted(lost, key=lambda one: one.key))
    )


def _lost(task_id: str, trial: int, cause: str) -> Score:
    return Score(task_id, trial, tp=0.0, success=False, ended=False, weight=0.0, lost=cause)

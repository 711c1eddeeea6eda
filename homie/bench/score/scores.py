"""Score of one episode, scores of a run, and the interface of a profile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from homie.bench.score.trajectory import Trajectory

MISSING = "no record"
"""Cause of a planned episode without a record."""


class Count(NamedTuple):
    """Numbers of successes and failures of a skill."""

    success: int
    fail: int

    @property
    def rate(self) -> float | None:
        """Share of successes, None without any execution."""
        return self.success / (self.success + self.fail) if self.success + self.fail else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One episode under one profile. A value that the profile could not compute is None, and `raises` has the reason.

    Attributes:
        tp_per_keypath: Matched share of each key path, or the name of the exception.
        tp: Maximum of the matched shares.
        success: Whether the planner ended and a complete key path was matched.
        weight: Term of PLWSR; for a success, the expert's length divided by the larger of the two lengths.
        replans: Number of failures after which the planner continued.
        errors: Number of errors by code.
        executions, attempts: Successes and failures by action.
        next_node: First missed node of the best key path, "" if none was missed; `never [...]` if that subtask violated
            the task.
        verdict: Whether the goal holds in the final state of the world.
        progress: Share of the goal's conditions that hold there.
        claim: Success as reported by the planner with End, None without a report.
        held_first: Number of the first subtask, from 1, after which the goal held, if recorded.
        given: Whether the goal held before the first subtask.
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
        """For a true report of success, the number of subtasks from the first after which the goal held to the
        report."""
        true_success = self.verdict is True and self.claim is True
        return self.length - self.held_first if true_success and self.held_first is not None else None

    @property
    def disagrees(self) -> bool:
        """Whether key path and world state disagree about success; False if the planner reported its failure."""
        if self.claim is False:
            return False
        return self.verdict is not None and self.success is not None and self.verdict != self.success


class Profile(Protocol):
    """An interpretation of the EMMOE protocol."""

    name: Literal["strict-emmoe", "homie"]
    keeps_lost: bool
    """Whether an episode that could not be run is included in the denominators."""

    def score(self, trajectory: Trajectory) -> Score:
        """Score an episode that could be run."""


@dataclass(frozen=True, slots=True)
class Results:
    """Scores of one run under one profile.

    Attributes:
        scores: Episodes counted by the metrics.
        lost: Episodes that could not be run or have no record; if the profile keeps them, they are also in `scores`, as
            failures.
    """

    profile: str
    scores: tuple[Score, ...]
    lost: tuple[Score, ...] = ()

    def only(self, tasks: Collection[str]) -> Results:
        """Return the results of some tasks."""
        return Results(
            self.profile,
            tuple(score for score in self.scores if score.task_id in tasks),
            tuple(score for score in self.lost if score.task_id in tasks),
        )

    def at(self, keys: Collection[tuple[str, int]]) -> Results:
        """Return the results of some (task, trial) episodes."""
        return Results(
            self.profile,
            tuple(score for score in self.scores if score.key in keys),
            tuple(score for score in self.lost if score.key in keys),
        )

    @property
    def disagreements(self) -> tuple[Score, ...]:
        """Episodes for which key path and world state disagree about success."""
        return tuple(score for score in self.scores if score.disagrees)


def score_run(profile: Profile, trajectories: Iterable[Trajectory], planned: Iterable[tuple[str, int]] = ()) -> Results:
    """Score a run.

    Args:
        profile: Interpretation of the protocol.
        trajectories: One per recorded episode.
        planned: (task, trial) of all planned episodes; those without a trajectory count as lost.
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

"""Limits that end an episode, or cut the plan of one answer, before the planner says End."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

EndedBy: TypeAlias = Literal["ended", "goal", "rounds", "steps", "failures", "calls", "robot_seconds"]
"""`ended`: the planner said End. `goal`: the goal was reached, if the rules end the episode then. The others are the
limit that was reached; `calls` and `robot_seconds` are limits of agents (`homie.kernel.errors.LimitReached`)."""
ROUNDS = 20
"""Default maximum number of rounds of an episode."""
UNREADABLE_ROUNDS = 3
"""An episode ends after this many rounds if no output of its planner could be parsed by then. One or two may be bad
luck; each round is retried `reasks` times, so that three rounds are nine answers by default."""
ENDINGS: Mapping[EndedBy, str] = {
    "ended": "the {who} ended the task",
    "goal": "the goal was reached",
    "rounds": "the round limit ended the episode",
    "steps": "the limit of subtasks ended the episode",
    "failures": "the limit of failed subtasks ended the episode",
    "calls": "the limit of calls ended the episode",
    "robot_seconds": "the limit of robot time ended the episode",
}
"""The ends of an episode in words; `who` is a `homie.kernel.types.Who`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a protocol besides the number of rounds. None means unlimited, as in EMMOE.

    Attributes:
        steps: Maximum number of subtasks in an episode.
        failures: Number of failed subtasks and unreadable answers at which the episode ends.
        plan: Maximum number of subtasks executed per answer; the rest of the answer is ignored.

    >>> Limits(failures=10).reached(steps=14, failures=10)
    'failures'
    """

    steps: int | None = None
    failures: int | None = None
    plan: int | None = None

    def reached(self, *, steps: int, failures: int) -> Literal["steps", "failures"] | None:
        """Return the limit reached by these counts, None while the episode continues."""
        if self.failures is not None and failures >= self.failures:
            return "failures"
        return "steps" if self.steps is not None and steps >= self.steps else None

"""What ends an episode, or the plan of one answer, before the planner says End."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

EndedBy: TypeAlias = Literal["ended", "goal", "rounds", "steps", "failures", "calls", "robot_seconds"]
"""`ended`: the planner said End. `goal`: the goal was reached, where that ends an episode. The others are the limit
that was reached, `calls` and `robot_seconds` those of an agent (`homie.kernel.errors.LimitReached`)."""
ROUNDS = 20
"""Rounds after which an episode ends, where nothing else is asked for."""
UNREADABLE_ROUNDS = 3
"""An episode ends after so many rounds if no output of its planner could be read by then. One or two may be bad luck;
each of them was asked again `reasks` times, so that three are nine answers with the default."""
ENDINGS: Mapping[EndedBy, str] = {
    "ended": "the {who} ended the task",
    "goal": "the goal was reached",
    "rounds": "the round limit ended the episode",
    "steps": "the limit of subtasks ended the episode",
    "failures": "the limit of failed subtasks ended the episode",
    "calls": "the limit of calls ended the episode",
    "robot_seconds": "the limit of robot time ended the episode",
}
"""How an episode ended, in words; `who` is a `homie.kernel.types.Who`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a protocol beside its rounds. None: any number, as in EMMOE.

    Attributes:
        steps: Subtasks, of all answers.
        failures: Subtasks that fail, and answers that cannot be read; the last of them ends the episode.
        plan: Subtasks of one answer that are carried out, the rest of it is not.

    >>> Limits(failures=10).reached(steps=14, failures=10)
    'failures'
    """

    steps: int | None = None
    failures: int | None = None
    plan: int | None = None

    def reached(self, *, steps: int, failures: int) -> Literal["steps", "failures"] | None:
        """The limit that so many have reached, None while the episode goes on."""
        if self.failures is not None and failures >= self.failures:
            return "failures"
        return "steps" if self.steps is not None and steps >= self.steps else None

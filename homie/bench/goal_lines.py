"""The truth of a task's goal through an episode: a line of `goals.jsonl` for its start and for every subtask."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.kernel.world.conditions import Condition, conjuncts
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.runstore.json_lines import kept_lines

GOALS = "goals.jsonl"


class GoalLine(BaseModel):
    """The goal after a subtask.

    Attributes:
        step: Which subtask, from 1, End and unreadable answers included; 0 before the first.
        conditions: Whether each condition of the goal holds, in the order of the suite.
        progress: The share that do.
    """

    model_config = ConfigDict(frozen=True)

    step: int
    holds: bool
    progress: float
    conditions: tuple[bool, ...]

    @classmethod
    def of(cls, goal: Condition, world: WorldSnapshot, step: int) -> GoalLine:
        """The goal in a world."""
        return cls(
            step=step,
            holds=goal.holds(world),
            progress=goal.progress(world),
            conditions=tuple(condition.holds(world) for condition in conjuncts(goal)),
        )


def read_goals(folder: Path) -> tuple[GoalLine, ...]:
    """The lines of an episode folder, without one that a kill has cut off; none where its task has no goal, and of
    episodes from before Homie kept them. Raises BadInput for a line that is damaged in another way, OSError."""
    return tuple(kept_lines(folder / GOALS, GoalLine)[0])

"""Truth of a task's goal during an episode: `goals.jsonl` has a line for the start and for every subtask."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.kernel.world.conditions import Condition, conjuncts
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.runstore.json_lines import read_complete_lines

GOALS = "goals.jsonl"


class GoalLine(BaseModel):
    """Truth of the goal after a subtask.

    Attributes:
        step: Number of the subtask, from 1, including End and unreadable answers; 0 for the start.
        conditions: Whether each condition of the goal holds, in the order of the suite.
        progress: Share of the conditions that hold.
    """

    model_config = ConfigDict(frozen=True)

    step: int
    holds: bool
    progress: float
    conditions: tuple[bool, ...]

    @classmethod
    def of(cls, goal: Condition, world: WorldSnapshot, step: int) -> GoalLine:
        """Evaluate the goal in a world."""
        return cls(
            step=step,
            holds=goal.holds(world),
            progress=goal.progress(world),
            conditions=tuple(condition.holds(world) for condition in conjuncts(goal)),
        )


def read_goals(folder: Path) -> tuple[GoalLine, ...]:
    """Return the lines of an episode folder, without a last line truncated by a kill; none if its task has no goal, or
    for episodes of older versions. Raises BadInput for any other damage, OSError."""
    return tuple(read_complete_lines(folder / GOALS, GoalLine)[0])

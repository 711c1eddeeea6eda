"""Records the truth of the goal while an episode is played, hidden from its planner.

events of an episode, world state --GoalLog--> goals.jsonl
"""

from __future__ import annotations

from pathlib import Path

from homie.bench.goal_lines import GoalLine
from homie.kernel.interfaces import EpisodeListener, WorldState
from homie.kernel.types import EpisodeStarted, Event, SubtaskRecorded
from homie.kernel.world.conditions import Condition
from homie.runtime.runstore.json_lines import append_line


class GoalLog(EpisodeListener):
    """Evaluates the goal of a task at the start and after every subtask, and writes a line each time.

    Args:
        goal: Goal of the task.
        world: Simulated robot with privileged world state, which is used for nothing but the file.
        path: File to write.
    """

    def __init__(self, goal: Condition, world: WorldState, path: Path) -> None:
        self._goal, self._world, self._path = goal, world, path
        self._steps = 0
        self._holds = False

    def reached(self) -> bool:
        """Return whether the goal held at the last evaluation."""
        return self._holds

    def on(self, event: Event) -> None:
        """Raises OSError."""
        match event:
            case EpisodeStarted():
                self._write()
            case SubtaskRecorded():
                self._steps += 1
                self._write()
            case _:
                pass

    def _write(self) -> None:
        line = GoalLine.of(self._goal, self._world.snapshot(), self._steps)
        self._holds = line.holds
        with self._path.open("ab") as file:
            append_line(file, line.model_dump(mode="json"))

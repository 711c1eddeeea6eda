"""Keeps the truth of the goal while an episode is played, where its planner cannot see it.

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
    """Judges the goal of a task at the start and after every subtask, and writes a line each.

    Args:
        goal: What has to be so.
        world: The simulated robot, whose world state is judged: that is privileged, and goes nowhere but to the file.
        path: The file.
    """

    def __init__(self, goal: Condition, world: WorldState, path: Path) -> None:
        self._goal, self._world, self._path = goal, world, path
        self._steps = 0
        self._holds = False

    def reached(self) -> bool:
        """Whether the goal held when it was last judged."""
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

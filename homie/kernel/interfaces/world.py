"""What only simulators can do: tell their world, film it, carry out actions whole."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from homie.kernel.interfaces.robot import Robot
from homie.kernel.types import (
    Image,
    Subtask,
)
from homie.kernel.world import WorldSnapshot


@runtime_checkable
class Filmable(Protocol):
    """A simulator that can be filmed."""

    def film(self, width: int, height: int) -> Image:
        """A third-person picture, (height, width, 3)."""

    def look(self, camera: str) -> Image:
        """The colours that one of the robot's cameras sees, without its other channels."""


@runtime_checkable
class Performer(Protocol):
    """A robot that carries out whole actions by itself: a world by rules, a simulator whose actions are calls.

    The skill set `own` asks it.
    """

    def perform(self, subtask: Subtask, entity: str) -> str:
        """Carry out an action.

        Args:
            subtask: The action, as listed, and the planner's words.
            entity: The name of what the words mean; of a Put, its destination.

        Returns:
            Why it cannot be done, as a sentence for the planner; "" where it is done.
        """


@runtime_checkable
class Privileged(Protocol):
    """A planner that knows the world it plans for: it shows that tasks can be done, and is none to compare others with.
    Or a skill set whose actions the robot carries out by itself (`Performer`).

    A planner or a skill set without this never gets the robot.
    """

    def enter(self, robot: Robot) -> None:
        """Take the robot, and with it the world, of the episodes to come. Raises BadInput for one that it does not
        know."""


@runtime_checkable
class FilmableFromAnywhere(Protocol):
    """A simulator with a camera that can be anywhere."""

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """A picture (height, width, 3) from a point towards another, both (x, y, z) in the world, metres."""


@runtime_checkable
class WorldState(Protocol):
    """Privileged knowledge. Only simulators have it; only the background locator, scoring and records may ask."""

    def snapshot(self) -> WorldSnapshot:
        """The world as it is now: of all that a `WorldSnapshot` can tell, what this one knows."""

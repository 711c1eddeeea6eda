"""What only simulators can do: tell their world, set it, film it, carry out actions whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from homie.kernel.actions import Action
from homie.kernel.interfaces.robot import Robot
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types import (
    Choice,
    Goal,
    Image,
    NamedThing,
    Pose2,
    Subtask,
)
from homie.kernel.world.snapshot import WorldSnapshot


@runtime_checkable
class Filmable(Protocol):
    """A simulator that can be filmed."""

    def film(self, width: int, height: int, target: str = "") -> Image:
        """A third-person picture.

        Args:
            width: Of the picture, pixels.
            height: Of the picture, pixels.
            target: What the robot is busy with, in the planner's words, for a camera that can choose where it stands;
                "" for nothing.

        Returns:
            (height, width, 3) uint8.
        """

    def look(self, camera: str, height: int | None = None) -> Image:
        """The colours that one of the robot's cameras sees, without its other channels.

        Args:
            camera: Its name.
            height: Pixels, for a picture that people look at; None for the size of the robot's observations. Where the
                picture comes in one size only, it may be ignored.

        Returns:
            (H, W, 3) uint8.
        """


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
class OwnList(Protocol):
    """A robot that brings the list of numbered actions of its world, as a published protocol numbers them."""

    def choices(self) -> tuple[Choice, ...]:
        """The list of the episode that begins, without an end; empty where it is made as for other worlds."""


@runtime_checkable
class Rearrangeable(Protocol):
    """A simulator whose world can be set to the result of an action, without the motion that leads to it.

    The skill set `ideal` asks it. No command is sent, so there is none for the safety gate: what is set is in the state
    of the world, and the record says which attempts were of that kind. Time does not pass.
    """

    def set_outcome(self, action: Action, goal: Goal, places: Iterable[Pose2]) -> str:
        """Set the world to what an action results in (`Action.result`), with the robot at one of some places.

        Args:
            action: Its result is `reached`, `held`, `placed`, `open` or `closed`.
            goal: What it is done to. The thing meant is the one of its name and kind where the goal has it.
            places: Where the robot may stand (m, rad, odometry frame), best first; it gets the first at which it would
                be in nothing.

        Returns:
            Why it cannot be so, a `Failure` where planners get advice; then nothing has changed. "" where it is done.
        """

    def drop(self) -> str:
        """Have the held object lie on the floor beside the robot. Returns as `set_outcome`."""


@runtime_checkable
class GroundTruthAccess(Protocol):
    """A planner that knows the world it plans for: it shows that tasks can be done, and is none to compare others with.
    Or a skill set whose actions the robot carries out by itself (`Performer`).

    A planner or a skill set without this never gets the robot.
    """

    def bind(self, robot: Robot) -> None:
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
class Mirrored(Protocol):
    """A simulator whose state another one of the same scene can take over, in the same process or far away."""

    def state(self) -> Mapping[str, object]:
        """The state of its world, JSON-ready: what `take_state` of its like needs."""

    def take_state(self, state: Mapping[str, object]) -> None:
        """Be in this state from now on. Raises BadInput for the state of another scene."""


@runtime_checkable
class WorldState(Protocol):
    """Ground truth. Only simulators have it; only the background locator, scoring and records may ask."""

    def snapshot(self) -> WorldSnapshot:
        """The world as it is now: of all that a `WorldSnapshot` can tell, what this one knows."""


def named_things(world: WorldSnapshot) -> list[NamedThing]:
    """What the words of a planner can mean in a world: its rooms and its things."""
    rooms = [NamedThing(name, room.kind) for name, room in world.rooms.items()]
    things = world.things.items()
    return [*rooms, *(NamedThing(name, item.kind, item.colour or None, (), item.room or "") for name, item in things)]


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"Privileged": "GroundTruthAccess"})

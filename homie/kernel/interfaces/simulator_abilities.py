"""Interfaces that only simulators implement: read and set world state, film it, perform whole actions."""

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
        """Render a third-person picture.

        Args:
            width: Width of the picture, pixels.
            height: Height of the picture, pixels.
            target: Target of the current subtask in the planner's words, for cameras that choose their viewpoint; ""
                for none.

        Returns:
            (height, width, 3) uint8.
        """

    def look(self, camera: str, height: int | None = None) -> Image:
        """Render the colour picture of one of the robot's cameras, without depth and other channels.

        Args:
            camera: Name of the camera.
            height: Pixels, for a picture that people look at; None for the size of the robot's observations. Ignored
                by simulators with a fixed size.

        Returns:
            (H, W, 3) uint8.
        """


@runtime_checkable
class Performer(Protocol):
    """Robot that performs whole actions by itself: a rule-based world, or a simulator with actions as API calls.

    Used by the skill set `own`.
    """

    def perform(self, subtask: Subtask, entity: str) -> str:
        """Perform an action.

        Args:
            subtask: The action, as listed, with the planner's words.
            entity: The entity that the words resolve to; the destination of a Put.

        Returns:
            Why it cannot be done, as a sentence for the planner; "" on success.
        """


@runtime_checkable
class OwnList(Protocol):
    """Robot that supplies the list of numbered actions of its world, in the numbering of a published protocol."""

    def choices(self) -> tuple[Choice, ...]:
        """Return the list for the episode that starts, without End; empty to use the default list of Homie."""


@runtime_checkable
class Rearrangeable(Protocol):
    """Simulator whose world can be set to the result of an action, without simulating the motion.

    Used by the skill set `ideal`. No command is sent, so there is none for the safety gate: only the world state
    changes, and the record marks these attempts. Time does not pass.
    """

    def set_outcome(self, action: Action, goal: Goal, places: Iterable[Pose2]) -> str:
        """Set the world state to the result of an action (`Action.result`), with the robot at one of the given poses.

        Args:
            action: Its result is `reached`, `held`, `placed`, `open` or `closed`.
            goal: Its target: the entity with the name and kind of the goal at the position of the goal.
            places: Candidate base poses (m, rad, odometry frame), best first; the first without a collision is used.

        Returns:
            Why it is impossible, as a `Failure` if planners get advice for it; then nothing has changed. "" on success.
        """

    def drop(self) -> str:
        """Put the held object on the floor beside the robot. Returns the same as `set_outcome`."""


@runtime_checkable
class GroundTruthAccess(Protocol):
    """Planner with access to world state: it shows that tasks are solvable, and is not a baseline for other planners.
    Or a skill set whose actions the robot performs by itself (`Performer`).

    Planners and skill sets without this method never get the robot.
    """

    def bind(self, robot: Robot) -> None:
        """Set the robot, and with it the world, of the following episodes. Raises BadInput for an unsupported robot."""


@runtime_checkable
class FilmableFromAnywhere(Protocol):
    """Simulator with a freely placeable camera."""

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """Render a picture (height, width, 3) from one point towards another, both (x, y, z) in the world, metres."""


@runtime_checkable
class Mirrored(Protocol):
    """Simulator whose state can be copied to another one with the same scene, locally or over a network."""

    def state(self) -> Mapping[str, object]:
        """Return the state of its world, JSON-serializable, as input of `take_state`."""

    def take_state(self, state: Mapping[str, object]) -> None:
        """Set the state of its world. Raises BadInput for the state of another scene."""


@runtime_checkable
class WorldState(Protocol):
    """Ground truth. Only simulators have it; only the background locator, scoring and records may query it."""

    def snapshot(self) -> WorldSnapshot:
        """Return the current state of the world; fields that the simulator does not know keep their defaults."""


def named_things(world: WorldSnapshot) -> list[NamedThing]:
    """List the rooms and objects of a world that a planner's words can refer to."""
    rooms = [NamedThing(name, room.kind) for name, room in world.rooms.items()]
    things = world.things.items()
    return [*rooms, *(NamedThing(name, item.kind, item.colour or None, (), item.room or "") for name, item in things)]


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"Privileged": "GroundTruthAccess"})

"""Robots in third-party simulators that can report their world state, controlled with Homie's checks and skills.

```
skills --Command--> SnapshotRobot --snapshot(), shape(name)--> goals, checks, records, judging
```
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from homie.envs.arm_moves import arm_actions, numbers_of, objection_to
from homie.envs.symbolic_locator import SymbolicLocator
from homie.kernel.actions import Action
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Locator, Robot
from homie.kernel.pose_action import MOVE
from homie.kernel.types import (
    Array,
    Articulation,
    Box,
    Goal,
    NumberedObject,
    Observation,
    Pose,
    Solid,
    Surface,
    quaternion_rotation,
)
from homie.kernel.world.snapshot import ThingState, WorldSnapshot

PERIOD = 0.4
"""Seconds between goals while a skill runs."""
NEAR = 1.2
"""Distance (m) from the target within which other things are obstacles for the skill."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The geometry of a thing, in the odometry frame.

    Attributes:
        box: Its upright bounding box; None if unknown.
        parts: The solids that it is made of.
        solids: Upright boxes that fill it, for collision checks.
        surfaces: Surfaces on or in it that objects can be put on, best first.
        articulations: Its doors and drawers.
    """

    box: Box | None = None
    parts: tuple[Solid, ...] = ()
    solids: tuple[Box, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    articulations: tuple[Articulation, ...] = ()


class SnapshotRobot(Robot):
    """Base class for robots with joints in a world that can report its state. A subclass implements the methods of
    `Robot` and `snapshot`.

    Homie does the rest: it resolves names, computes goals for skills, checks and scores by the snapshot. Bounding boxes
    come from `position`, `half` and `quaternion` of the snapshot; a world with more detailed geometry, such as the
    walls of a bowl, overrides `shape`.
    """

    views = ("front",)
    eye = "front"
    waits = True
    inventory_by = "hand"
    workspace: Array | None = None
    """Origin of the Move frame (docs/robots.md#seven-numbers), 0.75 m below the table top: (3,) in the odometry frame,
    whose axes it shares. None for a robot without Move."""

    @abstractmethod
    def snapshot(self) -> WorldSnapshot:
        """Return the current state of the world."""

    def shape(self, name: str, world: WorldSnapshot) -> Shape:
        """Return the geometry of a thing of the snapshot.

        Args:
            name: An object or a fixed thing.
            world: The snapshot that contains it.
        """
        solid = _solid(world.things[name])
        if solid is None:
            return Shape()
        box = Box.around([solid], float(np.arctan2(*solid.pose.rotation[1::-1, 0])))
        top = Surface(box.center + np.array([0.0, 0.0, box.half[2]]), float(box.half[0]), float(box.half[1]), box.yaw)
        return Shape(box, (solid,), (box,), (top,) if world.things[name].receives == "on" else ())

    def background(self) -> Locator:
        return SnapshotLocator(self)


class SnapshotLocator(SymbolicLocator):
    """A symbolic locator whose goals have the boxes of everything near the target, from `SnapshotRobot.shape`."""

    def __init__(self, robot: SnapshotRobot) -> None:
        super().__init__(robot)
        self._snapshot_robot = robot
        self._answered_at = -np.inf

    def reset(self, *, seed: int) -> None:
        self._answered_at = -np.inf

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        if observation.stamp - self._answered_at < PERIOD:
            return None
        self._answered_at = observation.stamp
        return ()

    # ------------------------------------------------------------ Move

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        return numbers_of(words) if action.name == MOVE else super().resolve(words, action, observation)

    def objection(self, words: str, action: Action) -> str:
        return objection_to(words) if action.name == MOVE else super().objection(words, action)

    def listing(self) -> tuple[NumberedObject, ...]:
        """List the objects of the world with the cells of their centres, sorted by y."""
        origin = self._snapshot_robot.workspace
        if origin is None:
            return ()
        object_states = self._world.objects
        places = {
            name: np.array(item.position) - origin for name, item in object_states.items() if item.position is not None
        }
        ordered = sorted(places, key=lambda name: float(places[name][1]))
        actions = arm_actions()
        return tuple(
            NumberedObject(number, self.called(name), actions.place(places[name]), name)
            for number, name in enumerate(ordered, 1)
        )

    def _move(self, numbers: str) -> Goal:
        """Compute the goal of a Move: the tool position, and obstacles for arm, gripper and held object."""
        world, origin = self._world, self._snapshot_robot.workspace
        if origin is None:
            raise BadInput("This robot has no workspace, which Move needs: choose skills without Move (--skills).")
        shapes = {name: self._snapshot_robot.shape(name, world) for name in world.things}
        solids = tuple(box for name, shape in shapes.items() if name != world.held for box in shape.solids)
        held = None if world.held is None else shapes[world.held].box
        at = arm_actions().read(numbers).pose.position + origin
        return Goal(numbers, "", at, box=held, solids=solids, obstacles=solids)

    # ------------------------------------------------------------ goals

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        if action.name == MOVE:
            return self._move(entity)
        world = self._world
        goal = super().goal(entity, action, observation)
        shapes = {name: self._snapshot_robot.shape(name, world) for name in world.things}
        target = shapes.get(entity, Shape())
        is_touched = action.target == "opens" or (entity in world.objects and action.target != "place")
        hidden = {entity, world.held} if is_touched else {world.held}
        loose_boxes = tuple(
            replace(box, name=name)
            for name in world.objects
            if name not in {entity, world.held} and (box := shapes[name].box) is not None
        )
        solids = [box for name, shape in shapes.items() if name not in hidden for box in shape.solids]
        neighbours: Sequence[Box] = solids if action.inventory == "takes" else loose_boxes
        if entity in world.objects and action.target == "place":  # aim at the centre of a bowl, whatever is beside it
            neighbours = ()
        return replace(
            goal,
            position=goal.position if target.box is None else target.box.center,
            box=target.box,
            surfaces=target.surfaces or (goal.surfaces if target.box is None else ()),
            articulations=target.articulations,
            obstacles=tuple(box for box in neighbours if _is_near(box, target.box)),
            solids=tuple(box for box in solids if _is_near(box, target.box)),
            loose=loose_boxes,
            parts=target.parts if entity in world.objects else (),
            held=None if world.held is None else shapes[world.held].box,
            task=world.instruction,
        )


def _is_near(box: Box, target: Box | None) -> bool:
    return target is None or box.distance(target.center) < NEAR


def _solid(thing: ThingState) -> Solid | None:
    """Return a thing's box by its snapshot, None without position or size."""
    if thing.position is None or thing.half is None:
        return None
    rotation = np.eye(3) if thing.quaternion is None else quaternion_rotation(np.array(thing.quaternion))
    return Solid("box", np.array(thing.half), Pose(np.array(thing.position), rotation))

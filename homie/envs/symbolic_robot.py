"""Robots in rule-based worlds that execute whole actions: no joints, no physics, one hand.

```
planner --subtask--> checks --> skill set `own` --perform--> SymbolicRobot --snapshot--> goals, records, locator
```
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection

import numpy as np

from homie.envs.symbolic_locator import SymbolicLocator
from homie.envs.symbolic_picture import SIZE, draw
from homie.kernel.interfaces import IkSolution, Locator, Robot
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.types import (
    Array,
    CameraFrame,
    Command,
    GripperState,
    Image,
    Intrinsics,
    Observation,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
)
from homie.kernel.world.snapshot import WorldSnapshot

HAND = Group.gripper(opening=0.1, speed=1.0)


class NoArm:
    """Kinematics of a robot without an arm: it has no links, and inverse kinematics always fails."""

    point_radii: Array = np.zeros(0)

    def forward(self, q: Array) -> Pose:
        return Pose(np.zeros(3), np.eye(3))

    def link_points(self, q: Array) -> Array:
        return np.zeros((0, 3))

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        return np.inf

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        return IkSolution(q0, ok=False, position_error=math.inf, rotation_error=math.inf)


class SymbolicRobot(Robot):
    """Base class for environments without physics. A subclass implements the world and three methods:

    * `_restart(seed=)`: bring the world to the start of an episode;
    * `snapshot()`: return its state as a `WorldSnapshot`;
    * `perform(subtask, entity)`: carry out an action, or explain why it cannot be done.

    Homie does the rest: it resolves names, checks closed doors, full hands and distances by the snapshot (distances
    only if things and the robot have positions), judges goals, and draws visible things as labelled tiles. Run it with
    `--skills own`. Every action takes one second of simulated time.

    A robot with actions of its own lists them in `actions`, including "End"; the default is EMMOE's household actions.
    """

    spec = RobotSpec(name="symbolic robot", groups=(HAND,), period=1.0)
    kinematics = NoArm()
    views = ("front",)
    eye = "front"
    waits = True
    inventory_by = "hand"
    _stamp = 0.0

    @abstractmethod
    def snapshot(self) -> WorldSnapshot:
        """Return the current state of the world."""

    @abstractmethod
    def perform(self, subtask: Subtask, entity: str) -> str:
        """Carry out an action.

        Args:
            subtask: The action, as listed in `actions`, and the planner's words.
            entity: The name of the target that the words resolve to; for Put, the destination: the object to put down
                is `snapshot().held`.

        Returns:
            A sentence for the planner on why it cannot be done; "" if it is done.
        """

    def visible(self) -> list[str]:
        """Return the names of the visible things in drawing order: by default those in the robot's room that are not
        in a closed container."""
        world, locator = self.snapshot(), SymbolicLocator(self)
        names_in_room = [name for name, item in world.things.items() if item.room in (None, world.robot.room)]
        return [name for name in names_in_room if name != world.held and locator.closed_container(name) in (None, name)]

    def background(self) -> Locator:
        return SymbolicLocator(self)

    def measured(self) -> Proprioception:
        world = self.snapshot()
        at, holding = world.robot, world.held is not None
        return Proprioception(
            base=Pose2(at.x or 0.0, at.y or 0.0, at.yaw or 0.0),
            grippers={HAND.name: GripperState(0.0 if holding else HAND.joints[0].upper, (holding, holding), holding)},
        )

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        frames = {name: self._frame(name) for name in cameras}
        return Observation(self._stamp, self.measured(), frames)

    def _frame(self, camera: str) -> CameraFrame:
        things = self.snapshot().things
        names = tuple(self.visible())
        rgb, instances = draw({name: things[name] for name in names})
        lens = Intrinsics(SIZE, SIZE, SIZE / 2, SIZE / 2, SIZE, SIZE)
        return CameraFrame(camera, rgb, None, lens, Pose(np.zeros(3), np.eye(3)), instances, names)

    def look(self, camera: str, height: int | None = None) -> Image:
        """Return the image of a camera as in `observe`, in its native size."""
        return self._frame(camera).rgb

    def film(self, width: int, height: int, target: str = "") -> Image:
        """Return the image of the camera `eye`, resized."""
        rows, columns = (np.arange(size) * SIZE // size for size in (height, width))
        return self.look(self.eye)[np.ix_(rows, columns)]

    def _send(self, command: Command) -> None:
        self._stamp += self.spec.period

    def _halt(self) -> None:
        """Do nothing: the robot never moves between actions."""

    def _wait(self) -> None:
        """Do nothing: no time passes between two actions."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

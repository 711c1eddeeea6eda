"""Move the robot of a running home by small steps and apply actions from where it stands, without physics. Privileged:
only collisions are checked.

The robot is always in its carrying posture, so that neither its view nor its collision shape depends on its hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

import mujoco
import numpy as np

from homie.envs.mujoco.home.ideal_rearranging import Rearranging
from homie.envs.mujoco.home.ideal_spots import Spot
from homie.envs.mujoco.house.index import ArticulationInfo, ObjectInfo
from homie.envs.mujoco.robots.grasping import Grasping
from homie.envs.mujoco.robots.joint_servos import Limbs, place
from homie.envs.mujoco.world import World
from homie.kernel.actions import HOUSEHOLD
from homie.kernel.errors import RobotFault
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Goal, Pose, Pose2, rotation_z
from homie.kernel.world.household_verbs import VERBS

STEP = 0.05
"""Spacing (m) of the collision checks along a path: smaller than a thin door, which it must not pass through."""
TURN = math.radians(5)
"""Spacing (rad) of the collision checks of a turn: a hand at a radius of 0.35 m moves 3 cm."""
SWEEPS = {"hinge": 0.1, "slide": 0.05}
"""Spacing (rad and m) of the collision checks along the motion of a door or drawer."""
SETTLES = 5
"""Control periods (0.2 s) in which an object that was put down comes to rest."""
ACTIONS = {action.name: action for action in (*HOUSEHOLD, *(verb.action for verb in VERBS.values()))}
"""All actions, by name."""


class Native(Rearranging):
    """Moves the robot and applies actions from where it stands, or leaves the state unchanged.

    Args:
        begin: Resets the robot's controllers to a state that was set.
        wait: Simulates one control period. The other arguments are those of `Rearranging`.
    """

    def __init__(
        self,
        *,
        world: World,
        limbs: Limbs,
        grasping: Grasping,
        spec: RobotSpec,
        base: Sequence[int],
        begin: Callable[[], None],
        wait: Callable[[], None],
    ) -> None:
        super().__init__(world=world, limbs=limbs, grasping=grasping, spec=spec, base=base)
        self._begin, self._wait = begin, wait
        head = spec.head
        assert head is not None, "a robot without a head cannot tilt it"
        self._pan, self._tilt = head.joints[0], head.joints[-1]

    # ------------------------------------------------------------ where it is

    @property
    def pose(self) -> Pose2:
        """The pose of the robot's base."""
        return Pose2(*self.data.qpos[self._base].tolist())

    @property
    def tilt(self) -> float:
        """The angle (rad) by which the head is tilted down."""
        return float(self.data.joint(f"robot/{self._tilt.name}").qpos[0])

    def stand(self, pose: Pose2, tilt: float) -> bool:
        """Set the base pose and the head tilt; return whether robot and payload are free of collisions there."""
        hand, load = self._hand(), self.bodies.poses(self.world.carried())
        place(self.model, self.data, {**self._joints(self.spec.carry), self._pan.name: 0.0})
        self._set_tilt(tilt)
        self._set_base(pose, hand, load)
        self._begin()
        return self._is_free(load)

    def advance(self, metres: float) -> float:
        """Drive forward, or backward if negative, up to the first obstacle. Returns the distance driven (m)."""
        start, number = self.pose, max(1, math.ceil(abs(metres) / STEP))
        travelled = 0.0
        for step in range(1, number + 1):
            distance = metres * step / number
            x, y = start.x + distance * math.cos(start.yaw), start.y + distance * math.sin(start.yaw)
            if not self._try_move(Pose2(x, y, start.yaw)):
                break
            travelled = abs(distance)
        return travelled

    def turn(self, radians: float) -> float:
        """Turn left, or right if negative, up to the first obstacle. Returns the angle turned (rad)."""
        start, number = self.pose, max(1, math.ceil(abs(radians) / TURN))
        turned_by = 0.0
        for step in range(1, number + 1):
            angle = radians * step / number
            if not self._try_move(Pose2(start.x, start.y, start.yaw + angle)):
                break
            turned_by = abs(angle)
        return turned_by

    def look(self, radians: float) -> None:
        """Tilt the head down, or up if negative, within its joint limits."""
        self._set_tilt(self.tilt + radians)
        self._begin()

    def _set_tilt(self, tilt: float) -> None:
        place(self.model, self.data, {self._tilt.name: min(max(tilt, self._tilt.lower), self._tilt.upper)})

    def _try_move(self, pose: Pose2) -> bool:
        """Move robot and payload by one small step, or not at all if they would collide; return whether they moved."""
        previous_pose, hand, load = self.pose, self._hand(), self.bodies.poses(self.world.carried())
        self._set_base(pose, hand, load)
        is_free = self._is_free(load)
        if not is_free:
            self._set_base(previous_pose, self._hand(), self.bodies.poses(self.world.carried()))
        self._begin()
        return is_free

    def _set_base(self, pose: Pose2, hand: Pose, load: dict[int, Pose]) -> None:
        self.data.qpos[self._base] = pose.x, pose.y, pose.yaw
        mujoco.mj_kinematics(self.model, self.data)
        self.bodies.move(load, hand, self._hand())
        mujoco.mj_forward(self.model, self.data)

    def _is_free(self, load: Collection[int]) -> bool:
        return not self.bodies.cut([*self.bodies.robot, *load])

    # ------------------------------------------------------------ what it does from there

    def use(self, action: str, name: str) -> str:
        """Pick, Put (the held object), Open, Close, Turn on or Turn off a thing, by its name in the world.

        Returns:
            Why nothing has changed; "" on success.
        """
        goal = Goal(name=name, text="", position=self.world.box_of(name).center)
        problem = self.set_outcome(ACTIONS[action], goal, ())
        self._begin()
        if not problem and ACTIONS[action].inventory == "gives":
            self._settle_object()
        return problem

    def let_fall(self) -> str:
        """Put the held object on the floor beside the robot. Returns the same as `use`."""
        problem = self.drop()
        self._begin()
        if not problem:
            self._settle_object()
        return problem

    def _settle_object(self) -> None:
        """Simulate the fall of an object that was put down, a few centimetres as into a bowl. If the physics is
        unstable, restore the state before."""
        saved_state = self.data.qpos.copy(), self.data.qvel.copy(), self.data.ctrl.copy()
        try:
            for _ in range(SETTLES):
                self._wait()
        except RobotFault:
            for warning in self.data.warning:
                warning.number = 0
            self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = saved_state
            mujoco.mj_forward(self.model, self.data)
        self._begin()

    def _stand(self, goal: Goal, places: Iterable[Pose2], take: Callable[[], str] | None = None) -> str:
        """Keep the robot where it is; fails if a door was moved into it."""
        if take:
            return take()
        mujoco.mj_forward(self.model, self.data)
        is_free = self._is_free(self.bodies.poses(self.world.carried()))
        return "" if is_free else "the robot is in the way"

    def _bodies_ignored_by_doors(self) -> Collection[int]:
        return ()

    def _checked_openings(self, item: ArticulationInfo, aim: float) -> Sequence[float]:
        start, step = self.world.opening(item), SWEEPS[item.kind]
        number = max(1, math.ceil(abs(aim - start) / step))
        return [start + (aim - start) * stop / number for stop in range(1, number + 1)]

    def _set_down(self, name: str, locations: Iterable[Spot]) -> bool:
        is_set_down = super()._set_down(name, locations)
        place(self.model, self.data, self._joints(self.spec.carry))
        return is_set_down

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Context manager that undoes all changes at its end, to try out actions."""
        data, held = self.data, self.grasping.held_body
        saved_state = data.qpos.copy(), data.qvel.copy(), data.ctrl.copy(), data.time
        try:
            yield
        finally:
            data.qpos[:], data.qvel[:], data.ctrl[:], data.time = saved_state
            mujoco.mj_forward(self.model, data)
            self.grasping.let_go()
            if held >= 0:
                self.grasping.give(held)
            self.world.held = self.grasping.held_object
            self._begin()

    # ------------------------------------------------------------ before an episode

    def give(self, name: str) -> str:
        """Put an object into the robot's hand from anywhere. Returns the same as `use`."""
        problem = self._apply_or_restore(lambda: self._take(self.world.objects[name]))
        self._begin()
        return problem

    def lay(self, name: str, foot: Array, yaw: float) -> bool:
        """Place a loose object upright, with the centre of its underside at `foot` (3,), m. Returns False and leaves it
        where it was if it would collide."""
        item: ObjectInfo = self.world.objects[name]
        load = self.bodies.poses([name])
        previous_pose = load[item.body]
        middle = foot + np.array([0.0, 0.0, item.half[2]])
        self.bodies.move(load, previous_pose, Pose(middle, rotation_z(yaw)))
        is_free = not self.bodies.cut(load)
        if not is_free:
            self.bodies.move(self.bodies.poses([name]), Pose(middle, rotation_z(yaw)), previous_pose)
        self._begin()
        return is_free

    def set_doors(self, name: str, *, is_open: bool) -> str:
        """Open or close furniture. Returns the same as `use`."""
        problem = self._apply_or_restore(
            lambda: self._move(self.world.receptacles[name], "open" if is_open else "closed")
        )
        self._begin()
        return problem

"""Has the robot of a running home move by small steps and use its hand where it stands. Privileged: nothing is
simulated but that things do not pass through each other.

The robot is always in its carrying posture, so that neither its eyes nor what it may run into change with its hand.
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
"""Metres between two points of a way at which the robot must not be in anything: a thin door is not jumped over."""
TURN = math.radians(5)
"""The same for turns: a hand that is 0.35 m out moves 3 cm."""
SWEEPS = {"hinge": 0.1, "slide": 0.05}
"""Radians and metres between two positions of a door or drawer in which it must not be in anything."""
SETTLES = 5
"""Control periods (0.2 s) that a thing that was set down has to come to rest."""
ACTIONS = {action.name: action for action in (*HOUSEHOLD, *(verb.action for verb in VERBS.values()))}
"""By name."""


class Native(Rearranging):
    """Moves the robot and changes what it can change from where it stands, or leaves all as it was.

    Args:
        begin: Takes over a state that was set.
        wait: Lets one control period pass. The rest as in `Rearranging`.
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
        """Where the robot stands."""
        return Pose2(*self.data.qpos[self._base].tolist())

    @property
    def tilt(self) -> float:
        """How far the head looks down, rad."""
        return float(self.data.joint(f"robot/{self._tilt.name}").qpos[0])

    def stand(self, pose: Pose2, tilt: float) -> bool:
        """Have it stand somewhere with its head so; whether it is in nothing there, nor anything that it holds."""
        hand, load = self._hand(), self.bodies.poses(self.world.carried())
        place(self.model, self.data, {**self._joints(self.spec.carry), self._pan.name: 0.0})
        self._set_tilt(tilt)
        self._set(pose, hand, load)
        self._begin()
        return self._is_free(load)

    def advance(self, metres: float) -> float:
        """Drive on, or back where metres are negative, up to what is in the way. Returns how far it came, m."""
        start, number = self.pose, max(1, math.ceil(abs(metres) / STEP))
        travelled = 0.0
        for step in range(1, number + 1):
            way = metres * step / number
            x, y = start.x + way * math.cos(start.yaw), start.y + way * math.sin(start.yaw)
            if not self._moved(Pose2(x, y, start.yaw)):
                break
            travelled = abs(way)
        return travelled

    def turn(self, radians: float) -> float:
        """Turn to the left, or to the right where negative, up to what is in the way. Returns how far it came, rad."""
        start, number = self.pose, max(1, math.ceil(abs(radians) / TURN))
        turned_by = 0.0
        for step in range(1, number + 1):
            angle = radians * step / number
            if not self._moved(Pose2(start.x, start.y, start.yaw + angle)):
                break
            turned_by = abs(angle)
        return turned_by

    def look(self, radians: float) -> None:
        """Tilt the head down, or up where negative, as far as it can be."""
        self._set_tilt(self.tilt + radians)
        self._begin()

    def _set_tilt(self, tilt: float) -> None:
        place(self.model, self.data, {self._tilt.name: min(max(tilt, self._tilt.lower), self._tilt.upper)})

    def _moved(self, pose: Pose2) -> bool:
        """Move the robot a little, with what it holds; where it would be in something it stays."""
        previous_pose, hand, load = self.pose, self._hand(), self.bodies.poses(self.world.carried())
        self._set(pose, hand, load)
        is_free = self._is_free(load)
        if not is_free:
            self._set(previous_pose, self._hand(), self.bodies.poses(self.world.carried()))
        self._begin()
        return is_free

    def _set(self, pose: Pose2, hand: Pose, load: dict[int, Pose]) -> None:
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
            Why nothing has changed; "" where it has.
        """
        goal = Goal(name=name, text="", position=self.world.box_of(name).center)
        problem = self.set_outcome(ACTIONS[action], goal, ())
        self._begin()
        if not problem and ACTIONS[action].inventory == "gives":
            self._settle_object()
        return problem

    def let_fall(self) -> str:
        """Have the held object lie on the floor beside the robot. Returns as `use` does."""
        problem = self.drop()
        self._begin()
        if not problem:
            self._settle_object()
        return problem

    def _settle_object(self) -> None:
        """What was set down falls a few centimetres, as into a bowl. Where the physics does not bear what was set, it
        stays as it was set."""
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
        """It stays where it is. A door that was moved into it has not been moved."""
        if take:
            return take()
        mujoco.mj_forward(self.model, self.data)
        is_free = self._is_free(self.bodies.poses(self.world.carried()))
        return "" if is_free else "the robot is in the way"

    def _yielding(self) -> Collection[int]:
        return ()

    def _stops(self, item: ArticulationInfo, aim: float) -> Sequence[float]:
        start, step = self.world.opening(item), SWEEPS[item.kind]
        number = max(1, math.ceil(abs(aim - start) / step))
        return [start + (aim - start) * stop / number for stop in range(1, number + 1)]

    def _set_down(self, name: str, locations: Iterable[Spot]) -> bool:
        is_set_down = super()._set_down(name, locations)
        place(self.model, self.data, self._joints(self.spec.carry))
        return is_set_down

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """What is done inside is undone at its end: to see what would come of it."""
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
        """Have a thing in the hand, wherever it was. Returns as `use` does."""
        problem = self._tried(lambda: self._take(self.world.objects[name]))
        self._begin()
        return problem

    def lay(self, name: str, foot: Array, yaw: float) -> bool:
        """Have a loose thing stand upright somewhere: its underside's middle (3,), m. Returns whether it is in nothing
        there; if not it stays where it was."""
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
        """Have furniture open or closed. Returns as `use` does."""
        problem = self._tried(lambda: self._move(self.world.receptacles[name], "open" if is_open else "closed"))
        self._begin()
        return problem

"""What plays MoveIt and Nav2 for a simulated robot on a ROS 2 network (`homie serve ros`): the classical skills' own
ways of the arm and of the base. They take the place of that software in simulation."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, Goal, Observation, OccupancyGrid, Pose2, Subtask
from skills.motion.arm_path_search import ArmSpace, Joints, detours
from skills.motion.collision import Solids
from skills.motion.driving import WAY_MARGINS, MobileSkill
from skills.motion.motions import Motion, timed

HERE = Pose2(0.0, 0.0, 0.0)
INSIDE = -0.08
"""How deep (m) the rough shape of the arm may be in a thing at the end of a way: deeper than skills ever plan."""


class ArmPlanning:
    """Finds ways of the arm as classical skills do, in a thread of its own."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics) -> None:
        self._spec, self._joints = spec, Joints(spec.chain)
        self._kinematics = copy.deepcopy(kinematics)  # which is not for several threads at once

    def way(self, begin: Array, end: Array, boxes: Sequence[Box], held: Array) -> list[Array] | None:
        """Postures (n,) of the chain from `begin` (left out) to `end`, None if no way was found.

        Args:
            boxes: What the arm keeps out of, in the base frame.
            held: Balls (m, 4) in the hand, in the gripper frame.
        """
        chain, spec = self._spec.chain, self._spec
        space = ArmSpace(self._joints, self._kinematics, Solids(boxes), HERE, held)
        if space.clearance(end) < INSIDE:
            return None
        detour_postures = [chain.posture(posture) for posture in spec.ready]
        ways = detours(detour_postures, chain.posture(spec.carry), end, chain.torso) if detour_postures else ()
        return space.find(begin, chain.nearest(end, begin), ways, WAY_MARGINS)

    def timed(self, begin: Array, way: Sequence[Array], speed: float) -> Array:
        """Joint values (n, joints) of every control period along a way, at a share of the largest joint speeds."""
        chain, period = self._spec.chain, self._spec.period
        return np.array(list(timed(chain, begin, way, speed * chain.speeds, period)))


class Driving(MobileSkill):
    """Drives to a place as classical skills do."""

    name = "stand-in/navigation"  # codespell:ignore
    max_seconds = 180.0
    _place = HERE

    def begin(self, place: Pose2, grid: OccupancyGrid, observation: Observation) -> None:
        """Set off to a place, on floor that is free in a grid (odometry frame)."""
        self._place = place
        goal = Goal("", "", np.array([place.x, place.y, 0.0]), grid=grid)
        self.start(Subtask("Go to", "a place"), goal, observation)

    def routine(self) -> Motion:
        yield from self._drive(self._place.xy, self._place.yaw, 0.0)

"""Simulated MoveIt and Nav2 for a simulated robot on a ROS 2 network (`homie serve ros`): arm and base planning of
the classical skills take the place of that software in simulation."""

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
from skills.motion.motions import Motion, time_path

HERE = Pose2(0.0, 0.0, 0.0)
INSIDE = -0.08
"""Allowed penetration (m) of the coarse arm shape into an obstacle at the end of a path: deeper than skills ever
plan."""


class ArmPlanning:
    """Plans arm paths as the classical skills do, in a thread of its own."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics) -> None:
        self._spec, self._joints = spec, Joints(spec.chain)
        self._kinematics = copy.deepcopy(kinematics)  # a copy, because kinematics are not thread-safe

    def way(self, begin: Array, end: Array, boxes: Sequence[Box], held: Array) -> list[Array] | None:
        """Return postures (n,) of the chain from `begin` (left out) to `end`, or None if no path was found.

        Args:
            boxes: Obstacles of the arm, in the base frame.
            held: Spheres (m, 4) of the held object, in the gripper frame.
        """
        chain, spec = self._spec.chain, self._spec
        space = ArmSpace(self._joints, self._kinematics, Solids(boxes), HERE, held)
        if space.clearance(end) < INSIDE:
            return None
        detour_postures = [chain.posture(posture) for posture in spec.ready]
        ways = detours(detour_postures, chain.posture(spec.carry), end, chain.torso) if detour_postures else ()
        return space.find(begin, chain.nearest(end, begin), ways, WAY_MARGINS)

    def time_path(self, begin: Array, way: Sequence[Array], speed: float) -> Array:
        """Return joint values (n, joints) of every control period along a path, at a fraction of the maximum joint
        speeds."""
        chain, period = self._spec.chain, self._spec.period
        return np.array(list(time_path(chain, begin, way, speed * chain.speeds, period)))


class Driving(MobileSkill):
    """Drives to a place as the classical skills do."""

    name = "stand-in/navigation"  # codespell:ignore
    max_seconds = 180.0
    _place = HERE

    def begin(self, place: Pose2, grid: OccupancyGrid, observation: Observation) -> None:
        """Start driving to a place, on floor that is free in a grid (odometry frame)."""
        self._place = place
        goal = Goal("", "", np.array([place.x, place.y, 0.0]), grid=grid)
        self.start(Subtask("Go to", "a place"), goal, observation)

    def routine(self) -> Motion:
        yield from self._drive(self._place.xy, self._place.yaw, 0.0)

"""A Panda on a wheeled base: the model `panda_base.xml` beside this file, and the specification for skills and the
safety gate. The arm is that of the table robot; base, pole and head are our own design.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.kernel.interfaces import IkSolution
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.robot.reach import Reach
from homie.kernel.types import Array

FILE = RobotFile(Path(__file__).with_name("panda_base.xml"))

HAND = replace(panda.HAND, base="base_link")

_ARM = FILE.group("arm", "arm", *(f"panda_joint{number}" for number in range(1, 8)))

SPEC = RobotSpec(
    name="panda-base",
    groups=(
        Group.base(linear=0.8, angular=1.8, linear_acceleration=0.75, angular_acceleration=3.0),
        _ARM,
        FILE.group("head", "head", "head_pan", "head_tilt"),
        FILE.gripper(*HAND.fingers),
    ),
    period=0.04,
    footprint_radius=0.285,
    eye=(-0.09, 0.19, 1.64),
    rest=FILE.posture("rest", _ARM),
    carry=FILE.posture("carry", _ARM),
    ready=(FILE.posture("ready", _ARM),),
    reach=Reach(
        distances=(0.62, 0.54, 0.70, 0.46, 0.78),
        spots=(0.62, 0.54, 0.70, 0.78),
        handles=(0.62, 0.54, 0.70, 0.78),
        switches=(0.62, 0.70, 0.54, 0.78),
        level=(0.5, 0.0, 1.0),
    ),
    fingers=panda.FINGERS,
)
"""Specification for skills and the safety gate. Lengths are those of the files; the base's speeds are our own."""


ONWARD = 0.3
"""Distance (m) within which a pose counts as the next waypoint: waypoints of a skill are up to 0.28 m apart."""


class PandaBaseKinematics(PandaKinematics):
    """Kinematics of the arm on its base: self-collision includes base, column and pole, and the spheres are those of
    the file, with the fingers. Not thread-safe."""

    def __init__(self) -> None:
        forward, _, height = FILE.model.body("panda_link0").pos.tolist()
        super().__init__(height, forward)
        self._whole_robot = ModelKinematics(FILE.model, SPEC)

    def link_points(self, q: Array) -> Array:
        """Return centres (n, 3), in the base frame, of spheres that fill the arm, the hand and the open fingers."""
        return self._whole_robot.link_points(q)

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""
        return self._whole_robot.point_radii

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) between the arm and the rest of the robot, upper arm included; negative inside.

        Args:
            held: As in `PandaKinematics.self_distance`.
        """
        return min(super().self_distance(q, held), self._whole_robot.self_distance(q, held))

    def solve(
        self,
        position: Array,
        rotation: Array | None,
        q0: Array,
        *,
        locked_torso: bool = False,
        tolerance: float = 1e-3,
    ) -> IkSolution:
        """As `PandaKinematics.solve`, but try a local descent from q0 first for a pose within `ONWARD`: with seven
        joints, the closed form may choose distant solutions for consecutive waypoints."""
        start = np.clip(np.asarray(q0, dtype=float), self.lower, self.upper)
        if float(np.linalg.norm(np.asarray(position) - self.forward(start).position)) < ONWARD:
            nearby = self._descend(np.asarray(position, dtype=float), rotation, start, tolerance)
            if nearby.ok:
                return nearby
        return super().solve(position, rotation, q0, locked_torso=locked_torso, tolerance=tolerance)


PANDA_BASE = SimulatedBody.of_mjcf(
    FILE,
    SPEC,
    HAND,
    start=FILE.keyframe("rest"),
    kinematics=PandaBaseKinematics,
)
"""The robot as a body of a simulated world."""

"""A slim robot with a lateral telescoping arm: the model `stretch_like.xml` beside this file, and the specification for
skills and the safety gate.

It resembles Hello Robot's Stretch but does not model it: the file lists the differences. Its arm extends to the right,
so the base stands alongside a counter, not facing it (`Reach.aside`).
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from homie.envs.mujoco.robots.bodies.stretch_like_kinematics import TelescopeKinematics
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.robot.reach import Fingers, Reach

FILE = RobotFile(Path(__file__).with_name("stretch_like.xml"))

HAND = Hand("gripper_link", "base_link", ("right_pad", "left_pad"), ("right_finger", "left_finger"))

_SEGMENTS = ("arm_1", "arm_2", "arm_3", "arm_4")
_ARM = FILE.group("arm", "arm", "lift", "arm_turn", *_SEGMENTS, "wrist_yaw", "wrist_pitch", "wrist_roll")

SPEC = RobotSpec(
    name="stretch-like",
    groups=(
        Group.base(linear=0.6, angular=1.5, linear_acceleration=0.6, angular_acceleration=2.5),
        _ARM,
        FILE.group("head", "head", "head_pan", "head_tilt"),
        FILE.gripper(*HAND.fingers),
    ),
    period=0.04,
    footprint_radius=0.27,
    eye=(0.03, 0.0, 1.51),
    rest=FILE.posture("rest", _ARM),
    carry=FILE.posture("carry", _ARM),
    ready=(FILE.posture("ready", _ARM),),
    reach=Reach(
        distances=(0.62, 0.54, 0.70, 0.46, 0.78, 0.84),
        spots=(0.62, 0.54, 0.70, 0.78, 0.84),
        handles=(0.62, 0.54, 0.70, 0.78),
        switches=(0.62, 0.70, 0.54, 0.78),
        aside=-math.pi / 2,
        level=(0.0, -0.45, 0.95),
    ),
    fingers=Fingers(palm_face=0.037, palm_half=0.03, palm_width=0.06, thickest=0.038),
)
"""Specification for skills and the safety gate. Lengths are those of the file; the base's speeds are our own."""

STRETCH_LIKE = SimulatedBody.of_mjcf(
    FILE, SPEC, HAND, start=FILE.keyframe("rest"), kinematics=partial(TelescopeKinematics, FILE.model, SPEC)
)
"""The robot as a body of a simulated world."""

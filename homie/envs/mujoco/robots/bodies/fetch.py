"""The Fetch in MuJoCo: the model `fetch.xml` beside this file, and the specification for skills and the safety gate.

In a world every name starts with `robot/`. Joints and actuators carry the URDF's joint names, bodies its link names.

Base. The joints and servos of `homie.envs.mujoco.robots.drive`.

Arm, torso, head, fingers. Position servos, critically damped, limited to the URDF's efforts. Gravity is compensated
on every robot body, as the real arm does. The fingers are coupled to move together, as one motor moves them.

Contacts. World, furniture and loose objects have contype 1 and conaffinity 3; the robot's collision shapes have
contype 2 and conaffinity 1; so the robot touches the world. Links that can meet touch each other by named pairs;
`ArmKinematics.self_distance` measures the same shapes, so that postures and paths can avoid self-collision.

Cameras. `robot/head` is at the pose of the real camera, with a wider vertical field of view: 60 degrees instead of 45;
`robot/wide` is at the same pose with 100 degrees, which the real robot lacks.
`robot/front`, `left`, `back`, `right` are a simulated ring that the real robot does not have: the planner's four views,
90 degrees apart and 90 degrees wide.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.robot.body import Group, Posture, RobotSpec
from homie.kernel.types import Array

FILE = RobotFile(Path(__file__).with_name("fetch.xml"))

HAND = Hand(
    body="gripper_link",
    base="base_link",
    pads=("r_gripper_finger_link", "l_gripper_finger_link"),
    fingers=("r_gripper_finger_joint", "l_gripper_finger_joint"),
)

_TORSO = FILE.group("torso", "torso", "torso_lift_joint")
_ARM = FILE.group(
    "arm",
    "arm",
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "upperarm_roll_joint",
    "elbow_flex_joint",
    "forearm_roll_joint",
    "wrist_flex_joint",
    "wrist_roll_joint",
)

MIRROR: Array = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Signs that mirror a posture of torso and arm, left for right."""


def _posture(keyframe: str) -> Posture:
    return FILE.posture(keyframe, _TORSO, _ARM)


def _mirror(posture: Posture) -> Posture:
    return {"torso": posture["torso"], "arm": (MIRROR[1:] * posture["arm"]).tolist()}


SPEC = RobotSpec(
    name="fetch",
    groups=(
        Group.base(linear=1.0, angular=2.0, linear_acceleration=0.75, angular_acceleration=3.0),
        _TORSO,
        _ARM,
        FILE.group("head", "head", "head_pan_joint", "head_tilt_joint"),
        FILE.gripper(*HAND.fingers),
    ),
    period=0.04,
    footprint_radius=0.285,
    eye=(0.1, 0.0, 1.05),
    rest=_posture("rest"),
    carry=_posture("carry"),
    ready=(_posture("ready"), _mirror(_posture("ready"))),
)
"""Specification for skills and the safety gate. Joint speeds are the URDF's, the base's those of the public Fetch base
controller."""

REST, CARRY, READY = (SPEC.chain.posture(posture) for posture in (SPEC.rest, SPEC.carry, SPEC.ready[0]))
"""Postures of torso and arm (8,) in the keyframes of the file."""

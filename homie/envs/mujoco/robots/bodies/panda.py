"""The Panda in MuJoCo: the model `panda.xml` beside this file, and the specification for skills and the safety gate.

In a world every name starts with `robot/`. Joints, actuators and bodies carry the names of the manufacturer's URDF.
Contacts: as with the Fetch, the robot collides with the world but never with itself; plans avoid self-collision.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.robot.body import RobotSpec
from homie.kernel.robot.reach import Fingers
from homie.kernel.types import Array

FILE = RobotFile(Path(__file__).with_name("panda.xml"))

HAND = Hand(
    body="panda_hand",
    base="panda_link0",
    pads=("panda_rightfinger", "panda_leftfinger"),
    fingers=("panda_finger_joint2", "panda_finger_joint1"),
)

_ARM = FILE.group("arm", "arm", *(f"panda_joint{number}" for number in range(1, 8)))
_POSTURE = FILE.posture("ready", _ARM)

FINGERS = Fingers(
    reach=0.009,
    half_height=0.0105,
    thickness=0.018,
    tip=0.016,
    palm_face=0.038,
    palm_half=0.024,
    palm_width=0.102,
    palm_behind=0.1,
    thickest=0.05,
    room=0.0015,
)
"""The shape of the hand; the gripper frame is between the pads."""

SPEC = RobotSpec(
    name="franka",
    groups=(_ARM, FILE.gripper(*HAND.fingers)),
    footprint_radius=0.12,
    period=0.04,
    rest=_POSTURE,
    carry=_POSTURE,
    ready=(_POSTURE,),
    fingers=FINGERS,
)
"""Specification for skills and the safety gate."""

HOME: Array = np.array(_POSTURE["arm"])
"""The manufacturer's ready posture (7,): the hand in front, pointing down."""

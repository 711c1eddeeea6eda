"""The Panda in MuJoCo: true kinematics, primitive shapes, servos with force limits, a camera on the hand.

Every name starts with `robot/`. Joints, actuators and bodies carry the names of the manufacturer's URDF. Position
servos are limited to the URDF's efforts; gravity is compensated, as the real arm does. The fingers are coupled.

Contacts: as with the Fetch, the robot touches the world but never itself; plans keep it out of itself.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.house.build import add_geom
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.limbs import PREFIX
from homie.envs.mujoco.robots.panda.panda_model import (
    COLLISIONS,
    FINGER,
    FINGER_EFFORT,
    FINGER_LINK,
    FINGER_RANGE,
    FINGER_SPEED,
    FLANGE,
    HAND,
    HAND_TURN,
    JOINTS,
    LINKS,
    TOOL,
    VISUALS,
    PandaJoint,
    PandaLink,
)
from homie.kernel.body import Group, Joint, RobotSpec
from homie.kernel.types import Array

ARM_JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))
FINGERS = ("panda_finger_joint2", "panda_finger_joint1")
"""Right, then left."""
HAND_NAMES = Hand("panda_hand", "panda_link0", ("panda_rightfinger", "panda_leftfinger"), FINGERS)

HOME: Array = np.array([0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4])
"""The manufacturer's ready posture: the hand in front, pointing down."""

_VISUAL_GROUP, _COLLISION_GROUP = 2, 3
_ARMATURE = 0.1
_FINGER_STIFFNESS, _FINGER_DAMPING = 3000.0, 300.0
_PAD_FRICTION = (1.5, 0.02, 0.0001)
_WRIST_CAMERA: Vec3 = (0.07, 0.0, 0.02)
_WRIST_FOVY = 75.0

_ARM = tuple(Joint(name, joint.lower, joint.upper, joint.speed) for name, joint in zip(ARM_JOINTS, JOINTS, strict=True))
_POSTURE = {"arm": HOME.tolist()}

SPEC = RobotSpec(
    name="franka",
    groups=(Group("arm", "arm", _ARM), Group.gripper(opening=2 * FINGER_RANGE, speed=2 * FINGER_SPEED)),
    footprint_radius=0.12,
    period=0.04,
    rest=_POSTURE,
    carry=_POSTURE,
    ready=(_POSTURE,),
)
"""For skills and the safety gate."""


def add_panda(spec: mujoco.MjSpec, pos: Vec3 = (0.0, 0.0, 0.0)) -> None:
    """Add a Panda to a world, its foot at `pos` (m), reaching out along x. All joints are at 0: see `set_posture`."""
    body = spec.worldbody.add_body(name=PREFIX + "panda_link0", pos=list(pos))
    _dress(body, "panda_link0")
    for number, (joint, link) in enumerate(zip(JOINTS, LINKS, strict=True), 1):
        half = joint.roll / 2
        body = body.add_body(
            name=f"{PREFIX}panda_link{number}", pos=list(joint.origin), quat=[math.cos(half), math.sin(half), 0.0, 0.0]
        )
        _add_joint(spec, body, ARM_JOINTS[number - 1], joint)
        _weigh(body, link)
        _dress(body, f"panda_link{number}")
    half = HAND_TURN / 2
    hand = body.add_body(
        name=PREFIX + "panda_hand", pos=[0.0, 0.0, FLANGE], quat=[math.cos(half), 0.0, 0.0, math.sin(half)]
    )
    _weigh(hand, HAND)
    _dress(hand, "panda_hand")
    for name, finger, side in (("panda_leftfinger", FINGERS[1], 1.0), ("panda_rightfinger", FINGERS[0], -1.0)):
        _add_finger(spec, hand, name, finger, side)
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        name=PREFIX + "finger_coupling",
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=PREFIX + FINGERS[0],
        name2=PREFIX + FINGERS[1],
        data=[0.0, 1.0] + [0.0] * (mujoco.mjNEQDATA - 2),  # b = 1 * a; how many there are depends on the version
    )
    # x of the gripper points out along the fingers, y is the direction in which they close: as with every robot.
    hand.add_site(name=PREFIX + "gripper", pos=[0.0, 0.0, TOOL], quat=_GRIPPER_IN_HAND, size=[0.005] * 3, group=4)
    hand.add_camera(
        name=PREFIX + "wrist",
        pos=list(_WRIST_CAMERA),
        quat=_LOOKING_ALONG_Z,
        fovy=_WRIST_FOVY,
        resolution=[500, 500],
    )


_GRIPPER_IN_HAND = [math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0]
"""Takes x of the gripper onto z of the hand, y onto y, z onto -x."""
_LOOKING_ALONG_Z = [0.0, math.sqrt(0.5), math.sqrt(0.5), 0.0]
"""A MuJoCo camera (looks along its -z) that looks along z of the hand, with x of the hand up in its picture."""


def set_posture(model: mujoco.MjModel, data: mujoco.MjData, q: Array) -> None:
    """Put the arm at `q` (7,), joints and servo targets alike. For the start of an episode."""
    for name, value in zip(ARM_JOINTS, q, strict=True):
        data.joint(PREFIX + name).qpos = value
        data.actuator(PREFIX + name).ctrl = value
    mujoco.mj_forward(model, data)


def _add_joint(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, facts: PandaJoint) -> None:
    body.add_joint(
        name=PREFIX + name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 0.0, 1.0],
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        range=[facts.lower, facts.upper],
        armature=_ARMATURE,
    )
    servo = spec.add_actuator(
        name=PREFIX + name,
        target=PREFIX + name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        forcerange=[-facts.effort, facts.effort],
        ctrllimited=mujoco.mjtLimited.mjLIMITED_TRUE,
        ctrlrange=[facts.lower, facts.upper],
    )
    servo.set_to_position(kp=facts.stiffness, kv=0.1 * facts.stiffness)


def _add_finger(spec: mujoco.MjSpec, hand: mujoco.MjsBody, name: str, joint: str, side: float) -> None:
    finger = hand.add_body(name=PREFIX + name, pos=[0.0, 0.0, FINGER])
    finger.add_joint(
        name=PREFIX + joint,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0.0, side, 0.0],
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        range=[0.0, FINGER_RANGE],
        armature=_ARMATURE,
        damping=_FINGER_DAMPING,
    )
    servo = spec.add_actuator(
        name=PREFIX + joint,
        target=PREFIX + joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        forcerange=[-FINGER_EFFORT / 2, FINGER_EFFORT / 2],
        ctrllimited=mujoco.mjtLimited.mjLIMITED_TRUE,
        ctrlrange=[0.0, FINGER_RANGE],
    )
    servo.set_to_position(kp=_FINGER_STIFFNESS)
    _weigh(finger, FINGER_LINK)
    _dress(finger, name)


def _weigh(body: mujoco.MjsBody, link: PandaLink) -> None:
    body.explicitinertial = True
    body.mass, body.ipos, body.fullinertia = link.mass, list(link.com), list(link.inertia)
    body.gravcomp = 1.0


def _dress(body: mujoco.MjsBody, name: str) -> None:
    """What is seen and what touches."""
    for number, part in enumerate(VISUALS[name]):
        geom = add_geom(body, f"{PREFIX}{name}/seen_{number}", part, 0.0)
        geom.contype, geom.conaffinity, geom.group = 0, 0, _VISUAL_GROUP
    for number, part in enumerate(COLLISIONS[name]):
        geom = add_geom(body, PREFIX + name + ("" if number == 0 else f"_{number}"), part, 0.0)
        geom.contype, geom.conaffinity, geom.group = 2, 1, _COLLISION_GROUP
        if name in HAND_NAMES.pads:
            geom.condim, geom.friction, geom.priority = 4, list(_PAD_FRICTION), 1

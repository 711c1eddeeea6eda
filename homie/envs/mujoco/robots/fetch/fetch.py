"""The Fetch in MuJoCo: true kinematics, primitive shapes, servos with force limits, cameras.

Every name starts with `robot/`. Joints and actuators carry the URDF's joint names, bodies its link names.

Base. The joints and servos of `homie.envs.mujoco.robots.drive`.

Arm, torso, head, fingers. Position servos, critically damped, limited to the URDF's efforts. Gravity is compensated
on every robot body, as the real arm does. The fingers are coupled to move together, as one motor moves them.

Contacts. World, furniture and loose objects have contype 1 and conaffinity 3; the robot's collision shapes have
contype 2 and conaffinity 1; so the robot touches the world. Links that can meet touch each other by named pairs;
`ArmKinematics.self_distance` measures the same shapes, so that postures and paths can keep out of it.

Cameras. `robot/head` sits where the real camera does (a simulated 256x256 camera with a wider view: 60 degrees
instead of 45 vertical). `robot/front`, `left`, `back`, `right` are a simulated ring that the real robot does not have:
the planner's four views, 90 degrees apart and 90 degrees wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.parts import Part, Vec3
from homie.envs.mujoco.house.contacts import PAD_SOLIMP, SOLIMP, SOLREF
from homie.envs.mujoco.robots.drive import add_base_drive, angle_unit
from homie.envs.mujoco.robots.fetch.fetch_model import BASE, COLLISIONS, LINKS, MEETING, VISUALS, JointFacts, LinkFacts
from homie.envs.mujoco.robots.limbs import PREFIX
from homie.kernel.body import Group, Joint, RobotSpec
from homie.kernel.types import VIEWS, Array

TORSO_JOINT = "torso_lift_joint"
HEAD_JOINTS = ("head_pan_joint", "head_tilt_joint")
ARM_JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "upperarm_roll_joint",
    "elbow_flex_joint",
    "forearm_roll_joint",
    "wrist_flex_joint",
    "wrist_roll_joint",
)
FINGERS = ("r_gripper_finger_joint", "l_gripper_finger_joint")
FINGER_PADS = ("r_gripper_finger_link", "l_gripper_finger_link")
"""Names (without prefix) of the two collision geoms that touch what is grasped, and of their bodies."""

FACTS: dict[str, JointFacts] = {link.joint.name: link.joint for link in LINKS if link.joint is not None}

REST: Array = np.array([0.05, 1.32, 1.40, -0.20, 1.72, 0.0, 1.66, 0.0])
"""Torso and arm for travelling empty: the arm folded in front of the torso, within the base's footprint."""

CARRY: Array = np.array([0.386, 1.147, 0.954, -0.008, 2.078, -1.624, 1.985, -1.690])
"""Torso and arm for travelling loaded: the gripper level before the torso, all within 0.42 m of the base's centre.

Of the two ways to hold the wrist so this is the one in which a thing in the hand keeps 5 cm from the robot's body on
the way from and to READY and its mirror image.
"""

READY: Array = np.array([0.386, 0.688, -0.711, -2.125, 2.072, -2.125, -1.411, 2.111])
"""Torso and arm raised before reaching: nothing of it lower than a counter top stands out in front.

Found by a search over postures for short, self-clear ways to REST, CARRY and typical reaching poses.
"""

MIRROR: Array = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Signs that turn a posture of torso and arm into its mirror image, left for right."""

_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
_VISUAL_GROUP, _COLLISION_GROUP = 2, 3

_FINGER_DAMPING = 350.0
"""N s/m: critical for the servo and the fingers' reflected inertia. Much damping on little inertia makes a grip
chatter: MuJoCo adds a joint's damping after it has solved for the contact forces, which then do not stop the finger.
"""

_PAD_FRICTION = (2.0, 0.02, 0.0001)

_RING_RADIUS = 0.26
"""Metres from the head's pan axis to the ring cameras: outside what the turning head sweeps, inside the footprint."""

_RING_HEIGHT = 0.7226
"""Metres above the torso's frame: 1.1 m above the floor with the torso down."""

_RING_PITCH = math.radians(20.0)

_WRIST_CAMERA = (-0.05, 0.0, 0.09)
"""In the gripper's frame, m: on the back of the hand. A real Fetch has none; policies for arms want one."""

_WRIST_PITCH = math.radians(25.0)
"""The finger tips stand in the lower half of the picture, what they reach for in its middle."""


def _joints(*names: str) -> tuple[Joint, ...]:
    return tuple(Joint(name, FACTS[name].lower, FACTS[name].upper, FACTS[name].speed) for name in names)


def _posture(q: Array) -> dict[str, Sequence[float]]:
    return {"torso": q[:1].tolist(), "arm": q[1:].tolist()}


SPEC = RobotSpec(
    name="fetch",
    groups=(
        Group.base(linear=1.0, angular=2.0, linear_acceleration=0.75, angular_acceleration=3.0),
        Group("torso", "torso", _joints(TORSO_JOINT)),
        Group("arm", "arm", _joints(*ARM_JOINTS)),
        Group("head", "head", _joints(*HEAD_JOINTS)),
        Group.gripper(
            opening=sum(FACTS[name].upper for name in FINGERS), speed=sum(FACTS[name].speed for name in FINGERS)
        ),
    ),
    period=0.04,
    footprint_radius=0.285,
    eye=(0.1, 0.0, 1.05),
    rest=_posture(REST),
    carry=_posture(CARRY),
    ready=(_posture(READY), _posture(MIRROR * READY)),
)
"""For skills and the safety gate. Joint speeds are the URDF's, the base's those of the public Fetch base controller."""


def add_fetch(spec: mujoco.MjSpec, pos: Vec3 = (0.0, 0.0, 0.0), yaw: float = 0.0) -> None:
    """Add a Fetch to a world, standing on the floor at `pos` (m) with heading `yaw` (rad).

    The joints' zero posture is the model's initial one; `set_posture` brings the arm to another.
    Compile with `implicitfast` and a time step of up to 5 ms.
    """
    base = spec.worldbody.add_body(
        name=PREFIX + BASE.name, pos=list(pos), quat=[math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
    )
    add_base_drive(spec, base, pos, yaw)
    bodies = {BASE.name: base}
    _dress(base, BASE)
    for link in LINKS:
        origin = link.origin if link.joint is None else link.joint.origin
        body = bodies[link.parent].add_body(name=PREFIX + link.name, pos=list(origin))
        bodies[link.name] = body
        if link.joint is not None:
            _add_joint(spec, body, link.joint)
        _dress(body, link)
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        name=PREFIX + "gripper_coupling",
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=PREFIX + FINGERS[0],
        name2=PREFIX + FINGERS[1],
        data=[0.0, 1.0] + [0.0] * (mujoco.mjNEQDATA - 2),  # b = 1 * a; how many there are depends on the version
    )
    _add_self_contacts(spec)
    bodies["gripper_link"].add_site(name=PREFIX + "gripper", size=[0.005, 0.005, 0.005], group=4)
    _add_cameras(bodies["head_tilt_link"], bodies["torso_lift_link"], bodies["gripper_link"])


def set_posture(model: mujoco.MjModel, data: mujoco.MjData, q: Array) -> None:
    """Put torso and arm at `q` (8,), joints and servo targets alike. For the start of an episode."""
    for name, value in zip((TORSO_JOINT, *ARM_JOINTS), q, strict=True):
        data.joint(PREFIX + name).qpos = value
        data.actuator(PREFIX + name).ctrl = value
    mujoco.mj_forward(model, data)


def _add_joint(spec: mujoco.MjSpec, body: mujoco.MjsBody, facts: JointFacts) -> None:
    name = PREFIX + facts.name
    kind = mujoco.mjtJoint.mjJNT_SLIDE if facts.kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
    joint = body.add_joint(name=name, type=kind, axis=list(facts.axis), armature=facts.armature)
    servo = spec.add_actuator(
        name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcerange=[-facts.effort, facts.effort]
    )
    if facts.name in FINGERS:
        joint.damping = [_FINGER_DAMPING, 0.0, 0.0]
        servo.set_to_position(kp=facts.stiffness)
    else:
        servo.set_to_position(kp=facts.stiffness, dampratio=1.0)
    if math.isfinite(facts.lower):
        joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        unit = angle_unit(spec) if facts.kind == "hinge" else 1.0
        joint.range = [facts.lower * unit, facts.upper * unit]
        servo.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
        servo.ctrlrange = [facts.lower, facts.upper]


def _dress(body: mujoco.MjsBody, link: LinkFacts) -> None:
    """Inertia, gravity compensation, what is seen and what touches."""
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = link.mass, list(link.com), list(link.inertia)
    body.gravcomp = 1.0
    for part in VISUALS.get(link.name, ()):
        geom = _add_geom(body, part)
        geom.contype, geom.conaffinity, geom.group = 0, 0, _VISUAL_GROUP
    for name, part in zip(_collision_names(link.name), COLLISIONS.get(link.name, ()), strict=True):
        geom = _add_geom(body, part)
        geom.name = name
        geom.contype, geom.conaffinity, geom.group = 2, 1, _COLLISION_GROUP
        if link.name in FINGER_PADS:
            geom.condim, geom.friction, geom.priority = 4, list(_PAD_FRICTION), 1
            geom.solref, geom.solimp[:5] = SOLREF, PAD_SOLIMP


def _add_self_contacts(spec: mujoco.MjSpec) -> None:
    """Named pairs rather than contact bits: most shapes are neighbours, or can never meet."""
    for one, other in MEETING:
        pair = spec.add_pair(name=f"{PREFIX}{one}|{other}", geomname1=PREFIX + one, geomname2=PREFIX + other, condim=1)
        pair.solref, pair.solimp[:5] = SOLREF, SOLIMP


def _collision_names(link: str) -> tuple[str, ...]:
    """Names of the shapes of a link that touch, with the prefix."""
    count = len(COLLISIONS.get(link, ()))
    return tuple(PREFIX + link + (f"_{number}" if number else "") for number in range(count))


def _add_geom(body: mujoco.MjsBody, part: Part) -> mujoco.MjsGeom:
    return body.add_geom(
        type=_SHAPES[part.shape],
        size=list(part.size),
        pos=list(part.pos),
        quat=list(part.quat),
        rgba=[*part.rgb, 1.0],
        mass=0.0,
    )


def _add_cameras(head: mujoco.MjsBody, torso: mujoco.MjsBody, gripper: mujoco.MjsBody) -> None:
    head.add_camera(
        name=PREFIX + "head", pos=[0.055, 0.0, 0.0225], quat=_looking(0.0, 0.0), fovy=60.0, resolution=[256, 256]
    )
    axis_x = FACTS["head_pan_joint"].origin[0]
    for number, view in enumerate(VIEWS):
        heading = number * math.pi / 2
        torso.add_camera(
            name=PREFIX + view,
            pos=[axis_x + _RING_RADIUS * math.cos(heading), _RING_RADIUS * math.sin(heading), _RING_HEIGHT],
            quat=_looking(heading, _RING_PITCH),
            fovy=90.0,
            resolution=[256, 256],
        )
    gripper.add_camera(
        name=PREFIX + "wrist",
        pos=list(_WRIST_CAMERA),
        quat=_looking(0.0, _WRIST_PITCH),
        fovy=90.0,
        resolution=[256, 256],
    )


def _looking(heading: float, pitch: float) -> list[float]:
    """Quaternion of a MuJoCo camera (looks along -z, y up) that looks along `heading`, `pitch` below the horizon."""
    ch, sh, cp, sp = math.cos(heading), math.sin(heading), math.cos(pitch), math.sin(pitch)
    forward = np.array([ch * cp, sh * cp, -sp])
    right = np.array([sh, -ch, 0.0])
    up = np.cross(right, forward)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, up, -forward], axis=1).ravel())
    return [float(v) for v in quat]

"""The Fetch as data: kinematic and inertial facts of its public URDF, and its shape in primitives.

Source of every origin, axis, limit, speed, effort, mass and inertia: the public Fetch URDF (fetch_description), as
packaged in mani-skill 3.0.1 (`robots/fetch/fetch.urdf`). Shapes are our own: boxes, cylinders and capsules as large as
the links are. Link frames are the URDF's: with all joints at 0 they are parallel to the base (x forward, z up).
Lengths in m, angles in rad, masses in kg, inertias in kg m2 (diagonal, about the centre of mass), forces in N or N m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from homie.envs.mujoco.blueprints.palette import RGB
from homie.envs.mujoco.blueprints.parts import Part, Quat, Vec3, block, disc, rod


@dataclass(frozen=True, slots=True)
class JointFacts:
    """A joint of the URDF with the gains of its servo.

    `origin` is in the parent link's frame, `axis` in both frames. Continuous joints have infinite limits. `stiffness`
    is the servo's gain (N/m or N m/rad), `armature` the reflected motor inertia (kg or kg m2).
    """

    name: str
    kind: Literal["slide", "hinge"]
    origin: Vec3
    axis: Vec3
    lower: float
    upper: float
    speed: float
    effort: float
    stiffness: float
    armature: float


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """A link of the URDF: the joint that carries it (None: fixed), its parent and its inertia."""

    name: str
    parent: str
    joint: JointFacts | None
    mass: float
    com: Vec3
    inertia: Vec3
    origin: Vec3 = (0.0, 0.0, 0.0)


X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)
INF = math.inf

BASE = LinkFacts("base_link", "", None, 92.1, (-0.0255, 0.0, 0.099), (6.5, 6.5, 1.7))
"""Base with wheels, fixed torso and laser in one: the sum's mass, centre of mass and inertia."""

# The head's motors are given 5 N m instead of 0.32 and 0.68: it is a camera mount here, and should not swing.
LINKS: tuple[LinkFacts, ...] = (
    LinkFacts(
        "torso_lift_link", "base_link",
        JointFacts("torso_lift_joint", "slide", (-0.086875, 0, 0.37743), Z, 0.0, 0.38615, 0.1, 450.0, 30000.0, 2.0),
        10.7796, (-0.0013, -0.0009, 0.2935), (0.3354, 0.3354, 0.0954),
    ),
    LinkFacts(
        "head_pan_link", "torso_lift_link",
        JointFacts("head_pan_joint", "hinge", (0.053125, 0, 0.603001), Z, -1.57, 1.57, 1.57, 5.0, 60.0, 0.05),
        2.2556, (0.0321, 0.0161, 0.0390), (0.0129, 0.0095, 0.0184),
    ),
    LinkFacts(
        "head_tilt_link", "head_pan_link",
        JointFacts("head_tilt_joint", "hinge", (0.14253, 0, 0.057999), Y, -0.76, 1.45, 1.57, 5.0, 60.0, 0.05),
        0.9087, (0.0081, 0.0025, 0.0113), (0.0061, 0.0014, 0.0061),
    ),
    LinkFacts(
        "shoulder_pan_link", "torso_lift_link",
        JointFacts("shoulder_pan_joint", "hinge", (0.119525, 0, 0.34858), Z, -1.6056, 1.6056, 1.256, 33.82,
                   4000.0, 1.0),
        2.5587, (0.0927, -0.0056, 0.0564), (0.0043, 0.0087, 0.0087),
    ),
    LinkFacts(
        "shoulder_lift_link", "shoulder_pan_link",
        JointFacts("shoulder_lift_joint", "hinge", (0.117, 0, 0.06), Y, -1.221, 1.518, 1.454, 131.76, 4000.0, 1.0),
        2.6615, (0.1432, 0.0072, -0.0001), (0.0028, 0.0111, 0.0112),
    ),
    LinkFacts(
        "upperarm_roll_link", "shoulder_lift_link",
        JointFacts("upperarm_roll_joint", "hinge", (0.219, 0, 0), X, -INF, INF, 1.571, 76.94, 2000.0, 0.5),
        2.3311, (0.1165, 0.0014, 0.0), (0.0019, 0.0045, 0.0047),
    ),
    LinkFacts(
        "elbow_flex_link", "upperarm_roll_link",
        JointFacts("elbow_flex_joint", "hinge", (0.133, 0, 0), Y, -2.251, 2.251, 1.521, 66.18, 2500.0, 0.5),
        2.1299, (0.1279, 0.0073, 0.0), (0.0024, 0.0082, 0.0084),
    ),
    LinkFacts(
        "forearm_roll_link", "elbow_flex_link",
        JointFacts("forearm_roll_joint", "hinge", (0.197, 0, 0), X, -INF, INF, 1.571, 29.35, 1000.0, 0.25),
        1.6563, (0.1097, -0.0266, 0.0), (0.0016, 0.0030, 0.0035),
    ),
    LinkFacts(
        "wrist_flex_link", "forearm_roll_link",
        JointFacts("wrist_flex_joint", "hinge", (0.1245, 0, 0), Y, -2.16, 2.16, 2.268, 25.7, 1000.0, 0.2),
        1.725, (0.0882, 0.0009, -0.0001), (0.0018, 0.0042, 0.0042),
    ),
    LinkFacts(
        "wrist_roll_link", "wrist_flex_link",
        JointFacts("wrist_roll_joint", "hinge", (0.1385, 0, 0), X, -INF, INF, 2.268, 7.36, 400.0, 0.1),
        0.1354, (0.0095, 0.0004, -0.0002), (0.0001, 0.0001, 0.0001),
    ),
    LinkFacts(
        "gripper_link", "wrist_roll_link", None,
        1.5175, (-0.0900, -0.0001, -0.0017), (0.0013, 0.0019, 0.0024), origin=(0.16645, 0, 0),
    ),
    LinkFacts(
        "r_gripper_finger_link", "gripper_link",
        JointFacts("r_gripper_finger_joint", "slide", (0, 0.015425, 0), Y, 0.0, 0.05, 0.05, 60.0, 10000.0, 3.0),
        0.0798, (-0.01, 0, 0), (0.0001, 0.0001, 0.0001),
    ),
    LinkFacts(
        "l_gripper_finger_link", "gripper_link",
        JointFacts("l_gripper_finger_joint", "slide", (0, -0.015425, 0), (0.0, -1.0, 0.0), 0.0, 0.05, 0.05, 60.0,
                   10000.0, 3.0),
        0.0798, (-0.01, 0, 0), (0.0001, 0.0001, 0.0001),
    ),
)  # fmt: skip
"""Every moving link, parents first. As in the URDF, `r` is the finger on the +y side.

The fingers' inertias fit their mass: the URDF's are twenty times too large for 80 g.
"""

FACE = -0.0154
"""The y of the inner face of the r finger in its link frame: closed fingers meet in the gripper's middle."""

WHITE: RGB = (0.92, 0.93, 0.94)
GREY: RGB = (0.60, 0.63, 0.66)
DARK: RGB = (0.20, 0.21, 0.23)
BLACK: RGB = (0.05, 0.05, 0.06)
BLUE: RGB = (0.06, 0.36, 0.74)
GLASS: RGB = (0.02, 0.10, 0.18)
EYE: RGB = (0.35, 0.75, 1.00)
RED: RGB = (0.80, 0.10, 0.10)

ALONG_X: Quat = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
ALONG_Y: Quat = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)


def _ring(x: float, radius: float, half: float, rgb: RGB, center: tuple[float, float] = (0.0, 0.0)) -> Part:
    """A disc across the x axis, `half` thick to both sides."""
    return Part("cylinder", (radius, half, 0.0), (x, *center), rgb, ALONG_X)


def _hub(y_half: float, radius: float, rgb: RGB, x: float = 0.0, z: float = 0.0) -> Part:
    """A disc across the y axis: the housing of a flex joint."""
    return Part("cylinder", (radius, y_half, 0.0), (x, 0.0, z), rgb, ALONG_Y)


def _knuckle(half: float, radius: float, x: float, z: float, rgb: RGB) -> Part:
    """The rounded housing of a flex joint: a capsule along y whose end centres are `half` off the axis."""
    return rod((x, -half, z), (x, half, z), radius, rgb)


def _finger(side: float) -> tuple[Part, ...]:
    """Finger on the +y (side 1) or -y (side -1) side; the dark pad is the part that touches."""
    inner, skin, outer = (side * y for y in (FACE, FACE + 0.006, FACE + 0.0138))
    low, high = min(skin, outer), max(skin, outer)
    return (
        block((-0.031, 0.031), (low, high), (-0.013, 0.013), GREY),
        block((-0.029, 0.031), (min(inner, skin), max(inner, skin)), (-0.0125, 0.0125), BLACK),
    )


VISUALS: dict[str, tuple[Part, ...]] = {
    "base_link": (
        disc(0, 0, (0.035, 0.09), 0.272, DARK),
        disc(0, 0, (0.09, 0.215), 0.281, WHITE),
        disc(0, 0, (0.215, 0.230), 0.2815, BLUE),
        disc(0, 0, (0.230, 0.265), 0.281, WHITE),
        disc(0, 0, (0.265, 0.305), 0.245, BLACK),
        disc(0, 0, (0.305, 0.345), 0.276, WHITE),
        disc(0, 0, (0.345, 0.358), 0.262, GREY),
        disc(0.235, 0, (0.268, 0.303), 0.038, DARK),
        _hub(0.02, 0.0625, BLACK, 0.0013, 0.0625),
        *(Part("cylinder", (0.0625, 0.02, 0.0), (0.0013, y, 0.0625), BLACK, ALONG_Y) for y in (-0.23, 0.23)),
        disc(0.2, 0, (0.0, 0.06), 0.03, BLACK),
        disc(-0.2, 0, (0.0, 0.06), 0.03, BLACK),
        block((-0.255, -0.119), (-0.15, 0.15), (0.355, 0.80), GREY),
        block((-0.257, -0.16), (-0.11, 0.11), (0.39, 0.76), DARK),
        disc(-0.125, 0.20, (0.355, 0.361), 0.022, RED),
    ),
    "torso_lift_link": (
        block((-0.03, 0.035), (-0.12, 0.12), (-0.30, 0.04), DARK),
        block((-0.185, -0.013), (-0.171, 0.171), (0.028, 0.545), WHITE),
        block((-0.10, 0.037), (-0.121, 0.121), (0.028, 0.545), WHITE),
        *(disc(-0.013, y, (0.028, 0.545), 0.05, WHITE) for y in (-0.121, 0.121)),
        block((0.030, 0.0385), (-0.085, 0.085), (0.055, 0.145), GREY),
        block((0.030, 0.0390), (-0.085, 0.085), (0.150, 0.158), BLUE),
        block((0.0, 0.1195), (-0.056, 0.056), (0.165, 0.31), GREY),
        disc(0.1195, 0, (0.165, 0.31), 0.056, GREY),
        block((-0.16, 0.04), (-0.15, 0.15), (0.545, 0.565), WHITE),
        disc(0.03, 0, (0.50, 0.565), 0.095, WHITE),
        block((-0.188, -0.180), (-0.11, 0.11), (0.33, 0.50), BLUE),
        disc(0.0531, 0, (0.56, 0.605), 0.07, DARK),
    ),
    "head_pan_link": (
        block((-0.115, 0.075), (-0.125, 0.125), (0.0, 0.095), WHITE),
        disc(-0.02, 0, (0.0, 0.109), 0.105, WHITE),
        *(rod((-0.095, y, 0.045), (0.145, y, 0.055), 0.03, WHITE) for y in (-0.115, 0.115)),
        *(Part("cylinder", (0.052, 0.012, 0.0), (0.1425, y, 0.058), GREY, ALONG_Y) for y in (-0.127, 0.127)),
    ),
    "head_tilt_link": (
        _hub(0.112, 0.046, DARK),
        block((-0.01, 0.044), (-0.105, 0.105), (-0.044, 0.050), DARK),
        block((0.040, 0.050), (-0.098, 0.098), (-0.032, 0.044), GLASS),
        *(_ring(0.050, 0.019, 0.0025, EYE, (y, 0.010)) for y in (-0.055, 0.055)),
        *(_ring(0.052, 0.011, 0.0025, BLACK, (y, 0.010)) for y in (-0.055, 0.055)),
    ),
    "shoulder_pan_link": (
        disc(0, 0, (-0.035, 0.10), 0.055, GREY),
        rod((0.0, 0.0, 0.06), (0.10, 0.0, 0.06), 0.056, WHITE),
        disc(0, 0, (0.10, 0.118), 0.052, BLUE),
        _knuckle(0.014, 0.058, 0.117, 0.06, WHITE),
        _hub(0.071, 0.018, DARK, 0.117, 0.06),
    ),
    "shoulder_lift_link": (
        rod((0.02, 0, 0), (0.14, 0, 0), 0.050, GREY),
        _ring(0.150, 0.054, 0.022, WHITE),
        _ring(0.178, 0.0515, 0.006, BLUE),
    ),
    "upperarm_roll_link": (
        _ring(-0.005, 0.052, 0.028, GREY),
        rod((0.02, 0, 0), (0.09, 0, 0), 0.049, WHITE),
        _knuckle(0.014, 0.053, 0.133, 0.0, WHITE),
        _hub(0.066, 0.016, DARK, 0.133),
    ),
    "elbow_flex_link": (
        rod((0.02, 0, 0), (0.12, 0, 0), 0.047, GREY),
        _ring(0.130, 0.051, 0.022, WHITE),
        _ring(0.158, 0.0485, 0.006, BLUE),
    ),
    "forearm_roll_link": (
        _ring(-0.005, 0.049, 0.026, GREY),
        rod((0.02, 0, 0), (0.085, 0, 0), 0.045, WHITE),
        _knuckle(0.012, 0.050, 0.1245, 0.0, WHITE),
        _hub(0.061, 0.015, DARK, 0.1245),
    ),
    "wrist_flex_link": (
        rod((0.01, 0, 0), (0.07, 0, 0), 0.043, GREY),
        _ring(0.088, 0.048, 0.022, WHITE),
    ),
    "wrist_roll_link": (_ring(-0.003, 0.050, 0.016, BLUE), _ring(0.016, 0.046, 0.006, GREY)),
    "gripper_link": (
        block((-0.150, -0.050), (-0.048, 0.048), (-0.034, 0.034), DARK),
        block((-0.080, -0.034), (-0.063, 0.063), (-0.030, 0.030), DARK),
        block((-0.052, -0.033), (-0.064, 0.064), (-0.012, 0.012), GREY),
        block((-0.135, -0.090), (-0.049, 0.049), (-0.020, 0.020), BLUE),
    ),
    "r_gripper_finger_link": _finger(1.0),
    "l_gripper_finger_link": _finger(-1.0),
}
"""What is seen, by link."""

COLLISIONS: dict[str, tuple[Part, ...]] = {
    "base_link": (
        disc(0, 0, (0.03, 0.36), 0.2815, GREY),
        block((-0.257, -0.119), (-0.155, 0.155), (0.35, 0.80), GREY),
    ),
    "torso_lift_link": (
        block((-0.188, 0.039), (-0.171, 0.171), (0.028, 0.58), GREY),
        block((0.039, 0.1755), (-0.056, 0.056), (0.165, 0.31), GREY),
        block((-0.065, 0.124), (-0.094, 0.094), (0.50, 0.605), GREY),
        block((-0.03, 0.035), (-0.12, 0.12), (-0.30, 0.028), GREY),
    ),
    "head_pan_link": (block((-0.125, 0.195), (-0.145, 0.145), (0.0, 0.11), GREY),),
    "head_tilt_link": (block((-0.046, 0.0545), (-0.112, 0.112), (-0.046, 0.050), GREY),),
    "shoulder_pan_link": (
        disc(0, 0, (-0.035, 0.118), 0.055, GREY),
        rod((0.0, 0.0, 0.06), (0.117, 0.0, 0.06), 0.058, GREY),
        _knuckle(0.014, 0.058, 0.117, 0.06, GREY),
    ),
    "shoulder_lift_link": (rod((0.0, 0.0, 0.0), (0.352, 0.0, 0.0), 0.054, GREY),),
    "upperarm_roll_link": (_knuckle(0.014, 0.053, 0.133, 0.0, GREY),),
    "elbow_flex_link": (rod((0.0, 0.0, 0.0), (0.3215, 0.0, 0.0), 0.051, GREY),),
    "forearm_roll_link": (_knuckle(0.012, 0.050, 0.1245, 0.0, GREY),),
    "wrist_flex_link": (rod((0.0, 0.0, 0.0), (0.10, 0.0, 0.0), 0.048, GREY),),
    "wrist_roll_link": (_ring(0.0005, 0.050, 0.0205, GREY),),
    "gripper_link": (block((-0.150, -0.033), (-0.064, 0.064), (-0.034, 0.034), GREY),),
    "r_gripper_finger_link": (block((-0.030, 0.031), (FACE, FACE + 0.0138), (-0.0125, 0.0125), GREY),),
    "l_gripper_finger_link": (block((-0.030, 0.031), (-FACE - 0.0138, -FACE), (-0.0125, 0.0125), GREY),),
}
"""What touches, by link: few and simple, for speed, and around all that is seen. A capsule covers a link together with
the one that rolls on it."""

_FOREARM, _HAND = ("elbow_flex_link",), ("wrist_flex_link", "gripper_link")
_FINGERS = ("r_gripper_finger_link", "l_gripper_finger_link")

MEETING: tuple[tuple[str, str], ...] = tuple(
    (shape, other)
    for shape, others in {
        "base_link": (*_FOREARM, *_HAND, *_FINGERS),
        "base_link_1": (*_FOREARM, *_HAND),  # the column
        "torso_lift_link": (*_FOREARM, *_HAND, *_FINGERS),
        "torso_lift_link_1": (*_FOREARM, *_HAND, *_FINGERS),  # the chest, from which the arm comes
        "torso_lift_link_2": (*_FOREARM, *_HAND, *_FINGERS),  # the neck
        "torso_lift_link_3": (*_FOREARM, *_HAND),  # what slides in the column
        "head_pan_link": ("shoulder_lift_link", *_FOREARM, *_HAND, *_FINGERS),
        "shoulder_pan_link_1": (*_FOREARM, *_HAND, *_FINGERS),
        "shoulder_lift_link": (*_HAND, *_FINGERS),
    }.items()
    for other in others
)
"""Pairs of shapes, by the names of links and numbers as in `COLLISIONS`, that can come to touch each other within the
joints' limits. Neighbours overlap by design, and the upper arm reaches neither base nor torso. A pair costs time in
every step, so the housings of elbow and wrist, which stand out of the arm by 13 mm, are left out."""

"""The Franka Panda as data: kinematic and inertial facts, and its shape in primitives.

Joint origins, limits, speeds and efforts are those of the manufacturer's public URDF (franka_description) and of its
manual; masses, centres of mass and inertias those identified by Gaz et al. (Dynamic identification of the Franka Emika
Panda robot, 2019). Shapes are our own: boxes, cylinders and capsules as large as the links are. Lengths in m, angles in
rad, masses in kg, inertias in kg m2 (xx, yy, zz, xy, xz, yz about the centre of mass), forces in N or N m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from homie.envs.mujoco.blueprints.palette import RGB
from homie.envs.mujoco.blueprints.parts import Part, Quat, Vec3, block, disc, rod


@dataclass(frozen=True, slots=True)
class PandaJoint:
    """A revolute joint about z of its link; the frame of the link is turned by `roll` about x of the one before."""

    origin: Vec3
    roll: float
    lower: float
    upper: float
    speed: float
    effort: float
    stiffness: float


@dataclass(frozen=True, slots=True)
class PandaLink:
    """What a link weighs. `inertia` is (xx, yy, zz, xy, xz, yz)."""

    mass: float
    com: Vec3
    inertia: tuple[float, float, float, float, float, float]


_UP, _DOWN = math.pi / 2, -math.pi / 2

JOINTS: tuple[PandaJoint, ...] = (
    PandaJoint((0.0, 0.0, 0.333), 0.0, -2.8973, 2.8973, 2.175, 87.0, 4500.0),
    PandaJoint((0.0, 0.0, 0.0), _DOWN, -1.7628, 1.7628, 2.175, 87.0, 4500.0),
    PandaJoint((0.0, -0.316, 0.0), _UP, -2.8973, 2.8973, 2.175, 87.0, 3500.0),
    PandaJoint((0.0825, 0.0, 0.0), _UP, -3.0718, -0.0698, 2.175, 87.0, 3500.0),
    PandaJoint((-0.0825, 0.384, 0.0), _DOWN, -2.8973, 2.8973, 2.61, 12.0, 2000.0),
    PandaJoint((0.0, 0.0, 0.0), _UP, -0.0175, 3.7525, 2.61, 12.0, 2000.0),
    PandaJoint((0.088, 0.0, 0.0), _UP, -2.8973, 2.8973, 2.61, 12.0, 2000.0),
)

FLANGE = 0.107
"""Metres from the last joint's frame to the flange, along its z."""
HAND_TURN = -math.pi / 4
"""The hand is mounted on the flange, turned about z by this (rad)."""
FINGER = 0.0584
"""Metres from the hand's frame to the fingers', along z."""
TOOL = 0.1034
"""Metres from the hand's frame to the middle between the finger tips: the tool centre point."""
FINGER_RANGE, FINGER_SPEED, FINGER_EFFORT = 0.04, 0.1, 30.0
"""Travel of one finger (m), its speed (m/s), and the force of both together (N), of 70 that the real hand can give."""

LINKS: tuple[PandaLink, ...] = (
    PandaLink(4.970684, (0.003875, 0.002081, -0.04762), (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169)),
    PandaLink(0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704)),
    PandaLink(
        3.228604, (0.027518, 0.039252, -0.066502), (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805)
    ),
    PandaLink(3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641)),
    PandaLink(
        1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229)
    ),
    PandaLink(
        1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341)
    ),
    PandaLink(
        0.735522, (0.010517, -0.004252, 0.061597), (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741)
    ),
)
HAND = PandaLink(0.73, (-0.01, 0.0, 0.03), (0.001, 0.0025, 0.0017, 0.0, 0.0, 0.0))
FINGER_LINK = PandaLink(0.015, (0.0, 0.0, 0.02), (2.4e-6, 2.4e-6, 7.5e-7, 0.0, 0.0, 0.0))

WHITE: RGB = (0.93, 0.94, 0.95)
GREY: RGB = (0.62, 0.65, 0.69)
DARK: RGB = (0.20, 0.21, 0.24)
BLUE: RGB = (0.10, 0.42, 0.78)

_ALONG_Y: Quat = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)


def _hub(at: Vec3, radius: float, half: float, rgb: RGB) -> Part:
    """A cylinder about the joint axis of the next link, which is y here."""
    return Part("cylinder", (radius, half, 0.0), at, rgb, _ALONG_Y)


def _barrel(at: Vec3, radius: float, half: float, rgb: RGB) -> Part:
    """A cylinder along z."""
    return Part("cylinder", (radius, half, 0.0), at, rgb)


_FOREARM = (-0.0825, 0.09, 0.0)

VISUALS: dict[str, tuple[Part, ...]] = {
    "panda_link0": (
        block((-0.14, 0.075), (-0.095, 0.095), (0.0, 0.03), GREY),
        block((-0.13, 0.0), (-0.075, 0.075), (0.03, 0.085), WHITE),
        disc(0.0, 0.0, (0.03, 0.125), 0.08, WHITE),
        disc(0.0, 0.0, (0.125, 0.142), 0.066, DARK),
        block((-0.141, -0.128), (-0.045, 0.045), (0.035, 0.07), DARK),
    ),
    "panda_link1": (
        disc(0.0, 0.0, (-0.19, -0.03), 0.062, WHITE),
        disc(0.0, 0.0, (-0.178, -0.170), 0.0635, BLUE),
        _hub((0.0, 0.0, 0.0), 0.064, 0.062, WHITE),
        _hub((0.0, 0.0, 0.0), 0.050, 0.068, DARK),
    ),
    "panda_link2": (
        _barrel((0.0, 0.0, 0.0), 0.060, 0.090, WHITE),
        _barrel((0.0, 0.0, 0.0), 0.046, 0.0955, GREY),
        rod((0.0, -0.02, 0.0), (0.0, -0.15, 0.0), 0.060, WHITE),
        Part("cylinder", (0.0615, 0.012, 0.0), (0.0, -0.188, 0.0), DARK, _ALONG_Y),
    ),
    "panda_link3": (
        disc(0.0, 0.0, (-0.115, -0.03), 0.058, WHITE),
        rod((0.0, 0.0, -0.04), (0.0825, 0.0, 0.0), 0.055, WHITE),
        _hub((0.0825, 0.0, 0.0), 0.057, 0.058, WHITE),
        _hub((0.0825, 0.0, 0.0), 0.042, 0.064, DARK),
    ),
    "panda_link4": (
        _barrel((0.0, 0.0, 0.0), 0.054, 0.084, WHITE),
        _barrel((0.0, 0.0, 0.0), 0.040, 0.0895, GREY),
        rod((0.0, 0.01, 0.0), _FOREARM, 0.053, WHITE),
        Part("cylinder", (0.0565, 0.012, 0.0), (-0.0825, 0.125, 0.0), DARK, _ALONG_Y),
    ),
    "panda_link5": (
        rod((0.0, 0.0, -0.215), (0.0, 0.048, -0.12), 0.052, WHITE),
        rod((0.0, 0.052, -0.13), (0.0, 0.03, -0.01), 0.043, WHITE),
        rod((0.0, 0.052, -0.13), (0.0, 0.0, 0.0), 0.040, WHITE),
        _hub((0.0, 0.0, 0.0), 0.051, 0.066, WHITE),
        _hub((0.0, 0.0, 0.0), 0.038, 0.072, DARK),
    ),
    "panda_link6": (
        _barrel((0.0, 0.0, 0.0), 0.049, 0.060, GREY),
        rod((0.0, 0.0, 0.0), (0.088, 0.0, 0.0), 0.046, WHITE),
        _hub((0.088, 0.01, 0.0), 0.051, 0.052, WHITE),
        _hub((0.088, 0.062, 0.0), 0.036, 0.004, BLUE),
    ),
    "panda_link7": (
        disc(0.0, 0.0, (0.03, 0.095), 0.045, WHITE),
        disc(0.0, 0.0, (0.088, FLANGE), 0.0325, DARK),
        block((0.03, 0.062), (-0.02, 0.02), (0.07, 0.092), WHITE),
    ),
    "panda_hand": (
        block((-0.024, 0.024), (-0.102, 0.102), (0.012, 0.058), WHITE),
        block((-0.021, 0.021), (-0.098, 0.098), (0.0, 0.012), DARK),
        block((-0.018, 0.018), (-0.085, 0.085), (0.058, 0.066), DARK),
    ),
    "panda_leftfinger": (
        block((-0.0105, 0.0105), (0.004, 0.023), (0.0, 0.022), GREY),
        block((-0.0105, 0.0105), (0.0, 0.013), (0.018, 0.0538), DARK),
    ),
    "panda_rightfinger": (
        block((-0.0105, 0.0105), (-0.023, -0.004), (0.0, 0.022), GREY),
        block((-0.0105, 0.0105), (-0.013, 0.0), (0.018, 0.0538), DARK),
    ),
}
"""What is seen, by link."""

COLLISIONS: dict[str, tuple[Part, ...]] = {
    "panda_link0": (disc(0.0, 0.0, (0.005, 0.14), 0.09, GREY),),
    "panda_link1": (rod((0.0, 0.0, -0.14), (0.0, 0.0, 0.0), 0.065, GREY),),
    "panda_link2": (rod((0.0, 0.0, 0.0), (0.0, -0.15, 0.0), 0.062, GREY), _barrel((0.0, 0.0, 0.0), 0.06, 0.09, GREY)),
    "panda_link3": (rod((0.0, 0.0, -0.07), (0.0825, 0.0, 0.0), 0.058, GREY),),
    "panda_link4": (rod((0.0, 0.0, 0.0), _FOREARM, 0.056, GREY), _barrel((0.0, 0.0, 0.0), 0.054, 0.085, GREY)),
    "panda_link5": (
        rod((0.0, 0.0, -0.215), (0.0, 0.05, -0.12), 0.053, GREY),
        rod((0.0, 0.05, -0.12), (0.0, 0.0, 0.0), 0.05, GREY),
    ),
    "panda_link6": (rod((0.0, 0.0, 0.0), (0.088, 0.0, 0.0), 0.05, GREY),),
    "panda_link7": (rod((0.0, 0.0, 0.03), (0.0, 0.0, 0.065), 0.045, GREY),),
    "panda_hand": (block((-0.024, 0.024), (-0.102, 0.102), (0.0, 0.066), GREY),),
    "panda_leftfinger": (block((-0.0105, 0.0105), (0.0, 0.016), (0.012, 0.0538), GREY),),
    "panda_rightfinger": (block((-0.0105, 0.0105), (-0.016, 0.0), (0.012, 0.0538), GREY),),
}
"""What touches, by link: few and simple. The first of a finger is its pad."""

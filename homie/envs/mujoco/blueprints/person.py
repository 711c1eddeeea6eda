"""A mannequin made of primitives: a person who stands or sits, and may point at something or hold out a hand.

Frame: origin on the floor at the centre of the footprint, x to the front, y to the left, z up; metres. Sizes are those
of a person 1.70 m tall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from homie.envs.mujoco.blueprints.materials import COLOURS, DARK, RGB
from homie.envs.mujoco.blueprints.parts import Part, Span, Vec3, ball, block, disc, rod

Posture: TypeAlias = Literal["standing", "sitting"]
Gesture: TypeAlias = Literal["none", "pointing", "hand_out"]

KIND = "person"
"""The kind of every person for detectors and goals."""
SKIN: RGB = (0.86, 0.66, 0.53)
HAIR: RGB = (0.24, 0.15, 0.09)
TROUSERS: RGB = (0.22, 0.25, 0.33)
HALF_X, HALF_Y = 0.24, 0.31
"""Half sizes (m) of the footprint, without a stretched arm."""

SINKS, BACK = 0.36, 0.14
"""Metres by which the trunk of a sitting person is lower and further back than that of a standing person."""
SHOULDER: Vec3 = (0.0, 0.22, 1.36)
"""Position of the left shoulder of a standing person."""
ARM = 0.62
"""Metres from the shoulder to the fingertips of a straight arm."""
PALM = 0.05
"""Radius (m) of a palm that is held out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mannequin:
    """The shape of a person.

    Attributes:
        eyes: Point between the eyes (3,).
        palm: Centre (3,) of the upper side of the hand that is held out, None if none is.
        height: Height of the top of the head (m).
    """

    parts: tuple[Part, ...]
    eyes: Vec3
    height: float
    palm: Vec3 | None = None


@lru_cache(maxsize=64)
def mannequin(posture: Posture, gesture: Gesture, colour: str, towards: Vec3 = (1.0, 0.0, 1.36)) -> Mannequin:
    """The shape of a person.

    Args:
        posture: A sitting person comes with a stool.
        gesture: Gesture of the right arm; of the left arm if the target of pointing is on the left.
        colour: Colour of the shirt, a key of `COLOURS`.
        towards: Point (3,) that a pointing person points at.

    Example:
        >>> mannequin("standing", "hand_out", "red").palm
        (0.44, -0.14, 1.0)
    """
    shirt = COLOURS[colour]
    sits = posture == "sitting"
    x, z = (-BACK, -SINKS) if sits else (0.0, 0.0)
    trunk = [part.moved(x=x, z=z) for part in _trunk(shirt)]
    left, right = _moved(SHOULDER, x, z), _moved((SHOULDER[0], -SHOULDER[1], SHOULDER[2]), x, z)
    palm: Vec3 | None = None
    arms: list[Part] = []
    if gesture == "pointing" and towards[1] > 0.0:
        arms = [*_straight(left, towards, shirt), *_resting(right, -1.0, shirt, sits=sits)]
    elif gesture == "pointing":
        arms = [*_straight(right, towards, shirt), *_resting(left, 1.0, shirt, sits=sits)]
    elif gesture == "hand_out":
        palm = (0.44, -0.14, 0.86 if sits else 1.0)
        arms = [*_held_out(right, palm, shirt), *_resting(left, 1.0, shirt, sits=sits)]
    else:
        arms = [*_resting(left, 1.0, shirt, sits=sits), *_resting(right, -1.0, shirt, sits=sits)]
    parts = (*(_sitting() if sits else _standing()), *trunk, *arms)
    return Mannequin(parts=parts, eyes=(0.1 + x, 0.0, 1.6 + z), height=1.7 + z, palm=palm)


def _moved(point: Vec3, x: float, z: float) -> Vec3:
    return (point[0] + x, point[1], point[2] + z)


def _trunk(shirt: RGB) -> list[Part]:
    sides: Span = (-0.14, 0.14)
    return [
        block((-0.1, 0.1), (-0.16, 0.16), (0.8, 0.96), TROUSERS, finish="fabric"),
        block((-0.1, 0.1), (-0.17, 0.17), (0.96, 1.34), shirt, finish="fabric"),
        rod((0.0, sides[0], 1.34), (0.0, sides[1], 1.34), 0.09, shirt, finish="fabric"),
        rod((0.0, 0.0, 1.4), (0.0, 0.0, 1.5), 0.05, SKIN),
        Part("ellipsoid", (0.1, 0.085, 0.13), (0.01, 0.0, 1.57), SKIN),
        Part("ellipsoid", (0.11, 0.095, 0.11), (-0.015, 0.0, 1.6), HAIR, solid=False),
        *(ball(0.098, side, 1.6, 0.014, DARK, solid=False) for side in (-0.035, 0.035)),
        ball(0.112, 0.0, 1.565, 0.016, SKIN, solid=False),
    ]


def _standing() -> list[Part]:
    legs: list[Part] = []
    for side in (-0.09, 0.09):
        legs.append(rod((0.0, side, 0.12), (0.0, side, 0.8), 0.075, TROUSERS, finish="fabric"))
        legs.append(block((-0.08, 0.17), (side - 0.05, side + 0.05), (0.0, 0.08), DARK))
    return legs


def _sitting() -> list[Part]:
    """Legs on a stool, whose seat is at the lower end of the trunk."""
    seat = 0.8 - SINKS
    parts = [block((-BACK - 0.1, -BACK + 0.18), (-0.17, 0.17), (0.0, seat), COLOURS["wood"], finish="grain")]
    thigh = seat + 0.07
    for side in (-0.09, 0.09):
        parts.append(rod((-BACK, side, thigh), (0.2, side, thigh), 0.075, TROUSERS, finish="fabric"))
        parts.append(rod((0.2, side, 0.12), (0.2, side, thigh), 0.065, TROUSERS, finish="fabric"))
        parts.append(block((0.13, 0.36), (side - 0.05, side + 0.05), (0.0, 0.08), DARK))
    return parts


def _limb(shoulder: Vec3, elbow: Vec3, wrist: Vec3, shirt: RGB) -> list[Part]:
    upper = rod(shoulder, elbow, 0.05, shirt, finish="fabric")
    return [upper, rod(elbow, wrist, 0.038, SKIN), ball(*wrist, 0.045, SKIN)]


def _resting(shoulder: Vec3, side: float, shirt: RGB, *, sits: bool) -> list[Part]:
    """An arm that hangs down, or rests on the thigh of a sitting person."""
    x, y, z = shoulder
    elbow = (x, y + 0.035 * side, z - 0.28)
    wrist = (x + 0.24, y - 0.08 * side, z - 0.39) if sits else (x + 0.05, y + 0.04 * side, z - 0.52)
    return _limb(shoulder, elbow, wrist, shirt)


def _straight(shoulder: Vec3, towards: Vec3, shirt: RGB) -> list[Part]:
    """An arm that points at something, but never backwards through the trunk."""
    to_target = [b - a for a, b in zip(shoulder, towards, strict=True)]
    to_target[0] = max(to_target[0], 0.05)
    length = math.sqrt(sum(v * v for v in to_target))
    at = [
        tuple(a + share * ARM * v / length for a, v in zip(shoulder, to_target, strict=True))
        for share in (0.45, 0.85, 1)
    ]
    elbow, wrist, tip = ((point[0], point[1], point[2]) for point in at)
    return [*_limb(shoulder, elbow, wrist, shirt), rod(wrist, tip, 0.014, SKIN)]


def _held_out(shoulder: Vec3, palm: Vec3, shirt: RGB) -> list[Part]:
    """An arm with a flat hand in front, palm up."""
    x, y, z = palm
    wrist = (x - 0.08, y, z - 0.03)
    elbow = (shoulder[0] + 0.12, shoulder[1] - 0.03, shoulder[2] - 0.26)
    hand = disc(x, y, (z - 0.02, z), PALM, SKIN)
    fingers = block((x + 0.02, x + 0.1), (y - 0.035, y + 0.035), (z - 0.018, z - 0.004), SKIN)
    limb = [replace(part, size=(0.03, *part.size[1:])) if part.shape == "sphere" else part
            for part in _limb(shoulder, elbow, wrist, shirt)]  # fmt: skip
    return [*limb, hand, fingers]

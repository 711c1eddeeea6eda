"""Shapes of objects that the household verbs of a kitchen need: a knife, a plate, bread, tomatoes, potatoes."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.materials import LEAF, RGB, STEEL, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import SKIN, centred, product, tin
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, ball, block, disc, turned

RIM = 0.3
"""Angle (rad) at which the rim of a plate rises outwards."""


def knife(mass: float, rgb: RGB) -> ObjectPlan:
    """Lies along x: a broad steel blade to +x, a thick handle with rivets, at which it is grasped."""
    handle, blade, y, h = 0.115, 0.13, 0.014, 0.022
    x0 = -(handle + blade) / 2
    parts = [
        block((x0, x0 + handle), (-y, y), (0.0, h), rgb, mass=mass * 0.6),
        block(
            (x0 + handle, x0 + handle + blade - 0.03), (-y, y), (0.004, 0.01), STEEL, mass=mass * 0.4, finish="metal"
        ),
        Part(
            "ellipsoid",
            (0.055, y, 0.003),
            (x0 + handle + blade - 0.055, 0.0, 0.007),
            STEEL,
            solid=False,
            finish="metal",
        ),
        *(disc(x0 + k, 0.0, (h, h + SKIN), 0.005, STEEL, solid=False) for k in (0.025, 0.06, 0.095)),
    ]
    return centred(((handle + blade) / 2, y, h / 2), parts)


def plate(mass: float, rgb: RGB) -> ObjectPlan:
    """Flat, 0.2 m across, with a raised rim in a darker colour."""
    r, h, n = 0.1, 0.022, 16
    parts = [*tin(0.0, (0.0, 0.012), r * 0.72, rgb, mass=mass * 0.6)]
    width = r * math.tan(math.pi / n)
    for k in range(n):
        turn = 2 * math.pi * k / n
        pos = (0.85 * r * math.cos(turn), 0.85 * r * math.sin(turn), h / 2 + 0.001)
        quat = product(turned(turn), (math.cos(RIM / 2), 0.0, -math.sin(RIM / 2), 0.0))
        parts.append(
            Part("box", (0.018, width * 0.95, 0.003), pos, shade(rgb, 0.8), quat, mass=mass * 0.4 / n, finish="gloss")
        )
    return centred((r, r, h / 2), parts)


def bread(mass: float, rgb: RGB) -> ObjectPlan:
    """A loaf along x with a round crust and three cuts."""
    x, y, h = 0.085, 0.042, 0.075
    parts = [
        block((-x, x), (-y, y), (0.0, h * 0.62), rgb, mass=mass),
        Part("ellipsoid", (x, y, h * 0.42), (0.0, 0.0, h * 0.58), rgb, solid=False),
        *(
            Part(
                "capsule",
                (0.004, 0.022, 0.0),
                (k, 0.0, h * 0.985 - abs(k) * 0.14),
                (0.9, 0.74, 0.46),
                _CUT,
                solid=False,
            )
            for k in (-0.04, 0.0, 0.04)
        ),
    ]
    return centred((x, y, h / 2), parts)


_CUT = (math.cos(math.pi / 4), math.sin(math.pi / 4) * 0.9, math.sin(math.pi / 4) * 0.436, 0.0)
"""Orientation of the cuts: across the loaf, slightly tilted."""


def tomato(mass: float, rgb: RGB) -> ObjectPlan:
    """Round, flatter than an apple, with a green star on top."""
    r = 0.033
    parts = [ball(0.0, 0.0, r, r, rgb, mass=mass, finish="gloss")]
    parts += [Part("ellipsoid", (r * 1.12, r * 1.12, r * 0.9), (0.0, 0.0, r), rgb, solid=False, finish="gloss")]
    for k in range(5):
        turn = 2 * math.pi * k / 5
        leaf = (0.012 * math.cos(turn), 0.012 * math.sin(turn), 2 * r - 0.003)
        parts.append(Part("ellipsoid", (0.012, 0.004, 0.003), leaf, LEAF, turned(turn), solid=False))
    return centred((r, r, r), parts, rolls=True)


def potato(mass: float, rgb: RGB) -> ObjectPlan:
    """Longish and uneven, with dark eyes."""
    r, spacing = 0.03, 0.018
    parts = [
        ball(-spacing, 0.0, r, r, rgb, mass=mass * 0.5),
        ball(spacing, 0.0, r, r, rgb, mass=mass * 0.5),
        Part("ellipsoid", (r + spacing, r * 1.05, r * 1.02), (0.0, 0.0, r), rgb, solid=False),
        *(
            ball(x, y, z, 0.003, shade(rgb, 0.5), solid=False)
            for x, y, z in (
                (-0.02, 0.012, 0.055),
                (0.018, -0.014, 0.055),
                (0.03, 0.016, 0.04),
                (0.0, 0.0, 0.0605),
                (-0.035, -0.012, 0.042),
            )
        ),
    ]
    return centred((r + spacing, r, r), parts, rolls=True)


KINDS = (
    ObjectKind("knife", lambda c: knife(0.09, c), ("black", "brown"), ("kitchen knife",), ("dish", "small"), "metal"),
    ObjectKind("plate", lambda c: plate(0.28, c), ("white", "blue", "green"), ("dinner plate",), ("dish",), "ceramic"),
    ObjectKind(
        "bread", lambda c: bread(0.25, (0.70, 0.44, 0.18)), ("brown",), ("loaf", "loaf of bread"), ("food",), "bakery"
    ),
    ObjectKind("tomato", lambda c: tomato(0.09, c), ("red",), ("vegetable",), ("fruit",), "produce"),
    ObjectKind("potato", lambda c: potato(0.12, (0.67, 0.52, 0.31)), ("brown",), ("vegetable",), ("fruit",), "produce"),
)
"""The kinds of this file."""

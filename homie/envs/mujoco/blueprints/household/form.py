"""Helpers for the shapes of household objects: a few simple collision solids, and visual parts around them.

Visual parts do not collide. So a carrot lies still on its hidden box, and a fork with four tines costs the physics only
two boxes. Objects that lie extend along x, z is up; all shapes are defined standing on z = 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from homie.envs.mujoco.blueprints.extents import span
from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.blueprints.parts import (
    UPRIGHT,
    Hollow,
    ObjectPlan,
    Part,
    Quat,
    Span,
    Vec3,
    block,
    disc,
    rod,
    turned,
)

ALONG_X: Quat = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
ALONG_Y: Quat = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Rotations that lay the axis of a cylinder along x and along y."""


def form(
    solid: Sequence[Part], drawn: Iterable[Part] = (), *, rolls: bool = False, hollow: Hollow | None = None
) -> ObjectPlan:
    """Make a plan of parts that collide and have mass and of visual parts, centred on the collision bounding box."""
    low, high = span(ObjectPlan((0.0, 0.0, 0.0), tuple(solid)), np.eye(3))
    half, middle = (high - low) / 2, (high + low) / 2
    x, y, z = (-float(value) for value in middle)
    parts = [*solid, *(replace(part, solid=False, mass=0.0) for part in drawn)]
    if hollow is not None:
        a, b, c = hollow.center
        hollow = replace(hollow, center=(a + x, b + y, c + z))
    size = (float(half[0]), float(half[1]), float(half[2]))
    return ObjectPlan(size, tuple(part.moved(x, y, z) for part in parts), rolls, hollow)


def core(x: Span, y: Span, z: Span, rgb: RGB, mass: float) -> Part:
    """A hidden collision box. It has the object's colour because other shapes, such as slices, are derived from it."""
    return block(x, y, z, rgb, hidden=True, mass=mass)


def oval(at: Vec3, size: Vec3, rgb: RGB, turn: Quat = UPRIGHT) -> Part:
    """An ellipsoid around a point, with its half sizes."""
    return Part("ellipsoid", size, at, rgb, turn, finish="gloss")


def lathe(rgb: RGB, *rings: tuple[float, float, float], x: float = 0.0, y: float = 0.0) -> list[Part]:
    """Stacked discs, each (lower z, upper z, radius)."""
    return [disc(x, y, (low, high), radius, rgb, finish="gloss") for low, high, radius in rings]


def lying_disc(x: Span, y: float, z: float, radius: float, rgb: RGB) -> Part:
    """A cylinder along x."""
    return Part("cylinder", (radius, (x[1] - x[0]) / 2, 0.0), ((x[0] + x[1]) / 2, y, z), rgb, ALONG_X, finish="gloss")


def wheel(x: float, y: Span, z: float, radius: float, rgb: RGB) -> Part:
    """A cylinder along y."""
    return Part("cylinder", (radius, (y[1] - y[0]) / 2, 0.0), (x, (y[0] + y[1]) / 2, z), rgb, ALONG_Y, finish="gloss")


def bent(points: Sequence[Vec3], radius: float, rgb: RGB, mass: float = 0.0) -> list[Part]:
    """A rod through points, with a total mass of `mass`."""
    pairs = list(pairwise(points))
    return [rod(a, b, radius, rgb, mass=mass / len(pairs), finish="gloss") for a, b in pairs]


def loop(
    center: Vec3, radius: float, ends: Span = (0.0, 2 * math.pi), *, steps: int = 10, flat: bool = False
) -> list[Vec3]:
    """Points of an arc in the xz plane, or in the xy plane if `flat`; angles (rad) from +x."""
    angles = [ends[0] + (ends[1] - ends[0]) * k / steps for k in range(steps + 1)]
    x, y, z = center
    if flat:
        return [(x + radius * math.cos(a), y + radius * math.sin(a), z) for a in angles]
    return [(x + radius * math.cos(a), y, z + radius * math.sin(a)) for a in angles]


def wall(radius: float, z: Span, thick: float, rgb: RGB, mass: float, *, staves: int = 12) -> list[Part]:
    """The upright wall of a vessel: a ring of boxes with outer radius `radius`."""
    width = radius * math.tan(math.pi / staves)
    parts = []
    for k in range(staves):
        turn = 2 * math.pi * k / staves
        x, y = (radius - thick / 2) * math.cos(turn), (radius - thick / 2) * math.sin(turn)
        size, at = (thick / 2, width, (z[1] - z[0]) / 2), (x, y, (z[0] + z[1]) / 2)
        parts.append(Part("box", size, at, rgb, turned(turn), mass=mass / staves, finish="gloss"))
    return parts


def cup_of(radius: float, height: float, floor: float, thick: float) -> Hollow:
    """The hollow inside an upright wall above a floor."""
    inner = radius - thick
    return Hollow((0.0, 0.0, floor), height - floor, inner, inner)


def written(x: Span, y: Span, z: float, rgb: RGB, lines: int) -> list[Part]:
    """Lines of print on a flat page: each runs along y, one after the other along x."""
    step = (x[1] - x[0]) / lines
    return [
        block((x[0] + step * k, x[0] + step * (k + 0.45)), (y[0], y[1] if k % 3 else y[1] * 0.6), (z, z + 0.0006), rgb)
        for k in range(lines)
    ]

"""Blueprints of the YCB objects: defined standing on z = 0, then centred on their bounding box."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from homie.envs.mujoco.blueprints.materials import LEAF, RGB, STEM, shade
from homie.envs.mujoco.blueprints.parts import (
    Hollow,
    ObjectPlan,
    Part,
    Quat,
    Span,
    Vec3,
    ball,
    block,
    disc,
    rod,
    turned,
)

SILVER: RGB = (0.72, 0.73, 0.75)
SKIN = 0.0006
"""Distance (m) of a label from the surface below it, so that it is rendered in front."""
FOOT = 0.0005
"""Distance (m) of the flat ends of a cylinder from its support: a hidden box carries it instead."""


def centred(half: Vec3, parts: list[Part], rolls: bool = False, hollow: Hollow | None = None) -> ObjectPlan:
    """Make a plan of parts that stand on z = 0."""
    return ObjectPlan(half, tuple(part.moved(z=-half[2]) for part in parts), rolls, hollow)


def tin(x: float, z: Span, radius: float, rgb: RGB, **options: object) -> tuple[Part, Part]:
    """A solid cylinder that stands still.

    MuJoCo computes only one contact at a time between a cylinder and a box, so that the cylinder rocks. So an invisible
    box inscribed in the cylinder, half a millimetre longer at both ends, carries it.
    """
    core = radius * 0.7
    stand = block((x - core, x + core), (-core, core), z, rgb, hidden=True)
    return disc(x, 0.0, (z[0] + FOOT, z[1] - FOOT), radius, rgb, **options), stand


def can(diameter: float, height: float, mass: float, label: RGB, band: RGB) -> ObjectPlan:
    """A tin: silver body, coloured label with a lighter band."""
    r = diameter / 2
    edge = min(0.012, height * 0.16)
    parts = [
        *tin(0.0, (0.0, height), r, SILVER, mass=mass, finish="metal"),
        disc(0.0, 0.0, (edge, height - edge), r + SKIN, label, solid=False),
        disc(0.0, 0.0, (height * 0.52, height * 0.72), r + 2 * SKIN, band, solid=False),
        disc(0.0, 0.0, (height, height + SKIN), r * 0.85, shade(SILVER, 0.85), solid=False, finish="metal"),
    ]
    return centred((r, r, height / 2), parts)


def carton(size: Vec3, mass: float, colour: RGB, panel: RGB, dot: RGB) -> ObjectPlan:
    """A box with a panel and a dot on both large faces, +x and -x. `size` is thickness, width, height."""
    x, y, h = size[0] / 2, size[1] / 2, size[2]
    parts = [
        block((-x, x), (-y, y), (0.0, h), colour, mass=mass),
        block((-x - SKIN, x + SKIN), (-y * 0.8, y * 0.8), (h * 0.56, h * 0.88), panel, solid=False),
        block((-x - SKIN, x + SKIN), (-y * 0.8, y * 0.8), (h * 0.1, h * 0.16), panel, solid=False),
        Part("cylinder", (min(y, h * 0.2) * 0.6, x + 2 * SKIN, 0.0), (0.0, 0.0, h * 0.35), dot, _ALONG_X, solid=False),
        block((-x * 0.6, x * 0.6), (-y - SKIN, y + SKIN), (h * 0.15, h * 0.85), shade(colour, 0.85), solid=False),
    ]
    return centred((x, y, h / 2), parts)


_ALONG_X: Quat = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


def bottle(size: Vec3, mass: float, colour: RGB, label: RGB, cap: RGB) -> ObjectPlan:
    """A flat bottle with shoulders, a neck and a cap. `size` is thickness, width, height."""
    x, y, h = size[0] / 2, size[1] / 2, size[2]
    body, shoulder = h * 0.68, h * 0.8
    parts = [
        block((-x, x), (-y, y), (0.0, body), colour, mass=mass * 0.85, finish="gloss"),
        block((-x * 0.75, x * 0.75), (-y * 0.7, y * 0.7), (body, shoulder), colour, mass=mass * 0.1, finish="gloss"),
        disc(0.0, 0.0, (shoulder, h), x * 0.5, cap, mass=mass * 0.05, finish="gloss"),
        block((-x - SKIN, x + SKIN), (-y * 0.85, y * 0.85), (body * 0.25, body * 0.85), label, solid=False),
        block((-x - 2 * SKIN, x + 2 * SKIN), (-y * 0.85, y * 0.85), (body * 0.45, body * 0.6), cap, solid=False),
    ]
    return centred((x, y, h / 2), parts)


def _round(radius: float, mass: float, rgb: RGB, extras: list[Part]) -> ObjectPlan:
    body = ball(0.0, 0.0, radius, radius, rgb, mass=mass, finish="gloss")
    return centred((radius, radius, radius), [body, *extras], rolls=True)


def _leaf(x: float, z: float, length: float) -> Part:
    return Part("ellipsoid", (length, length * 0.45, 0.003), (x + length * 0.6, 0.0, z), LEAF, solid=False)


def apple(mass: float, rgb: RGB) -> ObjectPlan:
    """Round, with a dimple, a stem and a leaf."""
    r = 0.0375
    extras = [
        disc(0.0, 0.0, (2 * r - 0.0015, 2 * r + 0.0003), 0.011, shade(rgb, 0.55), solid=False),
        rod((0.0, 0.0, 2 * r - 0.004), (0.004, 0.0, 2 * r + 0.014), 0.0025, STEM, solid=False),
        _leaf(0.004, 2 * r + 0.008, 0.016),
        ball(0.0, 0.0, r, r + SKIN / 2, rgb, solid=False),
    ]
    return _round(r, mass, rgb, extras)


def orange(mass: float, rgb: RGB) -> ObjectPlan:
    """Round, with a green navel."""
    r = 0.0365
    return _round(r, mass, rgb, [disc(0.0, 0.0, (2 * r - 0.001, 2 * r + SKIN), 0.006, LEAF, solid=False)])


def peach(mass: float, rgb: RGB) -> ObjectPlan:
    """Round, redder on one side, with a leaf."""
    r = 0.0295
    blush = ball(0.006, 0.0, r + 0.003, r * 0.88, (0.88, 0.32, 0.25), solid=False)
    stem = rod((0.0, 0.0, 2 * r - 0.003), (0.0, 0.0, 2 * r + 0.006), 0.002, STEM, solid=False)
    return _round(r, mass, rgb, [blush, stem, _leaf(0.002, 2 * r + 0.003, 0.016)])


def plum(mass: float, rgb: RGB) -> ObjectPlan:
    """Round and dark, with a short stem."""
    r = 0.026
    return _round(r, mass, rgb, [rod((0.0, 0.0, 2 * r - 0.003), (0.0, 0.0, 2 * r + 0.008), 0.0018, STEM, solid=False)])


def lemon(mass: float, rgb: RGB) -> ObjectPlan:
    """Lies along x, with a nub at both ends."""
    r, long = 0.027, 0.034
    parts = [
        ball(-0.006, 0.0, r, r, rgb, mass=mass / 2, finish="gloss"),
        ball(0.006, 0.0, r, r, rgb, mass=mass / 2, finish="gloss"),
        Part("ellipsoid", (long, r, r), (0.0, 0.0, r), rgb, solid=False, finish="gloss"),
        ball(long - 0.003, 0.0, r, 0.007, shade(rgb, 0.9), solid=False),
        ball(-long + 0.003, 0.0, r, 0.006, shade(rgb, 0.75), solid=False),
    ]
    return centred((long + 0.003, r, r), parts, rolls=True)


def pear(mass: float, rgb: RGB) -> ObjectPlan:
    """Lies along x on two spheres, the stem at the thin end."""
    big, small, spacing = 0.033, 0.021, 0.044
    x = -(spacing + small - big) / 2
    parts = [
        ball(x, 0.0, big, big, rgb, mass=mass * 0.75, finish="gloss"),
        ball(x + spacing, 0.0, small, small, rgb, mass=mass * 0.25, finish="gloss"),
        ball(x + spacing * 0.55, 0.0, (big + small) / 2, 0.0265, rgb, solid=False, finish="gloss"),
        rod((x + spacing + 0.016, 0.0, small), (x + spacing + 0.034, 0.0, small + 0.006), 0.0025, STEM, solid=False),
        ball(x - big + 0.001, 0.0, big, 0.004, STEM, solid=False),
    ]
    return centred(((big + spacing + small) / 2, big, big), parts, rolls=True)


def strawberry(mass: float, rgb: RGB) -> ObjectPlan:
    """Lies along x: a small red cone with a green crown."""
    big, small, spacing = 0.022, 0.012, 0.021
    x = -(spacing + small - big) / 2
    parts = [
        ball(x, 0.0, big, big, rgb, mass=mass * 0.8, finish="gloss"),
        ball(x + spacing, 0.0, small, small, rgb, mass=mass * 0.2, finish="gloss"),
        ball(x + spacing * 0.5, 0.0, 0.0185, 0.0175, rgb, solid=False, finish="gloss"),
        Part("cylinder", (0.017, 0.0025, 0.0), (x - big + 0.004, 0.0, big), LEAF, _ALONG_X, solid=False),
        rod((x - big, 0.0, big), (x - big - 0.009, 0.0, big + 0.004), 0.0022, LEAF, solid=False),
    ]
    for k in range(6):
        turn = k * math.pi / 3
        seed = (x + 0.004, 0.0205 * math.cos(turn), big + 0.0205 * math.sin(turn))
        parts.append(ball(*seed, 0.0022, (0.98, 0.85, 0.45), solid=False))
    return centred(((big + spacing + small) / 2, big, big), parts, rolls=True)


def banana(mass: float, rgb: RGB) -> ObjectPlan:
    """Lies flat, bent in the horizontal plane, tips dark."""
    bend, n, r = 0.11, 5, 0.017
    spread = 1.35
    angles = [spread * (k / n - 0.5) for k in range(n + 1)]
    middle = bend * (1 + math.cos(spread / 2)) / 2
    points = [(bend * math.sin(a), bend * math.cos(a) - middle, r) for a in angles]
    parts = [
        rod(a, b, r * (0.82 if k in (0, n - 1) else 1.0), rgb, mass=mass / n, finish="gloss")
        for k, (a, b) in enumerate(pairwise(points))
    ]
    end_pairs = ((points[0], points[1]), (points[-1], points[-2]))
    for k, (tip, previous) in enumerate(end_pairs):
        direction = [t - p for t, p in zip(tip, previous, strict=True)]
        size = math.hypot(*direction)
        tip_end = tuple(t + o / size * (0.026 if k else 0.018) for t, o in zip(tip, direction, strict=True))
        parts.append(rod(tip, (tip_end[0], tip_end[1], tip_end[2]), 0.006, STEM, solid=False))
    half_x = bend * math.sin(spread / 2) + r
    half_y = (bend - bend * math.cos(spread / 2)) / 2 + r
    return centred((half_x, half_y, r), parts)


def bowl(mass: float, rgb: RGB) -> ObjectPlan:
    """Hollow, 0.16 m across: a bottom and a ring of sloping staves."""
    outer, inner, h, n, t, thick = 0.08, 0.05, 0.055, 14, 0.004, 0.008
    lean = math.atan2(outer - inner, h)
    long = math.hypot(outer - inner, h)
    parts = [*tin(0.0, (0.0, thick), inner, rgb, mass=mass * 0.4, finish="gloss")]
    width = outer * math.tan(math.pi / n)
    for k in range(n):
        turn = 2 * math.pi * k / n
        r = (outer + inner) / 2 - t
        pos = (r * math.cos(turn), r * math.sin(turn), h / 2)
        quat = product(turned(turn), (math.cos(lean / 2), 0.0, math.sin(lean / 2), 0.0))
        parts.append(Part("box", (t / 2, width, long / 2 - 0.002), pos, rgb, quat, mass=mass * 0.6 / n, finish="gloss"))
    slope = (outer - inner) / h
    middle = (outer + inner) / 2 - t - t / 2  # radius of the inner side of the staves, halfway up
    room = Hollow((0.0, 0.0, thick - h / 2), h - thick, middle - slope * (h / 2 - thick), middle + slope * h / 2)
    return centred((outer, outer, h / 2), parts, hollow=room)


def mug(mass: float, rgb: RGB) -> ObjectPlan:
    """Hollow, 0.08 m across, with a handle to +x; its bounding box includes the handle."""
    r, h, n, t, ear, thick = 0.04, 0.082, 12, 0.005, 0.028, 0.008
    x0 = -ear / 2
    parts = [*tin(x0, (0.0, thick), r - 0.002, rgb, mass=mass * 0.3, finish="gloss")]
    inner = r - t
    parts.append(disc(x0, 0.0, (thick, thick + 0.0005), inner, shade(rgb, 1.6), solid=False))
    width = r * math.tan(math.pi / n)
    for k in range(n):
        turn = 2 * math.pi * k / n
        pos = (x0 + (r - t / 2) * math.cos(turn), (r - t / 2) * math.sin(turn), h / 2 + FOOT)
        parts.append(
            Part("box", (t / 2, width, h / 2 - FOOT), pos, rgb, turned(turn), mass=mass * 0.6 / n, finish="gloss")
        )
    corners: list[Vec3] = [
        (x0 + r, 0.0, h * 0.25),
        (x0 + r + ear - 0.006, 0.0, h * 0.32),
        (x0 + r + ear - 0.006, 0.0, h * 0.68),
        (x0 + r, 0.0, h * 0.76),
    ]
    for a, b in pairwise(corners):
        parts.append(rod(a, b, 0.005, rgb, mass=mass * 0.1 / 3, finish="gloss"))
    room = Hollow((x0, 0.0, thick - h / 2), h - thick, inner, inner)
    return centred((r + ear / 2, r, h / 2), parts, hollow=room)


def sponge(mass: float, rgb: RGB) -> ObjectPlan:
    """A flat sponge with a green scouring side on top."""
    x, y, h = 0.036, 0.057, 0.03
    parts = [
        block((-x, x), (-y, y), (0.0, h), rgb, mass=mass),
        block((-x - SKIN, x + SKIN), (-y - SKIN, y + SKIN), (h * 0.72, h + SKIN), (0.12, 0.42, 0.2), solid=False),
    ]
    return centred((x, y, h / 2), [replace(part, finish="fabric") for part in parts])


def product(a: Quat, b: Quat) -> Quat:
    """Quaternion product a b (wxyz)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )

"""Visual parts that show the states of objects (sliced, dirty, filled). They do not collide.

A sliced object is drawn as slices, but keeps the collision shape of the whole for grasping; a tap has a switch and
water. Only homes with states have these parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from homie.envs.mujoco.blueprints.materials import CHROME, RGB
from homie.envs.mujoco.blueprints.parts import Blueprint, ObjectPlan, Part, ball, block, button, disc

Group: TypeAlias = Literal["slice", "dirt", "filling"]
"""Groups of parts that are shown together, while an object is sliced, not clean or filled."""

WATER: RGB = (0.30, 0.58, 0.92)
MUD: RGB = (0.30, 0.17, 0.06)
HOT: RGB = (1.0, 0.28, 0.05)
ICE: RGB = (0.72, 0.90, 1.0)
FLESH: Mapping[str, RGB] = {
    "apple": (0.97, 0.94, 0.74),
    "bell_pepper": (0.99, 0.88, 0.70),
    "bread": (0.97, 0.90, 0.72),
    "carrot": (1.0, 0.72, 0.38),
    "cucumber": (0.86, 0.94, 0.68),
    "eggplant": (0.94, 0.92, 0.72),
    "lemon": (0.99, 0.96, 0.62),
    "onion": (0.97, 0.95, 0.90),
    "orange": (1.0, 0.72, 0.25),
    "peach": (1.0, 0.80, 0.45),
    "pear": (0.97, 0.96, 0.82),
    "potato": (0.98, 0.92, 0.62),
    "tomato": (0.98, 0.48, 0.36),
}
"""Colour of the inside, by kind."""
SLICES = 5
APART = 1.45
"""Ratio of the length of sliced objects to whole ones, due to the gaps between slices."""
LEVEL = 0.75
"""Water level of a filled object as a share of its depth."""
SPOTS = ((0.55, 0.5), (-0.3, 0.65), (0.1, -0.1), (-0.6, -0.45), (0.5, -0.6), (-0.05, 0.3), (0.75, -0.05))
"""Positions of stains on a top, as shares of its half sizes."""
_ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


def slices(kind: str, plan: ObjectPlan) -> tuple[Part, ...]:
    """An object cut into slices that stand in a row along x, with the inside's colour on both faces."""
    skin, flesh = plan.parts[0].rgb, FLESH[kind]
    a, b, c = plan.half
    thick = a / SLICES * 0.8
    parts: list[Part] = []
    for k in range(SLICES):
        position = a * ((2 * k + 1) / SLICES - 1)
        at = position * APART
        if kind == "bread":
            parts.append(block((at - thick, at + thick), (-b, b), (-c, c * 0.9), skin))
            parts.append(
                block((at - thick - 0.001, at + thick + 0.001), (-0.85 * b, 0.85 * b), (-0.85 * c, 0.72 * c), flesh)
            )
            continue
        radius = min(b, c) * math.sqrt(max(1.0 - (position / (1.15 * a)) ** 2, 0.2))
        z = radius - c
        parts.append(Part("cylinder", (radius, thick, 0.0), (at, 0.0, z), skin, _ALONG_X))
        parts.append(Part("cylinder", (0.86 * radius, thick + 0.001, 0.0), (at, 0.0, z), flesh, _ALONG_X))
    return tuple(replace(part, solid=False, mass=0.0) for part in parts)


def dirt(plan: ObjectPlan) -> tuple[Part, ...]:
    """Mud on a dish: inside and around the rim if it is hollow, else on top."""
    a, b, c = plan.half
    if plan.hollow is None:
        return tuple(
            Part("ellipsoid", (0.16 * a, 0.3 * b, 0.002), (u * a * 0.8, v * b * 0.6, c * 0.4), MUD, solid=False)
            for u, v in SPOTS
        )
    x, y, floor = plan.hollow.center
    rim, top = plan.hollow.rim, floor + plan.hollow.depth
    angles = [2 * math.pi * (k + 0.3 * (k % 2)) / 6 for k in range(6)]
    return (
        disc(x, y, (floor, floor + 0.002), 0.75 * plan.hollow.floor, MUD, solid=False),
        *(
            ball(x + rim * math.cos(t), y + rim * math.sin(t), top - 0.01 - 0.012 * (k % 2), 0.009, MUD, solid=False)
            for k, t in enumerate(angles)
        ),
    )


def filling(plan: ObjectPlan) -> tuple[Part, ...]:
    """Water in a hollow object."""
    assert plan.hollow is not None, "only hollow things are filled"
    x, y, floor = plan.hollow.center
    high = LEVEL * plan.hollow.depth
    return (disc(x, y, (floor + high - 0.004, floor + high), plan.hollow.radius(high), WATER, solid=False),)


def looks_of(kind: str, plan: ObjectPlan, states: Mapping[str, bool]) -> Mapping[Group, tuple[Part, ...]]:
    """Return the parts that show the states which an object can be in."""
    groups: dict[Group, tuple[Part, ...]] = {}
    if "sliced" in states:
        groups["slice"] = slices(kind, plan)
    if "clean" in states:
        groups["dirt"] = dirt(plan)
    if "filled" in states:
        groups["filling"] = filling(plan)
    return groups


def stains(half_x: float, half_y: float, height: float) -> tuple[Part, ...]:
    """Mud on the top of furniture."""
    return tuple(
        Part(
            "ellipsoid",
            (0.05 + 0.015 * (k % 3), 0.04 + 0.02 * (k % 2), 0.002),
            (u * half_x * 0.85, v * half_y * 0.85, height),
            MUD,
            solid=False,
        )
        for k, (u, v) in enumerate(SPOTS)
    )


def tapped(plan: Blueprint) -> Blueprint:
    """Add a switch at the front and running water to a sink or washbasin; return other furniture unchanged."""
    basin = next((surface for surface in plan.surfaces if surface.name == "basin"), None)
    if basin is None:
        return plan
    spout = max((part for part in plan.parts if part.shape == "capsule"), key=lambda part: part.pos[0])
    x, y = basin.center[0] - 0.5 * basin.half_x, spout.pos[1]
    stream = disc(x, y, (basin.center[2], spout.pos[2]), 0.012, WATER, solid=False, label="stream", finish="gloss")
    pool = disc(*basin.center[:2], (basin.center[2], basin.center[2] + 0.003), 0.09, WATER, solid=False, label="stream")
    neck = block(
        (spout.pos[0] - 0.01, x + 0.012),
        (y - 0.01, y + 0.01),
        (spout.pos[2] - 0.005, spout.pos[2] + 0.012),
        CHROME,
        solid=False,
        finish="metal",
    )
    switch = button((plan.half_x + 0.01, basin.center[1] + 0.12, plan.height - 0.06), (0.15, 0.4, 0.9))
    return replace(plan, parts=(*plan.parts, neck, stream, pool), links=(*plan.links, switch))

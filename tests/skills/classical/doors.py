"""Doors, drawers, lids and flaps by their numbers: what opens, as skills know it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from homie.kernel.types import Array, Articulation, Box
from skills.classical.pulls import STANDOFF

UP = np.array([0.0, 0.0, 1.0])
FRONT = np.array([0.0, -1.0, 0.0])
"""Towards the person: all of them stand at y = 0 and are opened towards -y."""
INWARD = math.pi / 2


def hinged(sense: float, opening: float = 0.0) -> Articulation:
    """A door 0.5 m wide with its hinge at the origin; sense: -1 opens clockwise, 1 for one that is hinged on the right
    and stands to the left of its hinge."""
    along = np.array([-sense, 0.0, 0.0])
    turn = sense * opening
    c, s = math.cos(turn), math.sin(turn)
    spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    panel = Box(spin @ (0.25 * along) + 0.9 * UP, np.array([0.25, 0.01, 0.4]), turn)
    return Articulation(
        kind="hinge",
        axis_point=np.zeros(3),
        axis=sense * UP,
        handle=spin @ (0.45 * along + STANDOFF * FRONT) + 0.9 * UP,
        handle_axis=UP,
        outward=spin @ FRONT,
        opening=opening,
        range=1.9,
        panel=panel,
    )


def drawer(opening: float) -> Articulation:
    """A drawer with a level bar, 0.6 m above the floor."""
    handle = np.array([0.1, -STANDOFF - opening, 0.6])
    return Articulation(
        kind="slide",
        axis_point=np.zeros(3),
        axis=FRONT,
        handle=handle,
        handle_axis=np.array([1.0, 0.0, 0.0]),
        outward=FRONT,
        opening=opening,
        range=0.4,
        panel=Box(handle - (STANDOFF - 0.01) * FRONT, np.array([0.25, 0.01, 0.1])),
    )


DRAWER = drawer(0.1)
SLIDING_DOOR = replace(DRAWER, axis=np.array([1.0, 0.0, 0.0]), handle_axis=UP)


def level_hinged(*, lid: bool, opening: float = 0.0) -> Articulation:
    """A lid on top of a chest, hinged behind, or the flap of an oven, hinged below; 0.5 m deep or high."""
    if lid:  # it lies level, its free edge towards the person, and goes up and over
        axis, point, rest = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.4, 0.5]), np.array([0.0, -0.4, 0.0])
    else:  # it stands upright, and comes down towards the person
        axis, point, rest = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.3]), np.array([0.0, 0.0, 0.4])
    lever = about(axis, rest, opening)
    panel = Box(point + lever / 2, np.array([0.3, 0.2, 0.2]))
    fields = {"axis_point": point, "axis": axis, "handle": point + lever, "handle_axis": np.array([1.0, 0.0, 0.0])}
    return Articulation("hinge", outward=FRONT, opening=opening, range=1.5, panel=panel, **fields)


def about(axis: Array, arm: Array, angle: float) -> Array:
    """An arm (3,) turned about an axis by the right-hand rule (Rodrigues)."""
    turned: Array = (
        arm * math.cos(angle) + np.cross(axis, arm) * math.sin(angle) + axis * (axis @ arm) * (1.0 - math.cos(angle))
    )
    return turned


def opening_at(part: Articulation, point: Array) -> float:
    """How far a part would be open if what is now at its handle were at a point, as far as that goes."""
    if part.kind == "slide":
        moved = float((point - part.handle) @ part.axis)
    else:
        lever, there = part.handle - part.axis_point, point - part.axis_point
        lever, there = (arm - (arm @ part.axis) * part.axis for arm in (lever, there))
        moved = math.atan2(float(np.cross(lever, there) @ part.axis), float(lever @ there))
    return min(max(part.opening + moved, 0.0), part.range)

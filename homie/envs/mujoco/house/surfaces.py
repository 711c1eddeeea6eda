"""Footprints (convex polygons on the floor) and their overlap; and the support surfaces of a spec: the parts of a
blueprint's surfaces that no other piece covers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from homie.envs.mujoco.blueprints.parts import SurfacePlan
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, SceneParts

Corners: TypeAlias = tuple[tuple[float, float], ...]
"""Corners (x, y) in order, metres."""


def square(x: float, y: float, half: float) -> Corners:
    """Return the corners of an axis-aligned square around a point."""
    return ((x + half, y + half), (x - half, y + half), (x - half, y - half), (x + half, y - half))


def overlap(first: Corners, second: Corners) -> float:
    """Return the penetration depth (m) of two convex polygons (corners in order) by the separating axis theorem: the
    smallest translation that separates them, 0 if they share no area.

    >>> round(overlap(square(0.0, 0.0, 0.5), square(0.8, 0.1, 0.5)), 3)
    0.2
    """
    a, b = np.array(first), np.array(second)
    smallest = np.inf
    for corners in (a, b):
        edges = np.roll(corners, -1, axis=0) - corners
        for normal in np.stack([-edges[:, 1], edges[:, 0]], axis=1):
            p, q = a @ normal, b @ normal
            shared = min(p.max() - q.min(), q.max() - p.min())
            if shared <= 1e-9:
                return 0.0
            smallest = min(smallest, shared / np.hypot(*normal))
    return float(smallest)


LEAST_HALF = 0.08
"""Minimum half width (m) of a remaining strip that still counts as a surface."""


def surfaces_of(scene: SceneParts, piece: FurnitureSpec) -> tuple[SurfacePlan, ...]:
    """Return the surfaces of a piece, cut to the largest free rectangle beside the pieces that stand on it.

    If one of them is a container, no outer surface remains: its door needs the space.
    """
    plans = list(piece.blueprint.surfaces)
    for guest in scene.furniture:
        if guest.stands_on != piece.name:
            continue
        if guest.blueprint.articulations:
            plans = [plan for plan in plans if plan.inside]
            continue
        cut = [plan if plan.inside else _cut(plan, *_extent(piece, guest)) for plan in plans]
        plans = [plan for plan in cut if plan is not None]
    return tuple(plans)


def _extent(piece: FurnitureSpec, guest: FurnitureSpec) -> tuple[float, float, float, float]:
    """Return the footprint of the guest in the frame of the piece, as x0, x1, y0, y1."""
    c, s = math.cos(piece.yaw), math.sin(piece.yaw)
    local = [
        (c * (x - piece.x) + s * (y - piece.y), -s * (x - piece.x) + c * (y - piece.y)) for x, y in guest.corners()
    ]
    xs, ys = [x for x, _ in local], [y for _, y in local]
    return min(xs), max(xs), min(ys), max(ys)


def _cut(plan: SurfacePlan, x0: float, x1: float, y0: float, y1: float) -> SurfacePlan | None:
    """Return the largest of the rectangles in front of, behind, left and right of an obstacle."""
    left, right = plan.center[0] - plan.half_x, plan.center[0] + plan.half_x
    low, high = plan.center[1] - plan.half_y, plan.center[1] + plan.half_y
    if x1 <= left or x0 >= right or y1 <= low or y0 >= high:
        return plan
    options = ((x1, right, low, high), (left, x0, low, high), (left, right, y1, high), (left, right, low, y0))
    fits = [o for o in options if (o[1] - o[0]) / 2 >= LEAST_HALF and (o[3] - o[2]) / 2 >= LEAST_HALF]
    if not fits:
        return None
    a, b, c, d = max(fits, key=lambda o: (o[1] - o[0]) * (o[3] - o[2]))
    center = ((a + b) / 2, (c + d) / 2, plan.center[2])
    return replace(plan, center=center, half_x=(b - a) / 2, half_y=(d - c) / 2)

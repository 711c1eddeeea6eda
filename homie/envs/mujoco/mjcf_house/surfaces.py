"""Level support surfaces from the solids of furniture: tops, shelf boards, drawer floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.mjcf_house.rectangles import largest_rectangle
from homie.kernel.types import Array, Box, Mask, Solid

CELL = 0.02
"""Cell size (m) of the grid in which free places are searched."""
LEAST, LEAST_FLOOR = 0.07, 0.04
"""Minimum half length (m) of the shorter side of a place, and of a drawer floor."""
LOWEST = 0.03
"""Minimum height of a place above the floor, m."""
FREE = 0.06
"""Minimum clearance above a place, m."""
SINKS = 0.008
"""Tolerated penetration (m) of an object into the place it lies on."""
LEVEL = 0.996
"""Minimum z component of the upright axis of a level solid."""
FLAT = 0.6
"""Minimum share of a mesh's bounding rectangle that its flat top fills."""
COVERED = 0.45
"""Clearance (m) below which a place cannot be reached from above."""
SEVERAL = 2
"""Maximum number of places on one solid: to the left and to the right of a sink."""


@dataclass(frozen=True, slots=True)
class Place:
    """A free rectangle: center (3,), half sizes along and across a yaw, and the clearance above it (m)."""

    center: Array
    half_x: float
    half_y: float
    clearance: float


def places_on(
    part: Solid, others: Sequence[Solid], yaw: float, *, over: Sequence[Solid] = (), least: float = LEAST
) -> list[Place]:
    """Return the free level places on a solid, uncovered places first, then by decreasing size.

    Args:
        part: The solid.
        others: Solids that may stand on it or be above it.
        yaw: Yaw of the axes of the rectangles, rad.
        over: Solids above it that do not stand on it, however near.
        least: Minimum half length (m) of the shorter side of a place.
    """
    top = _top(part, yaw)
    if top is None or top.center[2] < LOWEST or min(top.half[:2]) < least:
        return []
    height = float(top.center[2])
    shape = np.maximum(np.floor(2 * top.half[:2] / CELL).astype(int), 1)
    is_free, ceiling = np.ones(shape, dtype=bool), np.full(shape, np.inf)
    for other in others:
        box = Box.around([other], yaw)
        bottom, top_height = box.center[2] - box.half[2], box.center[2] + box.half[2]
        if top_height < height + SINKS:
            continue
        cells = _covered(box, top, shape)
        if bottom < height + FREE:
            is_free[cells] = False
        else:
            ceiling[cells] = np.minimum(ceiling[cells], bottom - height)
    for other in over:
        box = Box.around([other], yaw)
        bottom = box.center[2] - box.half[2]
        if bottom > height:
            cells = _covered(box, top, shape)
            ceiling[cells] = np.minimum(ceiling[cells], bottom - height)
    covered = ceiling < COVERED
    return [
        *_rectangles(top, is_free & ~covered, ceiling, least),
        *_rectangles(top, is_free & covered, ceiling, least),
    ]


def _rectangles(top: Box, free: Mask, ceiling: Array, min_half: float) -> list[Place]:
    places: list[Place] = []
    axes = np.array([[np.cos(top.yaw), np.sin(top.yaw)], [-np.sin(top.yaw), np.cos(top.yaw)]])
    for _ in range(SEVERAL):
        first, last, left, right = largest_rectangle(free)
        half = CELL * np.array([last - first, right - left]) / 2
        if min(half) < min_half:
            break
        middle = CELL * np.array([first + last, left + right]) / 2 - CELL * np.array(free.shape) / 2
        center = np.array([*(top.center[:2] + middle @ axes), top.center[2]])
        places.append(Place(center, float(half[0]), float(half[1]), float(ceiling[first:last, left:right].min())))
        free[first:last, left:right] = False
    return places


def _covered(box: Box, top: Box, shape: Array) -> tuple[slice, slice]:
    """Return the cells of a top that a box of the same yaw covers."""
    c, s = np.cos(top.yaw), np.sin(top.yaw)
    local_center = np.array([[c, s], [-s, c]]) @ (box.center[:2] - top.center[:2])
    first = np.floor((local_center - box.half[:2]) / CELL + shape / 2 + 1e-6).astype(int)
    last = np.ceil((local_center + box.half[:2]) / CELL + shape / 2 - 1e-6).astype(int)
    (a, b), (u, v) = np.clip(first, 0, shape), np.clip(last, 0, shape)
    return slice(int(a), int(u)), slice(int(b), int(v))


def _top(part: Solid, yaw: float) -> Box | None:
    """Return the level top of a solid as a box of zero height, None if it has none."""
    box = Box.around([part], yaw)
    height = box.center[2] + box.half[2]
    if part.kind == "hull" and part.points is not None:
        points = part.points @ part.pose.rotation.T + part.pose.position
        rim = points[points[:, 2] > height - 2 * SINKS]
        rotated = rim[:, :2] @ np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        low, high = rotated.min(axis=0), rotated.max(axis=0)
        half = (high - low) / 2
        if half[0] * half[1] < FLAT * box.half[0] * box.half[1]:
            return None
        middle = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]) @ ((low + high) / 2)
        return Box(np.array([*middle, height]), np.array([*half, 0.0]), yaw)
    upright = int(np.argmax(np.abs(part.pose.rotation[2])))
    if abs(part.pose.rotation[2, upright]) < LEVEL or part.kind not in ("box", "cylinder"):
        return None
    if part.kind == "cylinder":
        if upright != 2:
            return None
        half = np.full(2, part.half[0] / np.sqrt(2.0))
    else:
        half = _inscribed(part, upright, yaw, box)
    return Box(np.array([*box.center[:2], height]), np.array([*half, 0.0]), yaw)


def _inscribed(part: Solid, upright: int, yaw: float, box: Box) -> Array:
    """Return half sizes (2,) along a yaw of a rectangle within the top of a box: the whole top if the axes agree."""
    side = part.pose.rotation[:2, (upright + 1) % 3]
    askew = abs(np.sin(2.0 * (np.arctan2(side[1], side[0]) - yaw)))
    half_sizes = np.sort(np.delete(part.half, upright))
    return np.asarray(box.half[:2] if askew < 0.1 else np.full(2, half_sizes[0] / np.sqrt(2.0)))

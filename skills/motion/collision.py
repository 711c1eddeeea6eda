"""Whether an arm posture, or the way between two, keeps out of solid things given as upright boxes; and which loose
things have to go before a place can be reached, in words for the planner."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from homie.kernel.types import Array, Box, Goal, OccupancyGrid

FREE, TOUCH = -0.005, -0.02
"""How deep (m) the rough shape of the arm may be in a thing where it works: the spheres are fatter than the fingers.
The first does not move a drawer, the second is for narrow places."""

PLANNED, DRIVEN = 0.025, -0.005
"""Clearance (m) asked of the way of the arm for a standing that is planned: comfortable, or if need be narrow."""

ON_ARRIVAL = (DRIVEN - 0.008, TOUCH - 0.008)
"""Clearance (m) asked of the way and of the poses once the robot stands there: less by what it may miss its place, up
to 5 mm and 0.02 rad. Without that, what was planned with just enough room is refused on arrival, time and again."""


FAR = 0.15
"""Distance (m) up to which it matters how far away something is."""


class Solids:
    """Boxes in the odometry frame, ready to be asked for the distance of many spheres at once."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = tuple(boxes)
        self._center = np.array([box.center for box in boxes]).reshape(-1, 3)
        self._half = np.array([box.half for box in boxes]).reshape(-1, 3)
        yaw = np.array([box.yaw for box in boxes])
        self._c, self._s = np.cos(yaw), np.sin(yaw)
        c, s = np.abs(self._c), np.abs(self._s)
        x, y, z = self._half.T
        corners = np.stack([c * x + s * y, s * x + c * y, z], axis=-1)
        self._low, self._high = self._center - corners, self._center + corners

    def distance(self, points: Array, radii: Array) -> float:
        """Smallest distance (m) of spheres (n, 3) to any box, negative inside; `FAR` where none is nearer."""
        low, high = (points - radii[:, None]).min(axis=0) - FAR, (points + radii[:, None]).max(axis=0) + FAR
        nearby = np.flatnonzero(((self._low < high) & (self._high > low)).all(axis=1))
        if not len(nearby):
            return FAR
        offsets = points[None] - self._center[nearby, None]
        c, s = self._c[nearby, None], self._s[nearby, None]
        outside = np.empty_like(offsets)
        outside[..., 0] = c * offsets[..., 0] + s * offsets[..., 1]
        outside[..., 1] = c * offsets[..., 1] - s * offsets[..., 0]
        outside[..., 2] = offsets[..., 2]
        np.abs(outside, out=outside)
        outside -= self._half[nearby, None]
        deepest = outside.max(axis=-1)
        np.maximum(outside, 0.0, out=outside)
        distances = np.sqrt(np.einsum("ijk,ijk->ij", outside, outside)) + np.minimum(deepest, 0.0)
        return min(FAR, float(np.min(distances - radii)))


GROWN = 0.06
"""Metres around a thing on the floor that are cleared with it: the cells of a grid are 5 cm wide."""

INSIDE = 0.02
"""Metres that a solid may stick out of the box of the loose thing that it belongs to."""


def without(goal: Goal, removed: Sequence[Box]) -> Goal:
    """The goal as it would be with some loose things gone."""
    return replace(
        goal,
        solids=tuple(solid for solid in goal.solids if not any(_is_part_of(solid, box) for box in removed)),
        obstacles=tuple(other for other in goal.obstacles if not any(_is_part_of(other, box) for box in removed)),
        grid=None if goal.grid is None else cleared(goal.grid, removed),
    )


def cleared(grid: OccupancyGrid, removed: Sequence[Box]) -> OccupancyGrid:
    """The grid with the footprints of some things free."""
    picture = grid.occupied.astype(np.uint8)
    for box in removed:
        grown = replace(box, half=box.half + GROWN)
        cells = np.round((grown.corners() - grid.origin) / grid.resolution - 0.5).astype(np.int32)
        cv2.fillConvexPoly(picture, cells, 0)
    return replace(grid, occupied=picture.astype(bool))


def on_the_way(boxes: Sequence[Box], path: Array, radius: float) -> list[Box]:
    """Those that a disc of a radius (m) would run into on a path (n, 2)."""
    points = [a + (b - a) * t for a, b in itertools.pairwise(path) for t in np.linspace(0, 1, 12)]
    return [box for box in boxes if any(box.distance(point) < radius for point in points)]


def _is_part_of(solid: Box, box: Box) -> bool:
    """Whether a solid is a part of what a box is around."""
    level = abs(float(solid.center[2] - box.center[2])) <= float(box.half[2]) + INSIDE
    return level and box.distance(solid.center) <= INSIDE and bool(np.max(solid.half) <= np.max(box.half) + INSIDE)

"""Collision checks of an arm posture, or the path between two, against solids given as upright boxes; and which loose
objects have to be removed before a place can be reached, in words for the planner."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from homie.kernel.types import Array, Box, Goal, OccupancyGrid

FREE, TOUCH = -0.005, -0.02
"""Allowed penetration (m) of the coarse arm shape where the arm works: its spheres are fatter than the fingers. The
first does not move a drawer, the second is for narrow places."""

PLANNED, DRIVEN = 0.025, -0.005
"""Clearance (m) required of the arm's path when a standing is planned: comfortable, or narrow if need be."""

ON_ARRIVAL = (DRIVEN - 0.008, TOUCH - 0.008)
"""Clearance (m) required of the path and of the poses once the robot has arrived: less by the base's positioning error,
up to 5 mm and 0.02 rad. Otherwise a plan with just enough room would be refused on every arrival."""


FAR = 0.15
"""Distance (m) beyond which distances are not computed."""


class Solids:
    """Boxes in the odometry frame, prepared for distance queries of many spheres at once."""

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
        """Return the smallest distance (m) of spheres (n, 3) to any box, negative inside; at most `FAR`."""
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
"""Margin (m) around an object on the floor that is cleared with it: the cells of a grid are 5 cm wide."""

INSIDE = 0.02
"""Distance (m) by which a solid may protrude from the box of the loose object that it belongs to."""


def without(goal: Goal, removed: Sequence[Box]) -> Goal:
    """Return the goal as it would be with some loose objects removed."""
    return replace(
        goal,
        solids=tuple(solid for solid in goal.solids if not any(_is_part_of(solid, box) for box in removed)),
        obstacles=tuple(other for other in goal.obstacles if not any(_is_part_of(other, box) for box in removed)),
        grid=None if goal.grid is None else clear_boxes(goal.grid, removed),
    )


def clear_boxes(grid: OccupancyGrid, removed: Sequence[Box]) -> OccupancyGrid:
    """Return the grid with the footprints of some objects free."""
    picture = grid.occupied.astype(np.uint8)
    for box in removed:
        grown = replace(box, half=box.half + GROWN)
        cells = np.round((grown.corners() - grid.origin) / grid.resolution - 0.5).astype(np.int32)
        cv2.fillConvexPoly(picture, cells, 0)
    return replace(grid, occupied=picture.astype(bool))


def on_the_way(boxes: Sequence[Box], path: Array, radius: float) -> list[Box]:
    """Return the boxes that a disc of a radius (m) would hit on a path (n, 2)."""
    points = [a + (b - a) * t for a, b in itertools.pairwise(path) for t in np.linspace(0, 1, 12)]
    return [box for box in boxes if any(box.distance(point) < radius for point in points)]


def _is_part_of(solid: Box, box: Box) -> bool:
    """Whether a solid belongs to the object that a box encloses."""
    level = abs(float(solid.center[2] - box.center[2])) <= float(box.half[2]) + INSIDE
    return level and box.distance(solid.center) <= INSIDE and bool(np.max(solid.half) <= np.max(box.half) + INSIDE)

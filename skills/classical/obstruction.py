"""What is in the way: which loose things have to go before a place can be reached, in words for the planner."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from homie.kernel.types import Array, Box, Goal, OccupancyGrid

GROWN = 0.06
"""Metres around a thing on the floor that are cleared with it: the cells of a grid are 5 cm wide."""

INSIDE = 0.02
"""Metres that a solid may stick out of the box of the loose thing that it belongs to."""


def without(goal: Goal, removed: Sequence[Box]) -> Goal:
    """The goal as it would be with some loose things gone."""
    return replace(
        goal,
        solids=tuple(solid for solid in goal.solids if not any(_belongs(solid, box) for box in removed)),
        obstacles=tuple(other for other in goal.obstacles if not any(_belongs(other, box) for box in removed)),
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


def _belongs(solid: Box, box: Box) -> bool:
    """Whether a solid is a part of what a box is around."""
    level = abs(float(solid.center[2] - box.center[2])) <= float(box.half[2]) + INSIDE
    return level and box.distance(solid.center) <= INSIDE and bool(np.max(solid.half) <= np.max(box.half) + INSIDE)

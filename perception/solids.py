"""What the arm has to keep out of, as boxes around the points that were seen."""

from __future__ import annotations

import numpy as np

from homie.types import Array, Box
from perception.localise import Points

CELLS = (0.12, 0.06, 0.03)
"""Metres of the cubes in which points make one box: the largest first, smaller ones where the points are no plate."""
PLATE = 0.012
"""Metres that the points in a cube may lie apart, each way from the middle, across a plate."""
SKIN = 0.004
"""Metres that a box is thick at least, each way from its middle."""


def solids_of(points: Points, center: Array, reach: float) -> list[Box]:
    """Tight boxes around the points (n, 3) within `reach` metres of a centre (3,).

    A board seen from above gives thin plates. Where a board meets a wall, the corner between them stays free. What can
    not be seen is not there: the inside of a closed cabinet is empty, but for its front.
    """
    left = points[np.linalg.norm(points - center, axis=1) < reach].astype(np.float64)
    boxes: list[Box] = []
    for size in CELLS:
        if not len(left):
            break
        _, index = np.unique(np.floor(left / size).astype(np.int64), axis=0, return_inverse=True)
        order = np.argsort(index, kind="stable")
        starts = np.flatnonzero(np.diff(index[order], prepend=-1))
        ordered = left[order]
        low, high = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
        half = (high - low) / 2
        whole = (half.min(axis=1) <= PLATE) | (size == CELLS[-1])
        middle, half = (low + high)[whole] / 2, np.maximum(half[whole], SKIN)
        boxes += [Box(c, h) for c, h in zip(middle, half, strict=True)]
        left = left[~whole[index]]
    return boxes

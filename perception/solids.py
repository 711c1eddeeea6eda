"""What the arm has to keep out of, as boxes around the points that were seen."""

from __future__ import annotations

import numpy as np

from homie.types import Array, Box
from perception.localise import Points

CELL = 0.12
"""Metres of the cubes in which points make one box."""
SKIN = 0.004
"""Metres that a box is thick at least, each way from its middle."""


def solids_of(points: Points, center: Array, reach: float) -> list[Box]:
    """Tight boxes around the points (n, 3) within `reach` metres of a centre (3,), one per cube that has any.

    A board seen from above gives thin plates. What can not be seen is not there: the inside of a closed cabinet is
    empty, but for its front.
    """
    near = points[np.linalg.norm(points - center, axis=1) < reach]
    if not len(near):
        return []
    cells = np.floor(near / CELL).astype(np.int64)
    _, index = np.unique(cells, axis=0, return_inverse=True)
    order = np.argsort(index, kind="stable")
    starts = np.flatnonzero(np.diff(index[order], prepend=-1))
    ordered = near[order].astype(np.float64)
    low, high = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
    half = np.maximum((high - low) / 2, SKIN)
    return [Box(c, h) for c, h in zip((low + high) / 2, half, strict=True)]

"""The largest free rectangle of an occupancy grid."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Mask


def largest_rectangle(free: Mask) -> tuple[int, int, int, int]:
    """Return the rows and columns (top, bottom, left, right), ends excluded, of the largest rectangle of free cells,
    the first of equal size. All 0 if no cell is free.

    >>> largest_rectangle(np.array([[1, 1, 0], [1, 1, 1]], dtype=bool))
    (0, 2, 0, 2)
    """
    heights = np.zeros(free.shape[1], dtype=int)
    best, area = (0, 0, 0, 0), 0
    for row in range(free.shape[0]):
        heights = np.where(free[row], heights + 1, 0)
        for left in np.flatnonzero(heights):
            areas = np.minimum.accumulate(heights[left:]) * np.arange(1, len(heights) - left + 1)
            width = int(np.argmax(areas)) + 1
            if areas[width - 1] > area:
                area = int(areas[width - 1])
                best = (row + 1 - area // width, row + 1, int(left), int(left) + width)
    return best

"""The largest free rectangle of a picture of cells."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Mask


def largest_rectangle(free: Mask) -> tuple[int, int, int, int]:
    """The rows and columns (top, bottom, left, right), ends excluded, of the largest rectangle of free cells; of equal
    ones the first. All 0 where no cell is free.

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

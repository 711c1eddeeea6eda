"""Points gathered over many looks, thinned to one per cell so that they stay few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Mask
from perception.localise import Points

_RANGE = 1 << 20
"""Cells along each axis that a key can tell apart."""


class Cloud:
    """At most one point per cube of `cell` metres and at most `limit` points in all; the first one seen stays."""

    def __init__(self, cell: float, limit: int) -> None:
        self._cell = cell
        self._limit = limit
        self.clear()

    def clear(self) -> None:
        """Forget all points."""
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.points: Points = np.zeros((0, 3), dtype=np.float32)
        self.level: Mask = np.zeros(0, dtype=bool)

    def __len__(self) -> int:
        return len(self.points)

    def add(self, points: Points, level: Mask) -> None:
        """Take in points (n, 3) and whether the surface is horizontal at each (n,)."""
        cells = np.floor(points / self._cell).astype(np.int64) + _RANGE // 2
        keys = (cells[:, 0] * _RANGE + cells[:, 1]) * _RANGE + cells[:, 2]
        keys = keys * 2 + level  # a level point is worth keeping beside one of a vertical edge in the same cell
        fresh, first = np.unique(keys, return_index=True)
        if len(self._keys):
            at = np.minimum(np.searchsorted(self._keys, fresh), len(self._keys) - 1)
            new = self._keys[at] != fresh
            fresh, first = fresh[new], first[new]
        room = self._limit - len(self._keys)
        fresh, first = fresh[:room], first[:room]
        order = np.argsort(np.concatenate([self._keys, fresh]), kind="stable")
        self._keys = np.concatenate([self._keys, fresh])[order]
        self.points = np.concatenate([self.points, points[first]])[order]
        self.level = np.concatenate([self.level, level[first]])[order]

"""Model of a remembered room."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array
from perception.localise import Patch
from perception.memory.seen_object import Identity

SMALLEST_ROOM = 1.8
"""Smallest assumed width (m) of a room."""


class Room:
    """Room, represented by the bounding rectangle (x0, y0, x1, y1) of its visible floor."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.rect = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self._eye = np.zeros(2)

    def update(self, patch: Patch) -> None:
        low, high = np.percentile(patch.points[:, :2], 1, axis=0), np.percentile(patch.points[:, :2], 99, axis=0)
        self.rect = np.array([*np.minimum(self.rect[:2], low), *np.maximum(self.rect[2:], high)])
        self._eye = patch.eye[:2]

    def distance(self, point: Array) -> float:
        """Return the distance (m) from a point (2 or more,) to the known floor, 0 inside."""
        return float(np.linalg.norm(point[:2] - np.clip(point[:2], self.rect[:2], self.rect[2:])))

    @property
    def likely_rect(self) -> Array:
        """Rectangle extended to the smallest size of a room: the floor continues behind a part seen through a door."""
        low, high = self.rect[:2].copy(), self.rect[2:].copy()
        view = (low + high) / 2 - self._eye
        for axis in (0, 1):
            missing = max(0.0, SMALLEST_ROOM - float(high[axis] - low[axis]))
            share = 0.5 + 0.5 * float(view[axis]) / max(float(np.linalg.norm(view)), 1e-6)
            low[axis] -= (1.0 - share) * missing
            high[axis] += share * missing
        return np.array([*low, *high])

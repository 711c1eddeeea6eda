"""What is remembered of a room."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array
from perception.localise import Patch
from perception.memory.seen_object import Identity

SMALLEST_ROOM = 1.8
"""Metres that a room is taken to be wide at least."""


class Room:
    """A room, known by its floor: the rectangle (x0, y0, x1, y1) around what was seen of it."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.rect = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self._eye = np.zeros(2)

    def update(self, patch: Patch) -> None:
        low, high = np.percentile(patch.points[:, :2], 1, axis=0), np.percentile(patch.points[:, :2], 99, axis=0)
        self.rect = np.array([*np.minimum(self.rect[:2], low), *np.maximum(self.rect[2:], high)])
        self._eye = patch.eye[:2]

    def distance(self, point: Array) -> float:
        """Metres from a point (2 or more,) to the floor that was seen, 0 inside."""
        return float(np.linalg.norm(point[:2] - np.clip(point[:2], self.rect[:2], self.rect[2:])))

    @property
    def likely_rect(self) -> Array:
        """The rectangle, made as large as a room is at least: it goes on behind what was seen through a doorway."""
        low, high = self.rect[:2].copy(), self.rect[2:].copy()
        view = (low + high) / 2 - self._eye
        for axis in (0, 1):
            missing = max(0.0, SMALLEST_ROOM - float(high[axis] - low[axis]))
            share = 0.5 + 0.5 * float(view[axis]) / max(float(np.linalg.norm(view)), 1e-6)
            low[axis] -= (1.0 - share) * missing
            high[axis] += share * missing
        return np.array([*low, *high])

"""Whether an arm posture, or the way between two, keeps out of solid things given as upright boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.types import Array, Box

FREE, TOUCH = -0.005, -0.02
"""How deep (m) the rough shape of the arm may be in a thing where it works: the spheres are fatter than the fingers.
The first does not move a drawer, the second is for narrow places."""

PLANNED, DRIVEN = 0.025, -0.005
"""Clearance (m) asked of the way of the arm for a standing that is planned, and for the one that was driven to."""


class Solids:
    """Boxes in the odometry frame, ready to be asked for the distance of many spheres at once."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._center = np.array([box.center for box in boxes]).reshape(-1, 1, 3)
        self._half = np.array([box.half for box in boxes]).reshape(-1, 1, 3)
        yaw = np.array([box.yaw for box in boxes]).reshape(-1, 1)
        self._c, self._s = np.cos(yaw), np.sin(yaw)

    def distance(self, points: Array, radii: Array) -> float:
        """Smallest distance (m) of spheres (n, 3) to any box, negative inside; inf without boxes."""
        if not self._center.size:
            return float("inf")
        away = points[None] - self._center
        x = self._c * away[..., 0] + self._s * away[..., 1]
        y = -self._s * away[..., 0] + self._c * away[..., 1]
        outside = np.abs(np.stack([x, y, away[..., 2]], axis=-1)) - self._half
        apart = np.linalg.norm(np.maximum(outside, 0.0), axis=-1) + np.minimum(outside.max(axis=-1), 0.0)
        return float(np.min(apart - radii))

"""Footprints on the floor of a house: convex polygons, and whether two of them share area."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

Corners: TypeAlias = tuple[tuple[float, float], ...]
"""Corners (x, y) in order, metres."""


def square(x: float, y: float, half: float) -> Corners:
    """The corners of an upright square around a point."""
    return ((x + half, y + half), (x - half, y + half), (x - half, y - half), (x + half, y - half))


def overlap(first: Corners, second: Corners) -> bool:
    """Whether two convex polygons (corners in order) share area: the separating axis theorem."""
    a, b = np.array(first), np.array(second)
    for corners in (a, b):
        edges = np.roll(corners, -1, axis=0) - corners
        for normal in np.stack([-edges[:, 1], edges[:, 0]], axis=1):
            p, q = a @ normal, b @ normal
            if p.max() <= q.min() + 1e-9 or q.max() <= p.min() + 1e-9:
                return False
    return True

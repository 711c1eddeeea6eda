"""Separation of tall points into walls and furniture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Mask
from perception.memory.clouds import RANGE, cells_of, inside
from perception.memory.seen_furniture import Furniture
from perception.scan import Points

BESIDE = 0.03
"""Distance (m) from furniture within which tall points belong to it."""
BESIDE_DOOR = 0.08
"""The same for a door in its current position: its handle and its other side may have been seen at a slightly different
opening, and be hidden now."""


def find_furniture_points(walls: Points, furniture: Sequence[Furniture]) -> Mask:
    """Return which tall points (n, 2) belong to a piece of furniture or to its door."""
    mask = np.zeros(len(walls), dtype=bool)
    if not len(walls):
        return mask
    neighbour_cells = _cells_around(walls)
    for piece in furniture:
        level = np.column_stack([walls, np.full(len(walls), piece.box.center[2])])
        mask |= inside(level, piece.box, BESIDE)
        if piece.panel is not None and (door := piece.panel.articulation().panel) is not None:
            mask |= inside(level, replace(door, center=np.array([*door.center[:2], level[0, 2]])), BESIDE_DOOR)
        mask |= _in_cells_of(neighbour_cells, piece)
    return mask


def find_touching_points(walls: Points, piece: Furniture) -> Mask:
    """Return which tall points (n, 2) are in or next to cells in which a piece of furniture was seen."""
    return _in_cells_of(_cells_around(walls), piece)


def _cells_around(walls: Points) -> NDArray[np.int64]:
    """Return the cells of points (n, 2) and their neighbours, (n, 9)."""
    steps = np.array([x * RANGE + y for x in (-1, 0, 1) for y in (-1, 0, 1)])
    return np.asarray(cells_of(walls, BESIDE)[:, None] + steps)


def _in_cells_of(neighbour_cells: NDArray[np.int64], piece: Furniture) -> Mask:
    """Return `find_touching_points` for points given by the cells (n, 9) around them."""
    cells = np.unique(cells_of(piece.points(panel=True)[:, :2], BESIDE))
    return np.asarray(np.isin(neighbour_cells, cells).any(axis=1))

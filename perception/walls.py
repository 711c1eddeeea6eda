"""Which of what was seen to be tall is a wall, and which is furniture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Mask
from perception.localise import Points
from perception.memory.clouds import RANGE, cells_of, inside
from perception.memory.seen_furniture import Furniture

BESIDE = 0.03
"""Metres from furniture up to which something tall belongs to it."""
BESIDE_DOOR = 0.08
"""The same for a door as it stands now: its handle and its other side, which were seen when it stood a little otherwise
and are hidden now."""


def belonging(walls: Points, furniture: Sequence[Furniture]) -> Mask:
    """Which points (n, 2) of something tall are of a piece of furniture or of its door."""
    mask = np.zeros(len(walls), dtype=bool)
    if not len(walls):
        return mask
    neighbour_cells = _cells_around(walls)
    for piece in furniture:
        level = np.column_stack([walls, np.full(len(walls), piece.box.center[2])])
        mask |= inside(level, piece.box, BESIDE)
        if piece.panel is not None and (door := piece.panel.articulation().panel) is not None:
            mask |= inside(level, replace(door, center=np.array([*door.center[:2], level[0, 2]])), BESIDE_DOOR)
        mask |= _among(neighbour_cells, piece)
    return mask


def touching(walls: Points, piece: Furniture) -> Mask:
    """Which points (n, 2) of something tall are where a piece of furniture was seen, or next to that."""
    return _among(_cells_around(walls), piece)


def _cells_around(walls: Points) -> NDArray[np.int64]:
    """The cells (n, 9) in which points (n, 2) are, and those next to these."""
    steps = np.array([x * RANGE + y for x in (-1, 0, 1) for y in (-1, 0, 1)])
    return np.asarray(cells_of(walls, BESIDE)[:, None] + steps)


def _among(neighbour_cells: NDArray[np.int64], piece: Furniture) -> Mask:
    """`touching`, of points by the cells (n, 9) around them."""
    cells = np.unique(cells_of(piece.points(panel=True)[:, :2], BESIDE))
    return np.asarray(np.isin(neighbour_cells, cells).any(axis=1))

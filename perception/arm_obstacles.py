"""Obstacles of the arm, as boxes around observed points."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array, Box, rotation_z
from perception.memory.clouds import cells_of
from perception.memory.panel import Panel
from perception.scan import Points

CELLS = (0.12, 0.06, 0.03)
"""Sizes (m) of the cubes whose points form one box: the largest first, smaller ones if the points are not a plate."""
PLATE = 0.012
"""Largest half thickness (m) of a plate of points in a cube."""
SAME, GAP = 0.03, 0.045
"""Largest difference (m) of the sides of two boxes, and largest gap (m) between them, for a merge."""
WALL = 0.01
"""Half width (m) of the wall that is assumed at a point of a wall."""
SKIN = 0.004
"""Smallest half size (m) of a box."""
HANDLE = 0.012
"""Half the thickness (m) of a handle."""


def solids_of(points: Points, center: Array, reach: float, yaw: float = 0.0) -> list[Box]:
    """Fit tight boxes around the points (n, 3) within `reach` metres of a centre (3,), all rotated by `yaw` (rad).

    Around a door at an angle, boxes with its yaw are as thin as the door. A board seen from above gives thin plates.
    The corner between a board and a wall stays free. Occluded space counts as empty: the inside of a closed cabinet,
    except for its front.
    """
    lows, highs = [np.zeros((0, 3))], [np.zeros((0, 3))]
    turn = rotation_z(-yaw)
    remaining = points[np.linalg.norm(points - center, axis=1) < reach].astype(np.float64) @ turn.T
    for size in CELLS:
        if not len(remaining):
            break
        _, index = np.unique(cells_of(remaining, size), return_inverse=True)
        order = np.argsort(index, kind="stable")
        starts = np.flatnonzero(np.diff(index[order], prepend=-1))
        ordered = remaining[order]
        low, high = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
        is_final = ((high - low).min(axis=1) <= 2 * PLATE) | (size == CELLS[-1])
        lows.append(low[is_final])
        highs.append(high[is_final])
        remaining = remaining[~is_final[index]]
    boxes = merge_boxes(np.concatenate(lows), np.concatenate(highs))
    return [Box(turn.T @ box.center, box.half, yaw) for box in boxes] if yaw else boxes


def walls_of(points: Points, height: float) -> list[Box]:
    """Return boxes from the floor up to a height (m) around points (n, 2) of walls."""
    feet = np.column_stack([points, np.zeros(len(points))]).astype(np.float64)
    return merge_boxes(feet - np.array([WALL, WALL, 0.0]), feet + np.array([WALL, WALL, height]))


def merge_boxes(low: Array, high: Array) -> list[Box]:
    """Return axis-aligned boxes from lowest and highest corners (n, 3), merging adjacent boxes along each axis."""
    for axis in range(3) if len(low) else ():
        sides = np.delete(np.hstack([low, high]), [axis, axis + 3], axis=1)
        keys = np.round(sides / SAME).astype(np.int64)
        order = np.lexsort((low[:, axis], *keys.T))
        low, high, keys = low[order], high[order], keys[order]
        begins = np.ones(len(low), dtype=bool)
        begins[1:] = (keys[1:] != keys[:-1]).any(axis=1) | (low[1:, axis] - high[:-1, axis] > GAP)
        starts = np.flatnonzero(begins)
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    return [Box(c, h) for c, h in zip((low + high) / 2, np.maximum((high - low) / 2, SKIN), strict=True)]


def bar_of(panel: Panel) -> Box:
    """Return the box of the handle in its current position: it protrudes and could catch a passing arm."""
    articulation = panel.articulation()
    axis = np.abs(panel.bar.axis)
    level, upright = float(np.hypot(*axis[:2])) * panel.bar.length / 2, float(axis[2]) * panel.bar.length / 2
    yaw = float(np.arctan2(articulation.handle_axis[1], articulation.handle_axis[0]))
    return Box(articulation.handle, np.array([level, 0.0, upright]) + HANDLE, yaw)

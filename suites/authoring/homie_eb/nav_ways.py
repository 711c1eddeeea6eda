"""The shortest path to an object by the small actions of the skill set `steps`, on the true plan of the floor."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping

import numpy as np

from homie.kernel.types import Array, Pose2
from skills.discrete_actions.step_actions import METRES, SMALL, Move

CLEAR = 0.345
"""Clearance (m) of the robot's middle: 4 cm more than its skill asks for, since steps are off by a centimetre."""
BETWEEN = 5
"""Points of a step, 5 cm apart, that have to be clear."""
NEAR = 0.97
"""Distance (m) from the middle of the object at which a path ends: 3 cm less than what counts, for the same reason."""
MOVES: Mapping[str, Move] = {name: small for name, small in SMALL.items() if isinstance(small, Move)}
AROUND = ("Rotate to the right by 90 degrees",) * 2
"""How an expert turns to the target behind it."""

Cell = tuple[int, int]


def shortest(start: Pose2, target: Array, clear: Callable[[Array], float], longest: int) -> list[str] | None:
    """Return the names of the moves, None where no path is that short.

    Args:
        start: Pose of the base; it keeps its heading.
        target: Middle of the object on the floor (2,), m.
        clear: Returns the clearance (m) of a point (2,).
        longest: Most moves.
    """
    came_from: dict[Cell, tuple[Cell, str]] = {}
    waiting, ways = deque([(0, 0)]), {(0, 0): 0}
    while waiting:
        cell = waiting.popleft()
        if math.dist(_place(start, cell), target) <= NEAR:
            return _steps(came_from, cell)
        for name, move in MOVES.items() if ways[cell] < longest else ():
            beside = cell[0] + round(math.cos(move.aside)), cell[1] + round(math.sin(move.aside))
            if beside not in ways and _is_clear(_place(start, cell), _place(start, beside), clear):
                ways[beside], came_from[beside] = ways[cell] + 1, (cell, name)
                waiting.append(beside)
    return None


def _steps(came_from: Mapping[Cell, tuple[Cell, str]], cell: Cell) -> list[str]:
    names: list[str] = []
    while cell in came_from:
        cell, name = came_from[cell]
        names.append(name)
    return names[::-1]


def _place(start: Pose2, cell: Cell) -> Array:
    """Return the position of the base after moves forward and to the left."""
    ahead, left = METRES * cell[0], METRES * cell[1]
    c, s = math.cos(start.yaw), math.sin(start.yaw)
    return np.array([start.x + c * ahead - s * left, start.y + s * ahead + c * left])


def _is_clear(a: Array, b: Array, clear: Callable[[Array], float]) -> bool:
    return all(clear(a + (b - a) * share) >= CLEAR for share in np.linspace(0.0, 1.0, BETWEEN + 1))

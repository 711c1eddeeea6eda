"""Ways over the floor of a house, for the expert: privileged."""

from __future__ import annotations

import heapq

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.kernel.types import Array

RADIUS = 0.37
"""Metres that the robot's middle keeps from things: its hand, and what is in it, reach 0.36 m."""
COMFORT = 0.25
"""Metres more from which a way costs nothing more."""
COARSE = 2
"""Cells of the floor plan, 5 cm wide, to a cell of a way along each side."""
_MOVES = tuple((dy, dx, float(np.hypot(dy, dx))) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)

Cell = tuple[int, int]


class Floor:
    """The shortest ways from where the robot stands to everywhere."""

    def __init__(self, plan: FloorPlan, start: Array) -> None:
        grid = plan.grid()
        self._origin, self._resolution = grid.origin, COARSE * grid.resolution
        clear = cv2.distanceTransform((~grid.occupied).astype(np.uint8), cv2.DIST_L2, 5) * grid.resolution
        self._clear: NDArray[np.float32] = clear[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE].astype(np.float32)
        self._start = np.asarray(start, dtype=float)
        self._came: dict[Cell, Cell] = {}
        self._cost: dict[Cell, float] = {}
        self._spread(self._cell(start))

    def _cell(self, point: Array) -> Cell:
        column, row = np.floor((np.asarray(point[:2]) - self._origin) / self._resolution).astype(int)
        ny, nx = self._clear.shape
        return int(np.clip(row, 0, ny - 1)), int(np.clip(column, 0, nx - 1))

    def _spread(self, first: Cell) -> None:
        """Dijkstra's algorithm from the robot. Near the start, where it may stand closer to things, less room does."""
        rows, columns = np.ogrid[: self._clear.shape[0], : self._clear.shape[1]]
        close = np.hypot(rows - first[0], columns - first[1]) * self._resolution <= 2 * RADIUS
        passable = (self._clear >= RADIUS) | (close & (self._clear >= RADIUS - 0.1))
        passable[first] = True
        price = 1.0 + 2.0 * np.clip((RADIUS + COMFORT - self._clear) / COMFORT, 0.0, 1.0)
        self._cost[first] = 0.0
        may, costs = passable.tolist(), price.tolist()  # lists are read one by one in a third of the time
        ny, nx = passable.shape
        heap, done = [(0.0, first)], set()
        while heap:
            total, cell = heapq.heappop(heap)
            if cell in done:
                continue
            done.add(cell)
            for dy, dx, length in _MOVES:
                near = (cell[0] + dy, cell[1] + dx)
                if not (0 <= near[0] < ny and 0 <= near[1] < nx) or not may[near[0]][near[1]]:
                    continue
                further = total + length * costs[near[0]][near[1]]
                if further < self._cost.get(near, np.inf):
                    self._cost[near], self._came[near] = further, cell
                    heapq.heappush(heap, (further, near))

    def cost(self, point: Array) -> float | None:
        """What a way to a point (2,) costs, about metres; None where there is none."""
        cell = self._cell(point)
        steps = self._cost.get(cell)
        return None if steps is None or self._clear[cell] < RADIUS else steps * self._resolution

    def way(self, point: Array) -> list[Array]:
        """Corners (2,) of the way to a point that can be reached, the last the point itself."""
        cells = [self._cell(point)]
        while cells[-1] in self._came:
            cells.append(self._came[cells[-1]])
        points = [self._origin + (np.array([column, row]) + 0.5) * self._resolution for row, column in cells[::-1]]
        points[0], points[-1] = self._start, np.asarray(point, dtype=float)
        corners, at = [], 0
        while at < len(points) - 1:
            ahead = len(points) - 1
            while ahead > at + 1 and not self._is_clear(points[at], points[ahead]):
                ahead -= 1
            corners.append(points[ahead])
            at = ahead
        return corners

    def _is_clear(self, a: Array, b: Array) -> bool:
        """Whether the straight line keeps the robot's distance; at the start, what is there."""
        number = max(2, int(np.linalg.norm(b - a) / (0.5 * self._resolution)) + 1)
        needed = min(RADIUS, float(self._clear[self._cell(a)])) - 0.01
        points = a + (b - a) * np.linspace(0.0, 1.0, number)[:, None]
        columns, rows = np.floor((points - self._origin) / self._resolution).astype(int).T
        return bool((self._clear[rows, columns] >= needed).all())

"""Shortest paths over the floor of a house, for the expert: privileged."""

from __future__ import annotations

import heapq

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.kernel.types import Array

RADIUS = 0.37
"""Minimum distance of the robot's middle from obstacles in metres: its hand and the held object reach 0.36 m."""
COMFORT = 0.25
"""Additional distance in metres from which there is no penalty."""
COARSE = 2
"""Side length of a path cell in cells of the floor plan, which are 5 cm wide."""
_MOVES = tuple((dy, dx, float(np.hypot(dy, dx))) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)

Cell = tuple[int, int]


class Floor:
    """Shortest paths from the robot's position to all cells."""

    def __init__(self, plan: FloorPlan, start: Array) -> None:
        grid = plan.grid()
        self._origin, self._resolution = grid.origin, COARSE * grid.resolution
        clearance = cv2.distanceTransform((~grid.occupied).astype(np.uint8), cv2.DIST_L2, 5) * grid.resolution
        self._clearance: NDArray[np.float32] = clearance[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE].astype(
            np.float32
        )
        self._start = np.asarray(start, dtype=float)
        self._predecessor: dict[Cell, Cell] = {}
        self._cost: dict[Cell, float] = {}
        self._search(self._cell(start))

    def _cell(self, point: Array) -> Cell:
        column, row = np.floor((np.asarray(point[:2]) - self._origin) / self._resolution).astype(int)
        ny, nx = self._clearance.shape
        return int(np.clip(row, 0, ny - 1)), int(np.clip(column, 0, nx - 1))

    def _search(self, first: Cell) -> None:
        """Dijkstra from the robot. Near the start, where it may be close to obstacles, less room is enough."""
        rows, columns = np.ogrid[: self._clearance.shape[0], : self._clearance.shape[1]]
        close = np.hypot(rows - first[0], columns - first[1]) * self._resolution <= 2 * RADIUS
        passable = (self._clearance >= RADIUS) | (close & (self._clearance >= RADIUS - 0.1))
        passable[first] = True
        weights = 1.0 + 2.0 * np.clip((RADIUS + COMFORT - self._clearance) / COMFORT, 0.0, 1.0)
        self._cost[first] = 0.0
        free, costs = passable.tolist(), weights.tolist()  # lists are three times as fast to read item by item
        ny, nx = passable.shape
        heap, done = [(0.0, first)], set()
        while heap:
            total, cell = heapq.heappop(heap)
            if cell in done:
                continue
            done.add(cell)
            for dy, dx, length in _MOVES:
                near = (cell[0] + dy, cell[1] + dx)
                if not (0 <= near[0] < ny and 0 <= near[1] < nx) or not free[near[0]][near[1]]:
                    continue
                further = total + length * costs[near[0]][near[1]]
                if further < self._cost.get(near, np.inf):
                    self._cost[near], self._predecessor[near] = further, cell
                    heapq.heappush(heap, (further, near))

    def cost(self, point: Array) -> float | None:
        """Cost of the path to a point (2,), about metres; None if there is no path."""
        cell = self._cell(point)
        steps = self._cost.get(cell)
        return None if steps is None or self._clearance[cell] < RADIUS else steps * self._resolution

    def way(self, point: Array) -> list[Array]:
        """Waypoints (2,) of the path to a reachable point, which is the last."""
        cells = [self._cell(point)]
        while cells[-1] in self._predecessor:
            cells.append(self._predecessor[cells[-1]])
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
        """Whether the straight line keeps the robot's clearance; at the start, the clearance there."""
        number = max(2, int(np.linalg.norm(b - a) / (0.5 * self._resolution)) + 1)
        needed = min(RADIUS, float(self._clearance[self._cell(a)])) - 0.01
        points = a + (b - a) * np.linspace(0.0, 1.0, number)[:, None]
        columns, rows = np.floor((points - self._origin) / self._resolution).astype(int).T
        return bool((self._clearance[rows, columns] >= needed).all())

"""Path planning on an occupancy grid: A* that prefers clearance, and the shortcuts that make its path drivable.

The robot is a disc (differential drive with a round footprint), so a configuration is a point of the distance field.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Mask, OccupancyGrid


def _segment(path: Array, point: Array) -> tuple[int, float]:
    """Return the segment of the path nearest to a point, and the position on it (0..1). Later segments win ties."""
    best, location = math.inf, (0, 0.0)
    x, y = point.tolist()
    for i, ((ax, ay), (bx, by)) in enumerate(itertools.pairwise(path.tolist())):
        dx, dy = bx - ax, by - ay
        fraction = ((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-9)
        t = min(max(fraction, 0.0), 1.0)
        off_x, off_y = ax + dx * t - x, ay + dy * t - y
        distance = math.sqrt(off_x * off_x + off_y * off_y)
        if distance <= best + 1e-9:
            best, location = distance, (i, t)
    return location


def length_left(path: Array, point: Array) -> float:
    """Return the length (m) of a path (n, 2) from its point nearest to `point`; near the end, at least the straight
    distance."""
    if len(path) == 1:
        return float(np.linalg.norm(path[0] - point))
    i, t = _segment(path, point)
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    length = float(lengths[i] * (1.0 - t) + lengths[i + 1 :].sum())
    return max(length, float(np.linalg.norm(path[-1] - point)) if length < 0.1 else length)


def rest_of(path: Array, point: Array) -> Array:
    """Return the corners (m, 2) of a path that are still ahead."""
    return path[_segment(path, point)[0] + 1 :] if len(path) > 1 else path


def point_ahead(path: Array, point: Array, distance: float) -> Array:
    """Return the point `distance` metres further along the path than the nearest one, or the path's end."""
    if len(path) == 1:
        end: Array = path[0]
        return end
    i, t = _segment(path, point)
    nearest_point = path[i] + (path[i + 1] - path[i]) * t
    for nxt in path[i + 1 :]:
        step = float(np.linalg.norm(nxt - nearest_point))
        if step >= distance:
            target: Array = nearest_point + (nxt - nearest_point) * (distance / step)
            return target
        distance -= step
        nearest_point = nxt
    last: Array = path[-1]
    return last


ESCAPE = 0.45
"""Radius (m) around the start within which a path may pass closer to obstacles than the robot's radius."""
TIGHT = 12.0
"""Cost per metre of such a stretch: twice that of the narrowest way that is wide enough, so that it is left soon."""

_MOVES = tuple((dy, dx, float(np.hypot(dy, dx))) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)


@dataclass(frozen=True, slots=True)
class CostMap:
    """Distance field of a grid.

    Attributes:
        clearance (ny, nx): Distance to the nearest obstacle, m.
        cost (ny, nx): Cost per metre.
    """

    clearance: NDArray[np.float32]
    cost: NDArray[np.float32]
    origin: Array
    resolution: float
    radius: float

    @classmethod
    def of(cls, grid: OccupancyGrid, radius: float, comfort: float = 0.30) -> CostMap:
        """Build the map from a grid for a disc of `radius` metres; more than `comfort` metres of clearance beyond it
        cost nothing."""
        free_cells = (~grid.occupied).astype(np.uint8)
        clearance = cv2.distanceTransform(free_cells, cv2.DIST_L2, 5).astype(np.float32) * grid.resolution
        closeness = np.clip((radius + comfort - clearance) / comfort, 0.0, 1.0)
        cost = 1.0 + 4.0 * closeness**2 + 1.0 * grid.unknown.astype(np.float32)
        cost[clearance < radius] = np.inf
        return cls(clearance, cost.astype(np.float32), grid.origin, grid.resolution, radius)

    def cell(self, point: Array) -> tuple[int, int]:
        """Return the (row, column) of a point (2,), clipped into the grid."""
        column, row = self._place(point)
        ny, nx = self.clearance.shape
        return min(max(row, 0), ny - 1), min(max(column, 0), nx - 1)

    def _place(self, point: Array) -> tuple[int, int]:
        """Return the (column, row) of a point (2+,), which may be outside the grid."""
        x, y = self.origin.tolist()
        return (
            math.floor((float(point[0]) - x) / self.resolution),
            math.floor((float(point[1]) - y) / self.resolution),
        )

    def passable(self, start: Array) -> Mask:
        """Return a mask (ny, nx) of the cells that a path from a point (2,) may pass.

        A robot that stands closer to an obstacle than its radius (after reaching over a counter, say) may leave: around
        the start, half the radius suffices.
        """
        row, column = self.cell(start)
        rows, columns = np.ogrid[: self.clearance.shape[0], : self.clearance.shape[1]]
        close = np.hypot(rows - row, columns - column) <= ESCAPE / self.resolution
        mask: Mask = (self.clearance >= self.radius) | (close & (self.clearance >= 0.5 * self.radius))
        mask[row, column] = True
        return mask

    def point(self, cell: tuple[int, int]) -> Array:
        """Return the centre (2,) of a cell."""
        return self.origin + (np.array([cell[1], cell[0]]) + 0.5) * self.resolution

    def clear_at(self, point: Array) -> float:
        """Return the clearance (m) at a point (2,); 0 outside the grid."""
        column, row = self._place(point)
        ny, nx = self.clearance.shape
        return float(self.clearance[row, column]) if 0 <= row < ny and 0 <= column < nx else 0.0

    def between(self, a: Array, b: Array) -> float:
        """Return the length (m) of obstacles on the straight line between two points (2,)."""
        return float(np.linalg.norm(np.asarray(b) - a)) * float(np.mean(self._clear_along(a, b) == 0.0))

    def clear_line(self, a: Array, b: Array, clearance: float) -> bool:
        """Whether the straight line between two points keeps the clearance."""
        return bool((self._clear_along(a, b) >= clearance).all())

    def _clear_along(self, a: Array, b: Array) -> Array:
        """Return the clearances (n,) at points on the straight line between two points (2+,), at most half a cell
        apart."""
        start, way = np.asarray(a)[:2], np.asarray(b)[:2] - np.asarray(a)[:2]
        steps = max(2, int(np.linalg.norm(way) / (0.5 * self.resolution)) + 1)
        points = start + way * np.linspace(0.0, 1.0, steps)[:, None]
        columns, rows = np.floor((points - self.origin) / self.resolution).astype(int).T
        ny, nx = self.clearance.shape
        inside = (rows >= 0) & (rows < ny) & (columns >= 0) & (columns < nx)
        clearances = self.clearance[np.clip(rows, 0, ny - 1), np.clip(columns, 0, nx - 1)]
        return np.where(inside, clearances.astype(float), 0.0)


def plan_path(costs: CostMap, start: Array, goal: Array, tolerance: float = 0.0) -> Array | None:
    """Return a path (n, 2) from start to goal (or to within `tolerance` metres of it), or None if there is none.

    Cells around the start that are nearer to an obstacle than the robot's radius cost more instead of being forbidden:
    see `CostMap.passable`.
    """
    first, last = costs.cell(start), costs.cell(goal)
    # Lists, because reading single elements of arrays takes several times as long.
    passable, cell_costs = costs.passable(start).tolist(), np.minimum(costs.cost, np.float32(TIGHT)).tolist()
    ny, nx = costs.clearance.shape
    rows, columns = np.ogrid[:ny, :nx]
    heuristic = np.hypot(rows - last[0], columns - last[1]).tolist()
    reach = tolerance / costs.resolution
    best = {first: 0.0}
    parent: dict[tuple[int, int], tuple[int, int]] = {}
    order = itertools.count()
    heap = [(0.0, next(order), first)]
    closed: set[tuple[int, int]] = set()
    while heap:
        _, _, cell = heapq.heappop(heap)
        if cell in closed:
            continue
        closed.add(cell)
        row, column = cell
        if heuristic[row][column] <= reach:
            return _smooth(costs, _trace(costs, parent, cell, start, goal if not reach else None))
        for dy, dx, length in _MOVES:
            y, x = nxt = (row + dy, column + dx)
            if not (0 <= y < ny and 0 <= x < nx) or nxt in closed or not passable[y][x]:
                continue
            total = best[cell] + length * cell_costs[y][x]
            if total < best.get(nxt, math.inf):
                best[nxt], parent[nxt] = total, cell
                heapq.heappush(heap, (total + heuristic[y][x], next(order), nxt))
    return None


def _trace(
    costs: CostMap,
    parent: dict[tuple[int, int], tuple[int, int]],
    cell: tuple[int, int],
    start: Array,
    goal: Array | None,
) -> Array:
    cells = [cell]
    while cells[-1] in parent:
        cells.append(parent[cells[-1]])
    points = [costs.point(c) for c in reversed(cells)]
    points[0] = np.asarray(start[:2], dtype=float)
    if goal is not None:
        points.append(np.asarray(goal[:2], dtype=float))
    return np.array(points)


def _smooth(costs: CostMap, path: Array) -> Array:
    """Leave out points that a straight line with nearly the same clearance can skip."""
    clearances = [costs.clear_at(point) for point in path]
    points = [path[0]]
    i = 0
    while i < len(path) - 1:
        j = min(len(path) - 1, i + 40)
        while j > i + 1:
            required = min(*clearances[i : j + 1], costs.radius + 0.20)
            if costs.clear_line(path[i], path[j], required - 0.02):
                break
            j -= 1
        points.append(path[j])
        i = j
    return np.array(points)

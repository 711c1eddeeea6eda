"""Mapping: an occupancy grid of the base's obstacles, built from depth pictures while the robot moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Box, Mask, OccupancyGrid, Pose2, mask_bounds
from perception.scan import Points, Scan

RESOLUTION = 0.05
LOWEST = 0.05
"""Height (m) above the floor from which points are obstacles."""
HIGHEST = 1.5
"""Height (m) above the floor up to which points are obstacles: the height of the robot with its torso raised."""
FAR = 6.0
"""Distance (m) within which obstacles are added to the map."""
FREE_FAR = 5.0
"""Distance (m) within which floor is added to the map."""
MARGIN = 3.0
"""Width (m) of the margin of unknown floor around the known map, in which goals are allowed."""
GROWTH = 80
"""Cells by which the map grows in one step: 4 m, so that it grows a few times in a large house."""
TALL = 1.2
"""Height (m) above the floor from which an obstacle counts as a wall, which an arm cannot reach over."""
SURE = 3.0
"""Maximum evidence of a cell: this many looks reverse its state."""
SEE_NEAR, SEE_FAR = 0.2, 3.0
"""Smallest depth and largest distance (m) at which a look can show that a point has gone: beyond, a chair's bar is
narrower than a pixel."""
BEHIND = 0.1
"""Distance (m) behind a point from which the depth shows that a look passed through the point."""
WIDEST_GAP = 0.6
"""Largest distance (m) between two pixels across which a surface is assumed to continue."""
HIGHEST_LEVEL = 1.0
"""Height (m) above the floor up to which gaps in level surfaces, as of tables, are filled: at camera height, the upper
edge of a door and the wall behind it look like one level surface too."""
SHORTEST_WALL = 0.3
"""Smallest length (m) of a wall: shorter pieces are edges of unrecognised furniture."""
GAP_STEPS = 8
"""Steps into which the gap between two pixels of one surface, seen at a flat angle, is divided."""

_NOTHING: Points = np.zeros((0, 3), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Keepout:
    """Vertical cylinder with points of the robot or the held object: centre (3,), radius (m), half height (m)."""

    center: Array
    radius: float
    half_height: float


class _Evidence:
    """Evidence for and against an obstacle in each cell of a map (ny, nx), and the last point (3,) seen in the cell.

    Cells are numbered row by row.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._looks: NDArray[np.float32] = np.zeros(shape[0] * shape[1], dtype=np.float32)
        self._points: Points = np.full((len(self._looks), 3), np.nan, dtype=np.float32)

    def grow(self, rows: tuple[int, int], columns: tuple[int, int]) -> None:
        """Add unknown cells: rows before and after those of the map, and columns."""
        looks = np.pad(self._looks.reshape(self._shape), (rows, columns))
        points = self._points.reshape(*self._shape, 3)
        points = np.pad(points, (rows, columns, (0, 0)), constant_values=np.float32(np.nan))
        self._shape = looks.shape
        self._looks, self._points = looks.reshape(-1), points.reshape(-1, 3)

    @property
    def occupied(self) -> Mask:
        """Occupied cells, (ny nx,)."""
        occupied: Mask = self._looks > 0
        return occupied

    @property
    def points(self) -> Points:
        """Points of the occupied cells, (n, 3)."""
        return self._points[self.occupied]

    def update(self, points: Points, cells: NDArray[np.intp], floor: Mask, scans: Sequence[Scan]) -> None:
        """Update with a look: points (n, 3) in cells (n,), and the cells (ny nx,) in which floor is visible.

        A look counts against a cell if it shows only floor there, or the background of the point seen in it.
        """
        hit = np.zeros(len(self._looks), dtype=bool)
        hit[cells] = True
        contradicted = floor & ~hit
        known = np.flatnonzero(self.occupied & ~hit)
        for scan in scans:
            contradicted[known[_seen_through(scan, self._points[known])]] = True
        self._points[cells] = points
        self._looks[hit] = np.minimum(self._looks[hit] + 1.0, SURE)
        self._looks[contradicted] = np.maximum(self._looks[contradicted] - 1.0, -SURE)


class OccupancyMapper:
    """Occupancy map with evidence per cell. It starts as a square of `size` metres around the first base pose, and
    grows where the robot sees beyond it.

    Each look (one update, all its pictures together) adds one to a cell with an obstacle and subtracts one from a cell
    with only floor, or where it saw through the obstacle, so that moved obstacles disappear after `SURE` looks: doors
    too, though the floor under them may be hidden.
    """

    def __init__(self, size: float = 24.0) -> None:
        cells = round(size / RESOLUTION)
        self._obstacles, self._walls = _Evidence((cells, cells)), _Evidence((cells, cells))
        self._seen: Mask = np.zeros((cells, cells), dtype=bool)
        self._floor: Mask = np.zeros_like(self._seen)
        self._origin: Array | None = None

    def update(
        self,
        scans: Sequence[Scan],
        own_pixels: Sequence[Mask | None],
        base: Pose2,
        radius: float,
        keepouts: Sequence[Keepout],
    ) -> None:
        """Update with pictures of one moment.

        Args:
            own_pixels: For each scan the mask (H, W) of the robot's own pixels, None if unknown.
            base, radius: Footprint of the robot, which is free floor.
            keepouts: Volumes whose points are not part of the house.
        """
        if self._origin is None:
            half = len(self._seen) * RESOLUTION / 2
            self._origin = np.floor((base.xy - half) / RESOLUTION) * RESOLUTION
        body = Keepout(np.array([base.x, base.y, 0.0]), radius, np.inf)
        looks = [
            self._classify_points(scan, mask, [body, *keepouts]) for scan, mask in zip(scans, own_pixels, strict=True)
        ]
        obstacles = np.concatenate([_NOTHING, *(obstacle for obstacle, _ in looks)])
        grounds = [_disc(base, radius), *(ground for _, ground in looks)]
        self._grow_to_include([obstacles, *grounds])
        seen, floor = self._seen.reshape(-1), np.zeros(self._seen.size, dtype=bool)
        for ground in grounds:
            floor[self._cell_numbers(ground)] = True
        for evidence, points in ((self._obstacles, obstacles), (self._walls, obstacles[obstacles[:, 2] > TALL])):
            cells = self._cell_numbers(points)
            evidence.update(points, cells, floor, scans)
            seen[cells] = True
        seen |= floor
        self._floor.reshape(-1)[floor] = True

    def grid(self, solids: Sequence[Box] = (), walls: Points = _NOTHING, *, floor_stays: bool = False) -> OccupancyGrid:
        """Return the known map with a `MARGIN` of unknown cells. Raises ValueError before the first update.

        Args:
            solids: Boxes whose whole footprint is occupied, though only their sides are visible.
            walls (n, 2 or more): Points of walls, through which an arm cannot reach.
            floor_stays: Whether boxes are so rough that visible floor inside them stays free.
        """
        if self._origin is None:
            raise ValueError("the map is empty before the first update")
        x0, y0, x1, y1 = mask_bounds(self._seen)
        margin_cells = round(MARGIN / RESOLUTION)
        x0, y0, x1, y1 = max(0, x0 - margin_cells), max(0, y0 - margin_cells), x1 + margin_cells, y1 + margin_cells
        cells = np.zeros(self._seen.shape, dtype=np.uint8)
        for box in solids:
            corners = np.round((box.corners() - self._origin) / RESOLUTION - 0.5).astype(np.int32)
            cv2.fillConvexPoly(cells, corners, 1)
        if floor_stays:
            cells[self._floor] = 0
        cells |= self._obstacles.occupied.reshape(self._seen.shape)
        occupied = cells[y0:y1, x0:x1] > 0
        tall = np.zeros(self._seen.size, dtype=np.uint8)
        tall[self._cell_numbers(walls)] = 1
        return OccupancyGrid(
            occupied=occupied,
            unknown=~self._seen[y0:y1, x0:x1],
            origin=self._origin + RESOLUTION * np.array([x0, y0]),
            resolution=RESOLUTION,
            walls=_joined(tall.reshape(self._seen.shape)[y0:y1, x0:x1]),
        )

    def walls(self, center: Array, reach: float) -> Points:
        """Return points (n, 2) of obstacles of wall height within `reach` metres of a point (2+,)."""
        points = self._walls.points[:, :2]
        nearby: Points = points[np.linalg.norm(points - center[:2].astype(np.float32), axis=1) < reach]
        return nearby

    def _grow_to_include(self, clouds: Sequence[Points]) -> None:
        """Grow the map to include points (n, 2 or more), with `MARGIN` around them."""
        assert self._origin is not None
        corners = [
            [bound(cloud[:, 0]), bound(cloud[:, 1])] for cloud in clouds if len(cloud) for bound in (np.min, np.max)
        ]
        cells = (np.array(corners) - self._origin) / RESOLUTION
        overflow = np.array([-cells.min(axis=0), cells.max(axis=0) - self._seen.shape[::-1]]) + MARGIN / RESOLUTION
        if (overflow <= 0).all():
            return
        steps = np.ceil(np.maximum(overflow, 0.0) / GROWTH).astype(int) * GROWTH
        columns, rows = ((int(cells_before), int(cells_after)) for cells_before, cells_after in steps.T)
        self._origin = self._origin - RESOLUTION * steps[0]
        self._seen, self._floor = (np.pad(known, (rows, columns)) for known in (self._seen, self._floor))
        for evidence in (self._obstacles, self._walls):
            evidence.grow(rows, columns)

    def _cell_numbers(self, xy: Points) -> NDArray[np.intp]:
        """Return the cell numbers (n,) of points (n, 2 or more)."""
        assert self._origin is not None
        cell = np.floor((xy[:, :2] - self._origin.astype(np.float32)) / RESOLUTION).astype(np.intp)
        return np.asarray(cell[:, 1] * self._seen.shape[1] + cell[:, 0])

    @staticmethod
    def _classify_points(scan: Scan, own_pixels: Mask | None, keepouts: Sequence[Keepout]) -> tuple[Points, Points]:
        """Return obstacle points and floor points (n, 3) of a picture, from every second row and column."""
        points, valid = scan.points[::2, ::2], scan.valid[::2, ::2]
        if own_pixels is not None:
            valid = valid & ~own_pixels[::2, ::2]
        x, y, z = (np.ascontiguousarray(points[..., axis]) for axis in range(3))
        reach = np.hypot(x - np.float32(scan.eye[0]), y - np.float32(scan.eye[1]))
        solid = valid & (z > LOWEST) & (z < HIGHEST) & (reach < FAR)
        ground = valid & (np.abs(z) < LOWEST) & (reach < FREE_FAR)
        for keepout in keepouts:
            is_near = np.hypot(x - keepout.center[0], y - keepout.center[1]) < keepout.radius
            solid &= ~(is_near & (np.abs(z - keepout.center[2]) < keepout.half_height))
        # Pixels where two rows show one level surface below the camera.
        level = (np.abs(z[1:] - z[:-1]) < 0.03) & (z[1:] < HIGHEST_LEVEL)
        return _fill_gaps(points, level, solid), _fill_gaps(points, level, ground)


def _seen_through(scan: Scan, points: Points) -> Mask:
    """Return which points (n, 3) a picture sees through, (n,): all depths at and around them are larger."""
    seen_through, rows, columns, depths = scan.project(points)
    seen_through &= (depths > SEE_NEAR) & (np.linalg.norm(points - scan.eye, axis=1) < SEE_FAR)
    nearest = cv2.erode(np.where(scan.valid, scan.depth, np.float32(0.0)), np.ones((3, 3), np.uint8))
    behind = depths[seen_through] + BEHIND
    seen_through[seen_through] = nearest[rows[seen_through], columns[seen_through]] > behind
    return seen_through


def _fill_gaps(points: Points, level: Mask, chosen: Mask) -> Points:
    """Return the chosen points (n, 3), with gaps filled where two rows are far apart on one surface.

    Args:
        level: For each pair of rows, the pixels where both show one level surface.
    """
    pairs = np.flatnonzero((level & chosen[1:] & chosen[:-1]).ravel())
    starts = points[:-1].reshape(-1, 3)[pairs]
    steps = points[1:].reshape(-1, 3)[pairs] - starts
    gap = np.hypot(steps[:, 0], steps[:, 1])
    wide = (gap > 0.8 * RESOLUTION) & (gap < WIDEST_GAP) & (np.abs(steps[:, 2]) < 0.1 * gap)
    starts, steps = starts[wide], steps[wide]
    return np.concatenate([points[chosen], *(starts + steps * np.float32(k / GAP_STEPS) for k in range(1, GAP_STEPS))])


def _joined(cells: NDArray[np.uint8]) -> Mask:
    """Return walls (ny, nx) from cells with tall points: gaps of a cell or two are closed, and pieces shorter than a
    wall are removed."""
    closed = cv2.morphologyEx(cells, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, labels, patches, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    long = patches[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) * RESOLUTION >= SHORTEST_WALL
    long[0] = False  # label of the free floor
    joined: Mask = long[labels]
    return joined


def _disc(base: Pose2, radius: float) -> Points:
    """Return points that cover the floor under the robot, (n, 2)."""
    steps = np.arange(-radius, radius + 1e-6, RESOLUTION / 2, dtype=np.float32)
    x, y = np.meshgrid(steps, steps)
    inside = np.hypot(x, y) <= radius
    return np.stack([x[inside] + np.float32(base.x), y[inside] + np.float32(base.y)], axis=1)

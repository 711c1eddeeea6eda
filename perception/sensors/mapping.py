"""Where the base cannot be: an occupancy grid built from depth pictures while the robot goes about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Box, Mask, OccupancyGrid, Pose2
from perception.localise import Points, Scan

RESOLUTION = 0.05
LOWEST = 0.05
"""Metres above the floor from which something is an obstacle."""
HIGHEST = 1.5
"""Metres above the floor up to which something is an obstacle: the height of the robot with its torso raised."""
FAR = 6.0
"""Metres within which obstacles are taken into the map."""
FREE_FAR = 5.0
"""Metres within which floor is taken into the map."""
MARGIN = 3.0
"""Metres of unknown floor around the known map that the robot may be sent to."""
TALL = 1.2
"""Metres above the floor at which what is an obstacle is a wall, or as much in the way of an arm as one."""
SURE = 3.0
"""Evidence at which a cell is sure: as many looks as this change its mind."""
WIDEST_GAP = 0.6
"""Metres between two pixels up to which a surface is taken to go on between them."""
GAP_STEPS = 8
"""Points that fill the gap between two pixels of one surface seen at a flat angle."""


@dataclass(frozen=True, slots=True)
class Keepout:
    """An upright cylinder whose points belong to the robot or to what it holds: centre (3,), radius, half height."""

    center: Array
    radius: float
    half_height: float


class OccupancyMapper:
    """Counts looks for and against each cell. The map is a square of `size` metres around the first base pose.

    Each look (one update, all its pictures together) adds one to a cell where it saw an obstacle and takes one off
    where it saw only floor, so that what has been moved away disappears after `SURE` looks.
    """

    def __init__(self, size: float = 24.0) -> None:
        self._cells = round(size / RESOLUTION)
        self._evidence: NDArray[np.float32] = np.zeros((self._cells, self._cells), dtype=np.float32)
        self._seen: Mask = np.zeros((self._cells, self._cells), dtype=bool)
        self._tall: Points = np.full((self._cells * self._cells, 2), np.nan, dtype=np.float32)
        self._origin: Array | None = None

    def update(
        self, scans: Sequence[Scan], own: Sequence[Mask | None], base: Pose2, radius: float, keepouts: Sequence[Keepout]
    ) -> None:
        """Take in pictures made at one time.

        own: for each scan where the robot sees itself (H, W), None where that is not known. base, radius: where the
        robot stands, which is free floor. keepouts: where points are not part of the house.
        """
        if self._origin is None:
            half = self._cells * RESOLUTION / 2
            self._origin = np.floor((base.xy - half) / RESOLUTION) * RESOLUTION
        hit = np.zeros(self._evidence.size, dtype=bool)
        floor = np.zeros(self._evidence.size, dtype=bool)
        body = Keepout(np.array([base.x, base.y, 0.0]), radius, np.inf)
        for scan, mask in zip(scans, own, strict=True):
            obstacle, ground = self._classified(scan, mask, [body, *keepouts])
            hit[self._index(obstacle)] = True
            tall = obstacle[obstacle[:, 2] > TALL]
            inside, index = self._located(tall)
            self._tall[index] = tall[inside, :2]
            floor[self._index(ground)] = True
        floor[self._index(_disc(base, radius))] = True
        flat, seen = self._evidence.reshape(-1), self._seen.reshape(-1)
        flat[hit] = np.minimum(flat[hit] + 1.0, SURE)
        free = floor & ~hit
        flat[free] = np.maximum(flat[free] - 1.0, -SURE)
        seen |= hit | floor

    def grid(self, solids: Sequence[Box] = ()) -> OccupancyGrid:
        """What is known, with `MARGIN` of unknown around it. Raises ValueError before the first update.

        solids: boxes whose whole footprint is occupied, though only their sides can be seen.
        """
        if self._origin is None:
            raise ValueError("the map is empty before the first update")
        rows, columns = np.flatnonzero(self._seen.any(axis=1)), np.flatnonzero(self._seen.any(axis=0))
        around = round(MARGIN / RESOLUTION)
        y0, y1 = max(0, int(rows[0]) - around), int(rows[-1]) + around + 1
        x0, x1 = max(0, int(columns[0]) - around), int(columns[-1]) + around + 1
        filled = (self._evidence > 0).astype(np.uint8)
        for box in solids:
            corners = np.round((box.corners() - self._origin) / RESOLUTION - 0.5).astype(np.int32)
            cv2.fillConvexPoly(filled, corners, 1)
        occupied = filled[y0:y1, x0:x1] > 0
        return OccupancyGrid(
            occupied=occupied,
            unknown=~self._seen[y0:y1, x0:x1],
            origin=self._origin + RESOLUTION * np.array([x0, y0]),
            resolution=RESOLUTION,
        )

    def walls(self, center: Array, reach: float) -> Points:
        """Points (n, 2) within `reach` metres of a point (2+,) at which something as high as a wall was seen."""
        points = self._tall[(self._evidence.reshape(-1) > 0)]
        near: Points = points[np.linalg.norm(points - center[:2].astype(np.float32), axis=1) < reach]
        return near

    def _located(self, xy: Points) -> tuple[Mask, NDArray[np.intp]]:
        """Which of the points (n, 2 or more) lie on the map (n,), and the flat cell indices of those."""
        assert self._origin is not None
        cell = np.floor((xy[:, :2] - self._origin.astype(np.float32)) / RESOLUTION).astype(np.intp)
        inside: Mask = ((cell >= 0) & (cell < self._cells)).all(axis=1)
        return inside, cell[inside, 1] * self._cells + cell[inside, 0]

    def _index(self, xy: Points) -> NDArray[np.intp]:
        return self._located(xy)[1]

    @staticmethod
    def _classified(scan: Scan, own: Mask | None, keepouts: Sequence[Keepout]) -> tuple[Points, Points]:
        """Obstacle points and floor points (n, 3) of a picture; every second row and column is looked at."""
        points, valid = scan.points[::2, ::2], scan.valid[::2, ::2]
        if own is not None:
            valid = valid & ~own[::2, ::2]
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        reach = np.hypot(x - np.float32(scan.eye[0]), y - np.float32(scan.eye[1]))
        solid = valid & (z > LOWEST) & (z < HIGHEST) & (reach < FAR)
        ground = valid & (np.abs(z) < LOWEST) & (reach < FREE_FAR)
        for keepout in keepouts:
            near = np.hypot(x - keepout.center[0], y - keepout.center[1]) < keepout.radius
            solid &= ~(near & (np.abs(z - keepout.center[2]) < keepout.half_height))
        return _filled(points, solid), _filled(points, ground)


def _filled(points: Points, chosen: Mask) -> Points:
    """The chosen points (n, 3), with the gaps filled where two rows show one level surface far apart."""
    rise = np.abs(points[1:, :, 2] - points[:-1, :, 2]) < 0.03
    pairs = np.flatnonzero((rise & chosen[1:] & chosen[:-1]).ravel())
    starts = points[:-1].reshape(-1, 3)[pairs]
    steps = points[1:].reshape(-1, 3)[pairs] - starts
    gap = np.hypot(steps[:, 0], steps[:, 1])
    wide = (gap > 0.8 * RESOLUTION) & (gap < WIDEST_GAP) & (np.abs(steps[:, 2]) < 0.1 * gap)
    starts, steps = starts[wide], steps[wide]
    return np.concatenate([points[chosen], *(starts + steps * np.float32(k / GAP_STEPS) for k in range(1, GAP_STEPS))])


def _disc(base: Pose2, radius: float) -> Points:
    """Points that cover the floor under the robot, (n, 2)."""
    steps = np.arange(-radius, radius + 1e-6, RESOLUTION / 2, dtype=np.float32)
    x, y = np.meshgrid(steps, steps)
    inside = np.hypot(x, y) <= radius
    return np.stack([x[inside] + np.float32(base.x), y[inside] + np.float32(base.y)], axis=1)

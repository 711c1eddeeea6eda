"""Which velocities a base may take by the map that the robot has.

M3 was trained where a base slides along what it touches; a robot must not press on, and what it would touch beside or
behind it is not in its pictures. So a class is left out that leads the base nearer to an obstacle than it is wide, or
the arm, which M3 holds before the base, into a wall; of a robot that is nearer already, one that leads nearer still.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Mask, OccupancyGrid, Pose2
from skills.m3.layout import ANGULAR, LINEAR, STOP
from skills.m3.teacher import ACTIONS, rolled

SPARE = 0.06
"""Metres that the arm needs around it: a cell of the map, and what it sways."""
TURNS = np.arange(len(ANGULAR)) + LINEAR.index(0.0) * len(ANGULAR)
"""The classes that do not drive."""


class Guard:
    """The map around a robot of a footprint (m). One serves one attempt."""

    def __init__(self, radius: float) -> None:
        self._radius = radius
        self._grid: OccupancyGrid | None = None
        self._room = self._arm_room = np.zeros((0, 0), np.float32)

    def allowed(self, base: Pose2, arm: Array, radii: Array, grid: OccupancyGrid | None) -> Mask:
        """The classes (20,) that touch nothing; those that only turn where there is none.

        Args:
            base: Where the base is.
            arm: Centres (n, 3) in the base frame of spheres that fill the arm.
            radii: Theirs (n,), m.
            grid: What the robot knows; without it all classes are allowed.
        """
        if grid is None:
            return np.ones(len(ACTIONS), bool)
        if grid is not self._grid:
            self._grid, self._room = grid, _distances(grid.occupied, grid.resolution)
            self._arm_room = self._room if grid.walls is None else _distances(grid.walls, grid.resolution)
        base_pose = np.array([[base.x, base.y, base.yaw]])
        # (20, decisions, 3)
        poses = np.stack([rolled(base_pose, linear, angular)[:, 0] for linear, angular in ACTIONS])
        is_clear = self._keeps_off(self._room, base_pose[:, :2], poses[..., :2], self._radius)
        for (x, y, _), radius in zip(arm, radii, strict=True):
            if np.hypot(x, y) + radius > self._radius:
                is_clear &= self._keeps_off(
                    self._arm_room, _points_at_poses(base_pose, x, y), _points_at_poses(poses, x, y), radius + SPARE
                )
        if not np.delete(is_clear, STOP).any():
            is_clear[TURNS] = True
        return is_clear

    def _keeps_off(self, room: NDArray[np.float32], current: Array, points: Array, margin: float) -> Mask:
        """Which of the ways (n, m, 2) of a point that is `current` (1, 2) lead nowhere with less room than `margin`, or
        than it has."""
        has_room: Mask = self._at(room, points).min(axis=1) >= np.minimum(margin, self._at(room, current)) - 1e-6
        return has_room

    def _at(self, room: NDArray[np.float32], points: Array) -> Array:
        """The room at points (..., 2); none outside the map."""
        assert self._grid is not None
        column, row = np.moveaxis(np.floor((points - self._grid.origin) / self._grid.resolution).astype(np.intp), -1, 0)
        inside = (row >= 0) & (row < room.shape[0]) & (column >= 0) & (column < room.shape[1])
        return np.where(inside, room[np.where(inside, row, 0), np.where(inside, column, 0)], 0.0)


def _distances(occupied: Mask, resolution: float) -> NDArray[np.float32]:
    """Metres from the cells (ny, nx) to the nearest one that is full."""
    return cv2.distanceTransform((~occupied).astype(np.uint8), cv2.DIST_L2, 5).astype(np.float32) * resolution


def _points_at_poses(poses: Array, x: float, y: float) -> Array:
    """Where a point of the base frame is at poses (..., 3): (..., 2)."""
    cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
    return poses[..., :2] + np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)

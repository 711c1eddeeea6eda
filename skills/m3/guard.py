"""Choice of the velocities that are collision-free in the robot's map.

M3 was trained where a base slides along what it touches; a real robot must not press on, and obstacles beside or behind
it are not in its images. So a class is excluded if it leads the base nearer to an obstacle than its radius, or the arm,
which M3 holds in front of the base, into a wall; for a robot that is nearer already, if it leads nearer still.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Mask, OccupancyGrid, Pose2
from skills.m3.layout import ANGULAR, LINEAR, STOP
from skills.m3.teacher import ACTIONS, roll_out

SPARE = 0.06
"""Margin (m) around the arm: a cell of the map, and its sway."""
TURNS = np.arange(len(ANGULAR)) + LINEAR.index(0.0) * len(ANGULAR)
"""The classes that turn in place."""


class Guard:
    """The map around a robot of a footprint radius (m), for one attempt."""

    def __init__(self, radius: float) -> None:
        self._radius = radius
        self._grid: OccupancyGrid | None = None
        self._room = self._arm_room = np.zeros((0, 0), np.float32)

    def allowed_classes(self, base: Pose2, arm: Array, radii: Array, grid: OccupancyGrid | None) -> Mask:
        """Return a mask (20,) of the collision-free classes; the ones that only turn if there is none.

        Args:
            base: Base pose.
            arm: Centres (n, 3) in the base frame of spheres that fill the arm.
            radii: Radii (n,) of the spheres, m.
            grid: The robot's map; without it all classes are allowed.
        """
        if grid is None:
            return np.ones(len(ACTIONS), bool)
        if grid is not self._grid:
            self._grid, self._room = grid, _distances(grid.occupied, grid.resolution)
            self._arm_room = self._room if grid.walls is None else _distances(grid.walls, grid.resolution)
        base_pose = np.array([[base.x, base.y, base.yaw]])
        # (20, decisions, 3)
        poses = np.stack([roll_out(base_pose, linear, angular)[:, 0] for linear, angular in ACTIONS])
        is_clear = self._keeps_clearance(self._room, base_pose[:, :2], poses[..., :2], self._radius)
        for (x, y, _), radius in zip(arm, radii, strict=True):
            if np.hypot(x, y) + radius > self._radius:
                is_clear &= self._keeps_clearance(
                    self._arm_room, _points_at_poses(base_pose, x, y), _points_at_poses(poses, x, y), radius + SPARE
                )
        if not np.delete(is_clear, STOP).any():
            is_clear[TURNS] = True
        return is_clear

    def _keeps_clearance(self, room: NDArray[np.float32], current: Array, points: Array, margin: float) -> Mask:
        """Return which of the paths (n, m, 2) of a point, now at `current` (1, 2), keep a clearance of `margin`, or of
        the current one if that is less."""
        has_room: Mask = (
            self._room_at(room, points).min(axis=1) >= np.minimum(margin, self._room_at(room, current)) - 1e-6
        )
        return has_room

    def _room_at(self, room: NDArray[np.float32], points: Array) -> Array:
        """Return the clearance at points (..., 2); 0 outside the map."""
        assert self._grid is not None
        column, row = np.moveaxis(np.floor((points - self._grid.origin) / self._grid.resolution).astype(np.intp), -1, 0)
        inside = (row >= 0) & (row < room.shape[0]) & (column >= 0) & (column < room.shape[1])
        return np.where(inside, room[np.where(inside, row, 0), np.where(inside, column, 0)], 0.0)


def _distances(occupied: Mask, resolution: float) -> NDArray[np.float32]:
    """Return the distances (m) from the cells (ny, nx) to the nearest occupied one."""
    return cv2.distanceTransform((~occupied).astype(np.uint8), cv2.DIST_L2, 5).astype(np.float32) * resolution


def _points_at_poses(poses: Array, x: float, y: float) -> Array:
    """Return the positions (..., 2) of a point of the base frame at poses (..., 3)."""
    cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
    return poses[..., :2] + np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)

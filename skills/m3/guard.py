"""Which velocities a base may take by the map that the robot has.

M3 was trained where a base slides along what it touches; a robot must not press on, and what it would touch beside or
behind it is not in its pictures. So a class is left out that leads nearer to an obstacle than the base is wide, or the
gripper, which M3 holds before the base, into a wall.
"""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array, Mask, OccupancyGrid, Pose2
from skills.m3.layout import ANGULAR, LINEAR, STOP
from skills.m3.teacher import ACTIONS, rolled
from skills.motion.base_path_planning import CostMap

FINGERS = 0.1
"""Metres by which the hand reaches beyond the gripper's position."""
TURNS = np.arange(len(ANGULAR)) + LINEAR.index(0.0) * len(ANGULAR)
"""The classes that do not drive."""


class Guard:
    """The map around a robot of a footprint (m). One serves one attempt."""

    def __init__(self, radius: float) -> None:
        self._radius = radius
        self._costs: CostMap | None = None
        self._of: OccupancyGrid | None = None

    def allowed(self, base: Pose2, gripper: Array, grid: OccupancyGrid | None) -> Mask:
        """The classes (20,) that touch nothing; those that only turn where none is.

        Args:
            base: Where the base is.
            gripper: The gripper's position (3,) in the base frame.
            grid: What the robot knows; without it all classes are allowed.
        """
        if grid is None:
            return np.ones(len(ACTIONS), bool)
        if self._costs is None or self._of is not grid:
            self._costs, self._of = CostMap.of(grid, self._radius), grid
        now = np.array([[base.x, base.y, base.yaw]])
        here = self._clearance(now[:, :2])[0]
        poses = np.stack([rolled(now, linear, angular)[:, 0] for linear, angular in ACTIONS])  # (20, decisions, 3)
        clear = self._clearance(poses[..., :2]).min(axis=1) >= min(self._radius, here) - 1e-6
        if not self._in_wall(now, gripper)[0]:
            clear &= ~self._in_wall(poses, gripper).any(axis=1)
        driving = np.delete(clear, STOP)
        if not driving.any():
            clear[TURNS] = True
        return np.asarray(clear)

    def _clearance(self, points: Array) -> Array:
        """Metres from points (..., 2) to the nearest obstacle."""
        assert self._costs is not None
        row, column, inside = self._cells(points)
        return np.where(inside, self._costs.clearance[row, column], 0.0)

    def _in_wall(self, poses: Array, gripper: Array) -> Mask:
        """Whether the hand, or the arm behind it, is in a wall at poses (..., 3)."""
        assert self._of is not None
        if self._of.walls is None:
            return np.zeros(poses.shape[:-1], bool)
        heading = np.stack([np.cos(poses[..., 2]), np.sin(poses[..., 2])], axis=-1)
        hit = np.zeros(poses.shape[:-1], bool)
        for reach in np.linspace(self._radius, float(gripper[0]) + FINGERS, 5):
            row, column, inside = self._cells(poses[..., :2] + reach * heading)
            hit |= inside & self._of.walls[row, column]
        return hit

    def _cells(self, points: Array) -> tuple[Array, Array, Mask]:
        assert self._of is not None
        cells = np.floor((points - self._of.origin) / self._of.resolution).astype(np.intp)
        ny, nx = self._of.occupied.shape
        column, row = cells[..., 0], cells[..., 1]
        inside = (row >= 0) & (row < ny) & (column >= 0) & (column < nx)
        return np.clip(row, 0, ny - 1), np.clip(column, 0, nx - 1), inside

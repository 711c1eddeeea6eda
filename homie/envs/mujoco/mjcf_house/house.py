"""A house in an MJCF file: read once, built with any robot."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from homie.envs.mujoco.home.floorplan import RESOLUTION, FloorPlan
from homie.envs.mujoco.house.build import Home, RobotBuilder
from homie.envs.mujoco.mjcf_house.build import built
from homie.envs.mujoco.mjcf_house.contents import Unclear
from homie.envs.mujoco.mjcf_house.episode import Changes
from homie.envs.mujoco.mjcf_house.file import read_file
from homie.envs.mujoco.mjcf_house.reading import HouseReader
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import sha256
from homie.kernel.types import Array, Pose2

ROOMY, NARROW = 0.9, 0.32
"""Clearance (m) at the robot's start: more than the first brings no benefit, less than the second is refused."""


class MjcfHouse:
    """A house in an MJCF file.

    Attributes:
        path: The MJCF file.
        contents: Recognised rooms, furniture and objects.
        unclear: Elements that were removed or not recognised.
        level: Height of its floor in the file, m.

    Raises:
        BadInput: It cannot be read, MuJoCo cannot compile it, or it has no floor or nothing that stands on it.
    """

    def __init__(self, path: Path, changes: Changes | None = None) -> None:
        """Read the file; `changes`: modifications that an episode makes to the house."""
        self.path, self._changes = path, changes
        file = read_file(path, changes)
        self.level = file.level
        self._reader = HouseReader(file.world.compile())
        self.contents = self._reader.read()
        self.unclear: tuple[Unclear, ...] = (*file.left_out, *self.contents.unclear)
        if not self.contents.rooms:
            raise BadInput(f"The house {path} has no room: its floor is smaller than a square metre.")

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, without files that it includes, such as meshes."""
        return sha256(self.path)

    def build(self, robot: RobotBuilder | None = None, start: Pose2 | None = None) -> Home:
        """Build the house, with or without a robot.

        Args:
            robot: Function that adds the robot; None for no robot.
            start: Base pose; None for the pose with most clearance that is not far from the furniture.

        Raises:
            BadInput: There is no room for a robot at the start pose.
        """
        pose = Pose2(0.0, 0.0, 0.0)
        if robot is not None:
            pose = self.start if start is None else self._check_start(start)
        return built(
            read_file(self.path, self._changes), self._reader, self.contents, robot, (pose.x, pose.y, pose.yaw)
        )

    @cached_property
    def start(self) -> Pose2:
        """The default start pose: with clearance, near the furniture and facing it."""
        clearance, origin = self._clearance
        cells = np.argwhere(clearance > NARROW)
        if not len(cells):
            raise BadInput(f"The house {self.path} has no free place of {2 * NARROW:g} m on its floor for a robot.")
        points = origin + (cells[:, ::-1] + 0.5) * RESOLUTION
        middle = np.mean([piece.box.center[:2] for piece in self.contents.pieces] or [points.mean(axis=0)], axis=0)
        room = np.minimum(clearance[tuple(cells.T)], ROOMY)
        best = points[int(np.argmax(room - 0.2 * np.linalg.norm(points - middle, axis=1)))]
        quarter = np.round(np.arctan2(*(middle - best)[::-1]) / (np.pi / 2)) * np.pi / 2
        return Pose2(round(float(best[0]), 3), round(float(best[1]), 3), float(quarter))

    def beside(self, pose: Pose2) -> Pose2:
        """Return `pose` if it has room for a robot, else the nearest position that has, with the same yaw."""
        clearance, origin = self._clearance
        cells = np.argwhere(clearance > NARROW)
        if not len(cells):
            return self.start  # raises BadInput: there is no free place
        points = origin + (cells[:, ::-1] + 0.5) * RESOLUTION
        distances = np.linalg.norm(points - pose.xy, axis=1)
        if distances.min() < RESOLUTION:
            return pose
        x, y = (float(value) for value in points[int(np.argmin(distances))])
        return Pose2(x, y, pose.yaw)

    def _check_start(self, start: Pose2) -> Pose2:
        clearance, origin = self._clearance
        column, row = np.floor((np.array([start.x, start.y]) - origin) / RESOLUTION).astype(int)
        inside = 0 <= row < clearance.shape[0] and 0 <= column < clearance.shape[1]
        if not inside or clearance[row, column] < NARROW:
            raise BadInput(
                f"The robot cannot start at {start.x:g},{start.y:g}: there is no free floor; {self.start.x:g},"
                f"{self.start.y:g} is free."
            )
        return start

    @cached_property
    def _clearance(self) -> tuple[Array, Array]:
        """Distance (m) to the nearest obstacle or floor edge (rows, columns), and the grid's origin (2,)."""
        home = self.build()
        world = World(home, home.new_data())
        grid = FloorPlan(world).grid()
        free_cells = np.zeros(grid.occupied.shape, dtype=np.uint8)
        for room in home.index.rooms:
            low, high = (
                np.floor((np.array(corner) - grid.origin) / RESOLUTION).astype(int)
                for corner in (room.rect[:2], room.rect[2:])
            )
            free_cells[low[1] : high[1], low[0] : high[0]] = 1
        free_cells[grid.occupied] = 0
        return cv2.distanceTransform(free_cells, cv2.DIST_L2, 5).astype(float) * RESOLUTION, grid.origin

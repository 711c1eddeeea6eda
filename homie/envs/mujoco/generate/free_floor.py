"""The free floor of a house for the robot's base, on a grid, and its connected regions."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.parts import WALL
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec
from homie.envs.mujoco.house.surfaces import Corners

CELL = 0.05
"""Side of a grid cell (m)."""
ROBOT = 0.38
"""Footprint radius of Fetch (0.28 m) and a margin of 0.1 m."""
NEAREST, FURTHEST = 0.45, 1.1
"""Range of distances (m) in front of a piece from which Fetch's arm reaches it."""
BESIDE = 0.2
"""Lateral offset (m) from the centre line of a piece at which the base may also stand."""


class FreeFloor:
    """The floor of a spec. `clearance` (ny, nx): metres to the nearest obstacle; cell (0, 0) is at `origin`.

    Args:
        scene: the house.
        further_corners: further obstacles, as convex polygons with their corners in order.
    """

    def __init__(self, scene: SceneSpec, further_corners: Sequence[Corners] = ()) -> None:
        rooms = np.array([(r.x0, r.y0, r.x1, r.y1) for r in scene.rooms])
        self.origin: NDArray[np.float64] = rooms[:, :2].min(axis=0) - CELL
        size = np.ceil((rooms[:, 2:].max(axis=0) + CELL - self.origin) / CELL).astype(int)
        free_cells = np.zeros((size[1], size[0]), np.uint8)
        for x0, y0, x1, y1 in rooms:
            self._fill(free_cells, x0 + WALL / 2, y0 + WALL / 2, x1 - WALL / 2, y1 - WALL / 2, 1)
        for door in scene.doorways:
            first_room = next(r for r in scene.rooms if r.name == door.rooms[0])
            is_on_x_wall = min(abs(door.x - first_room.x0), abs(door.x - first_room.x1)) < 1e-6
            u, v = (0.1, door.width / 2) if is_on_x_wall else (door.width / 2, 0.1)
            self._fill(free_cells, door.x - u, door.y - v, door.x + u, door.y + v, 1)
        people = (person.corners() for person in scene.people)
        for corners in (*(piece.corners() for piece in scene.furniture), *people, *further_corners):
            cells = np.round((np.array(corners) - self.origin) / CELL - 0.5).astype(np.int32)
            cv2.fillConvexPoly(free_cells, cells, 0)
        distance = cv2.distanceTransform(free_cells, cv2.DIST_L2, 5)
        self.clearance: NDArray[np.float64] = distance.astype(np.float64) * CELL
        _, self._zones = cv2.connectedComponents((self.clearance > ROBOT).astype(np.uint8))

    def _fill(self, cells: NDArray[np.uint8], x0: float, y0: float, x1: float, y1: float, value: int) -> None:
        a = np.round((np.array([x0, y0]) - self.origin) / CELL).astype(int)
        b = np.round((np.array([x1, y1]) - self.origin) / CELL).astype(int)
        cells[a[1] : b[1], a[0] : b[0]] = value

    def zone(self, x: float, y: float) -> int:
        """Return the number of the connected region of floor that contains a point; 0 if the base cannot be there."""
        i, j = self._cell(x, y)
        return int(self._zones[j, i])

    def near(self, zone: int, x: float, y: float, distance: float) -> bool:
        """Whether a zone has a point within `distance` metres of (x, y)."""
        rows, columns = np.nonzero(self._zones == zone)
        i, j = self._cell(x, y)
        return bool(len(rows)) and float(np.hypot(rows - j, columns - i).min()) * CELL <= distance

    def clear(self, x: float, y: float) -> float:
        """Return the distance (m) from a point to the nearest obstacle."""
        i, j = self._cell(x, y)
        return float(self.clearance[j, i])

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        i, j = int((x - self.origin[0]) / CELL), int((y - self.origin[1]) / CELL)
        return min(max(i, 0), self._zones.shape[1] - 1), min(max(j, 0), self._zones.shape[0] - 1)

    def reaches(self, zone: int, piece: FurnitureSpec) -> bool:
        """Whether a zone has a base position in front of a piece from which the arm reaches it."""
        c, s, half = np.cos(piece.yaw), np.sin(piece.yaw), piece.blueprint.half_x
        return any(
            self.zone(piece.x + c * (half + d) - s * side, piece.y + s * (half + d) + c * side) == zone
            for d in np.arange(NEAREST, FURTHEST, CELL)
            for side in (0.0, -BESIDE, BESIDE)
        )


def unreachable(scene: SceneSpec, further_corners: Sequence[Corners] = ()) -> list[str]:
    """Return the names of rooms, and of pieces with surfaces or doors, that the robot cannot reach from its start.

    `further_corners`: further obstacles, as for `FreeFloor`. Chairs need not be reachable.
    """
    floor = FreeFloor(scene, further_corners)
    zone = floor.zone(scene.robot.x, scene.robot.y)
    if zone == 0:
        return ["robot"]
    unreached = []
    for room in scene.rooms:
        xs, ys = np.arange(room.x0, room.x1, 0.1), np.arange(room.y0, room.y1, 0.1)
        if not any(floor.zone(float(x), float(y)) == zone for x in xs for y in ys):
            unreached.append(room.name)
    for piece in scene.furniture:
        needs_access = piece.kind != "chair" and (piece.blueprint.surfaces or piece.blueprint.links)
        if needs_access and piece.stands_on is None and not floor.reaches(zone, piece):
            unreached.append(piece.name)
    return unreached

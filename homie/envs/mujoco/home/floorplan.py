"""The occupancy grid of the home, computed from its geometry. Privileged, for the background setting."""

from __future__ import annotations

import cv2
import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import carriers
from homie.envs.mujoco.world import World
from homie.kernel.types import Array, Mask, OccupancyGrid

RESOLUTION = 0.05
LOW, HIGH = 0.04, 1.25
"""Range of heights (m) in which geoms are obstacles for the robot."""

TALL = 1.0
"""Minimum height (m) of the top of a wall's geoms."""

ON_FLOOR = 0.25
"""Maximum height (m) of a geom's centre for its object to be on the floor."""


class FloorPlan:
    """Rasterises solid geoms: static ones once; doors, drawers and loose objects on each request."""

    def __init__(self, world: World) -> None:
        self.world = world
        model = world.model
        rects = np.array([room.rect for room in world.rooms.values()])
        self.origin: Array = rects[:, :2].min(axis=0) - 0.3
        size = rects[:, 2:].max(axis=0) + 0.3 - self.origin
        self.shape = (int(np.ceil(size[1] / RESOLUTION)), int(np.ceil(size[0] / RESOLUTION)))
        solid = [
            geom
            for geom in range(model.ngeom)
            if model.geom_contype[geom] and not _name(model, model.geom_bodyid[geom]).startswith("robot/")
        ]
        solid = [g for g in solid if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE]
        loose_bodies = {item.body for item in world.objects.values()}
        self._moving_geoms = [g for g in solid if model.body_weldid[model.geom_bodyid[g]] != 0]
        self._bodies = carriers(model)[model.geom_bodyid[self._moving_geoms]]
        self._is_loose = np.isin(self._bodies, list(loose_bodies))
        self._geoms = np.array(self._moving_geoms, dtype=np.intp)
        self._last_state: tuple[bytes, bytes, bytes] | None = None
        self._occupied = np.zeros(self.shape, dtype=bool)
        self._static = self._raster([g for g in solid if model.body_weldid[model.geom_bodyid[g]] == 0])
        self.walls = self._raster(
            [g for g in solid if g in world.home.index.geoms and world.home.index.geoms[g].entity == "wall"],
            lowest=TALL,
        )
        """Cells filled by the walls of the house: no arm reaches through them."""

    def grid(self) -> OccupancyGrid:
        """Return the current occupancy grid; without the robot's payload."""
        data, carried_bodies = self.world.data, [self.world.objects[name].body for name in self.world.carried()]
        # Loose objects above the floor are on furniture, which is an obstacle already.
        excluded = self._is_loose & (
            np.isin(self._bodies, carried_bodies) | (data.geom_xpos[self._geoms, 2] > ON_FLOOR)
        )
        moving = self._geoms[~excluded]
        state_key = moving.tobytes(), data.geom_xpos[moving].tobytes(), data.geom_xmat[moving].tobytes()
        if state_key != self._last_state:
            self._occupied = self._static | self._raster(moving.tolist())
            self._last_state = state_key
        occupied = self._occupied.copy()
        return OccupancyGrid(occupied, np.zeros_like(occupied), self.origin, RESOLUTION, self.walls)

    def _raster(self, geoms: list[int], lowest: float = LOW) -> Mask:
        """Return the cells with geoms between the heights `lowest` and `HIGH` (m)."""
        picture = np.zeros(self.shape, dtype=np.uint8)
        for box in self.world.extents.geom_boxes(self.world.data, geoms):
            if box.center[2] + box.half[2] < lowest or box.center[2] - box.half[2] > HIGH:
                continue
            cells = np.round((box.corners() - self.origin) / RESOLUTION - 0.5).astype(np.int32)
            cv2.fillConvexPoly(picture, cv2.convexHull(cells), 1)
        return picture.astype(bool)


def _name(model: mujoco.MjModel, body: int) -> str:
    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or ""

"""One ray per pixel, in tiles: a tile of the picture asks only the geoms whose bounding sphere its cone of rays meets.

MuJoCo's `mj_multiRay` goes through all bodies and geoms of a model for every ray; in a house that takes longer than the
intersections. Here each tile gets a small model with the geoms that it may see, in the order of the house, so that what
is hit is the same.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Intrinsics, Pose

TILE = 32
"""Side of a tile in pixels: with less, the calls take longer than the rays; with more, a tile sees too much."""
_SLACK = 1e-6
"""By which the cone of a tile is wider than its rays, for rounding."""

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Grid:
    """The rays of a picture, tile by tile.

    Attributes:
        directions: (n, 3), unit vectors in the optical frame.
        lengths: (n,), of the same rays as far as z = 1.
        pixels: (n,), the number of the pixel, row by row, of each ray.
        starts: (tiles + 1,), where the rays of each tile begin.
        axes: (tiles, 3), the middle of each tile, a unit vector.
        cosines, sines: (tiles,), of the angle between it and the tile's outermost ray.
    """

    directions: Array
    lengths: Array
    pixels: NDArray[np.intp]
    starts: NDArray[np.intp]
    axes: Array
    cosines: Array
    sines: Array


@lru_cache(maxsize=8)
def grid(intrinsics: Intrinsics) -> Grid:
    """The rays through all pixels of a camera."""
    x = (np.arange(intrinsics.width) - intrinsics.cx) / intrinsics.fx
    y = (np.arange(intrinsics.height) - intrinsics.cy) / intrinsics.fy
    rays = np.stack([*np.meshgrid(x, y), np.ones((intrinsics.height, intrinsics.width))], axis=-1).reshape(-1, 3)
    lengths = np.linalg.norm(rays, axis=1)
    numbers = np.arange(intrinsics.height * intrinsics.width).reshape(intrinsics.height, intrinsics.width)
    tiles = [
        numbers[row : row + TILE, column : column + TILE].ravel()
        for row in range(0, intrinsics.height, TILE)
        for column in range(0, intrinsics.width, TILE)
    ]
    directions = rays / lengths[:, None]
    sums = np.array([directions[tile].sum(axis=0) for tile in tiles])
    axes = sums / np.linalg.norm(sums, axis=1)[:, None]
    inside = [float((directions[tile] @ axis).min()) for tile, axis in zip(tiles, axes, strict=True)]
    widths = np.arccos(np.clip(inside, -1.0, 1.0)) + _SLACK
    pixels = np.concatenate(tiles)
    return Grid(
        directions=directions[pixels],
        lengths=lengths[pixels],
        pixels=pixels,
        starts=np.cumsum([0, *(len(tile) for tile in tiles)]),
        axes=axes,
        cosines=np.cos(widths),
        sines=np.sin(widths),
    )


def turned(rays: Grid, pose: Pose) -> Array:
    """The directions (n, 3) of rays in the world. Not by BLAS, whose threads take longer to start than this takes."""
    return np.asarray(np.einsum("nj,ij->ni", rays.directions, pose.rotation))


class RayCaster:
    """Casts the rays of pictures of one model. Not for several threads at once."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._canvas = _canvas(model)
        self._drawn = mujoco.MjData(self._canvas)
        self._copied = [(getattr(self._canvas, name), getattr(model, name)) for name in _SHAPE]

    def cast(
        self,
        data: mujoco.MjData,
        pose: Pose,
        rays: Grid,
        shown: NDArray[np.bool_],
        cutoff: float,
        chosen: NDArray[np.bool_] | None = None,
    ) -> tuple[Ids, Array, Array]:
        """What rays hit first.

        Args:
            data: State, with its kinematics computed.
            pose: Of the camera's optical frame in the world.
            rays: Of the picture.
            shown: (ngeom,), which geoms are looked at.
            cutoff: Metres along a ray beyond which a geom need not be found.
            chosen: (n,), which rays; None for all. The others are as if they hit nothing.

        Returns:
            Geom ids (n,), -1 for nothing; metres along the rays (n,), -1 for nothing; normals (n, 3).
        """
        count = len(rays.directions)
        geoms, distances, normals = np.full(count, -1, np.int32), np.full(count, -1.0), np.zeros((count, 3))
        directions = turned(rays, pose)
        candidates = np.flatnonzero(shown)
        in_cone = self._near(data, pose, rays, candidates)
        for tile in range(len(rays.axes)):
            part = slice(rays.starts[tile], rays.starts[tile + 1])
            ids = candidates[in_cone[tile]]
            if chosen is None:
                hit = self._hits(data, pose.position, directions[part], ids, cutoff)
                geoms[part], distances[part], normals[part] = hit
            elif chosen[part].any():
                places = np.flatnonzero(chosen[part]) + rays.starts[tile]
                hit = self._hits(data, pose.position, directions[places], ids, cutoff)
                geoms[places], distances[places], normals[places] = hit
        return geoms, distances, normals

    def _near(self, data: mujoco.MjData, pose: Pose, rays: Grid, candidates: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(tiles, candidates): whether the cone of a tile's rays meets a geom's bounding sphere."""
        offsets = data.geom_xpos[candidates] - pose.position
        distance, radius = np.linalg.norm(offsets, axis=1), self._model.geom_rbound[candidates]
        is_inside = (distance <= radius * (1.0 + _SLACK) + _SLACK) | (radius <= 0.0)  # a plane has no bounding sphere
        sine = np.where(is_inside, 0.0, radius / np.maximum(distance, _SLACK))
        cosine = np.sqrt(1.0 - sine * sine)
        depths = rays.axes @ pose.rotation.T @ offsets.T
        # The angle to the middle of the sphere is no more than that of the cone and that of the sphere together.
        together = rays.cosines[:, None] * cosine - rays.sines[:, None] * sine
        return np.asarray((depths >= distance * together - _SLACK) | is_inside)

    def _hits(
        self, data: mujoco.MjData, origin: Array, directions: Array, ids: NDArray[np.intp], cutoff: float
    ) -> tuple[Ids, Array, Array]:
        """As `cast`, of rays (k, 3) that can hit nothing but some geoms."""
        count, size = len(directions), len(ids)
        if not size:
            return np.full(count, -1, np.int32), np.full(count, -1.0), np.zeros((count, 3))
        canvas, drawn_geoms = self._canvas, self._drawn
        for target_array, source_array in self._copied:
            target_array[:size] = source_array[ids]
        drawn_geoms.geom_xpos[:size], drawn_geoms.geom_xmat[:size] = data.geom_xpos[ids], data.geom_xmat[ids]
        canvas.body_geomnum[0] = size
        slots, distances, normals = np.empty(count, np.int32), np.empty(count), np.empty((count, 3))
        mujoco.mj_multiRay(
            canvas,
            drawn_geoms,
            origin,
            directions.ravel(),
            None,
            True,
            -1,
            slots,
            distances,
            normals.ravel(),
            count,
            cutoff,
        )
        geoms = np.append(ids, -1)[slots].astype(np.int32)
        return geoms, distances, normals


_SHAPE = ("geom_type", "geom_size", "geom_rbound", "geom_aabb", "geom_dataid")
"""Properties of a geom, other than its pose, that determine its intersection with a ray."""


def _canvas(model: mujoco.MjModel) -> mujoco.MjModel:
    """A model with a slot for each geom, all of them on the world: `mj_multiRay` goes through all bodies for each ray.
    One with meshes keeps its bodies, as the tables of meshes are its own; they have no geoms."""
    if model.nmesh or model.nhfield:
        canvas = copy.copy(model)
    else:
        spec = mujoco.MjSpec()
        for _ in range(model.ngeom):
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[1.0, 0.0, 0.0])
        canvas = spec.compile()
    canvas.body_geomnum[:] = canvas.body_geomadr[0] = 0
    canvas.body_bvhadr[:] = -1  # MuJoCo's own bounds by angles cost more than they save here, and miss edges
    canvas.geom_bodyid[:], canvas.geom_matid[:], canvas.geom_rgba[:] = 0, -1, 1.0
    return canvas

"""Cast one ray per pixel, in tiles: a tile tests only geoms whose bounding sphere intersects its cone of rays.

MuJoCo's `mj_multiRay` goes through all bodies and geoms of a model for every ray; in a house that takes longer than the
intersections. Here each tile gets a small model with the geoms that it may see, in the order of the house, so that the
hits are the same.
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
"""Side of a tile in pixels: smaller tiles spend more time on calls than on rays, larger ones see too many geoms."""
_SLACK = 1e-6
"""Margin by which the cone of a tile is wider than its rays, against rounding errors."""

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Grid:
    """The rays of an image, tile by tile.

    Attributes:
        directions: (n, 3), unit vectors in the optical frame.
        lengths: (n,), lengths of the rays up to the plane z = 1.
        pixels: (n,), row-major pixel index of each ray.
        starts: (tiles + 1,), index of the first ray of each tile.
        axes: (tiles, 3), central unit vector of each tile.
        cosines, sines: (tiles,), of the angle between the axis and the tile's outermost ray.
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
    """Return the rays through all pixels of a camera."""
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
    """Return the directions (n, 3) of rays in the world. Without BLAS, whose threads take longer to start than this."""
    return np.asarray(np.einsum("nj,ij->ni", rays.directions, pose.rotation))


class RayCaster:
    """Casts the rays of images of one model. Not thread-safe."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._canvas = _canvas(model)
        self._canvas_data = mujoco.MjData(self._canvas)
        self._shape_arrays = [(getattr(self._canvas, name), getattr(model, name)) for name in _SHAPE]

    def cast(
        self,
        data: mujoco.MjData,
        pose: Pose,
        rays: Grid,
        shown: NDArray[np.bool_],
        cutoff: float,
        chosen: NDArray[np.bool_] | None = None,
    ) -> tuple[Ids, Array, Array]:
        """Find the first hit of each ray.

        Args:
            data: State, with its kinematics computed.
            pose: Pose of the camera's optical frame in the world.
            rays: Rays of the image.
            shown: (ngeom,), mask of the geoms to test.
            cutoff: Maximum distance along a ray, m; farther hits may be missed.
            chosen: (n,), mask of the rays to cast; None for all. The others return no hit.

        Returns:
            Geom ids (n,), -1 for nothing; metres along the rays (n,), -1 for nothing; normals (n, 3).
        """
        count = len(rays.directions)
        geoms, distances, normals = np.full(count, -1, np.int32), np.full(count, -1.0), np.zeros((count, 3))
        directions = turned(rays, pose)
        candidates = np.flatnonzero(shown)
        in_cone = self._cone_mask(data, pose, rays, candidates)
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

    def _cone_mask(
        self, data: mujoco.MjData, pose: Pose, rays: Grid, candidates: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return a mask (tiles, candidates): whether a tile's cone of rays intersects a geom's bounding sphere."""
        offsets = data.geom_xpos[candidates] - pose.position
        distance, radius = np.linalg.norm(offsets, axis=1), self._model.geom_rbound[candidates]
        is_inside = (distance <= radius * (1.0 + _SLACK) + _SLACK) | (radius <= 0.0)  # a plane has no bounding sphere
        sine = np.where(is_inside, 0.0, radius / np.maximum(distance, _SLACK))
        cosine = np.sqrt(1.0 - sine * sine)
        depths = rays.axes @ pose.rotation.T @ offsets.T
        # They intersect if the angle to the sphere's middle is at most the sum of the cone's and the sphere's angles.
        cosine_of_sum = rays.cosines[:, None] * cosine - rays.sines[:, None] * sine
        return np.asarray((depths >= distance * cosine_of_sum - _SLACK) | is_inside)

    def _hits(
        self, data: mujoco.MjData, origin: Array, directions: Array, ids: NDArray[np.intp], cutoff: float
    ) -> tuple[Ids, Array, Array]:
        """Like `cast`, for rays (k, 3) against the geoms `ids` only."""
        count, size = len(directions), len(ids)
        if not size:
            return np.full(count, -1, np.int32), np.full(count, -1.0), np.zeros((count, 3))
        canvas, canvas_data = self._canvas, self._canvas_data
        for target_array, source_array in self._shape_arrays:
            target_array[:size] = source_array[ids]
        canvas_data.geom_xpos[:size], canvas_data.geom_xmat[:size] = data.geom_xpos[ids], data.geom_xmat[ids]
        canvas.body_geomnum[0] = size
        slots, distances, normals = np.empty(count, np.int32), np.empty(count), np.empty((count, 3))
        mujoco.mj_multiRay(
            canvas,
            canvas_data,
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
    """Create a model with a slot for each geom, all on the world body: `mj_multiRay` visits all bodies for each ray.
    A model with meshes keeps its bodies, without geoms, as it owns the mesh tables."""
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

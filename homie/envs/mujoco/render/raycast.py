"""Rendering without a graphics library: one ray per pixel with MuJoCo's `mj_multiRay`.

Depth and segmentation are exact. Colour is simplified: a geom has one colour (the mean of its texture), lit by the
lights of the model and the headlight as in OpenGL but as if infinitely far away, slightly darker with distance, with
dark outlines between geoms. There is no transparency, no gloss and no shadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.render.cameras import Camera, camera_intrinsics, camera_pose, clip_range
from homie.envs.mujoco.render.renderer import Renderer, RgbdImage, Segmentation, Size, group_mask
from homie.kernel.types import Array, Depth, Intrinsics, Pose

_FAR_SHADE = 0.15
"""Share of its brightness that a colour loses at `_FAR_DISTANCE`, linearly with distance."""
_FAR_DISTANCE = 12.0
"""Distance (m) beyond which colours get no darker: about the size of a house."""
_OUTLINE = 0.7
"""Brightness of a pixel whose right or lower neighbour belongs to another geom."""
_DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's colour of a geom that sets none: its material's colour is taken instead."""
_NEVER_DRAWN_GROUP = 5
_MAX_SKINS = 4
"""Largest number of geoms around the camera, such as its housing, that a ray passes through."""


@dataclass(frozen=True, slots=True)
class _Hits:
    """What the rays hit, row by row: geom ids (n,), depths in metres (n,), unit normals (n, 3)."""

    geoms: Segmentation
    depth: Array
    normals: Array


class RaycastRenderer(Renderer):
    """The fallback that works on every machine."""

    name = "raycast"

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._model = model
        self._texture_means = _texture_means(model)
        skies = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        self._sky = self._texture_means[skies[0]] if len(skies) else np.zeros(3)

    def rgbd(
        self,
        data: mujoco.MjData,
        camera: Camera,
        *,
        size: Size | None = None,
        hidden_groups: Set[int] = frozenset(),
        segmentation: bool = False,
    ) -> RgbdImage:
        shape = self._shape(size)
        pose = camera_pose(self._model, data, camera)
        hits = self._cast(data, camera, pose, shape, hidden_groups)
        rgb = self._shade(data, pose, hits).reshape(*shape, 3)
        geoms = hits.geoms.reshape(shape)
        _draw_outlines(rgb, geoms)
        depth: Depth = hits.depth.reshape(shape).astype(np.float32)
        return RgbdImage((255.0 * rgb + 0.5).astype(np.uint8), depth, geoms if segmentation else None)

    def segmentation(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Segmentation:
        shape = self._shape(size)
        pose = camera_pose(self._model, data, camera)
        return self._cast(data, camera, pose, shape, hidden_groups).geoms.reshape(shape)

    def close(self) -> None:
        """Nothing to free."""

    def _shape(self, size: Size | None) -> tuple[int, int]:
        width, height = size or (self.width, self.height)
        return height, width

    def _cast(
        self, data: mujoco.MjData, camera: Camera, pose: Pose, shape: tuple[int, int], hidden_groups: Set[int]
    ) -> _Hits:
        model = self._model
        near, far = clip_range(model)
        rays = _rays(camera_intrinsics(model, camera, shape[1], shape[0]))
        lengths = np.linalg.norm(rays, axis=1)
        directions = (rays / lengths[:, None]) @ pose.rotation.T
        count = len(rays)
        hits = _Hits(np.full(count, -1, np.int32), np.zeros(count), np.zeros((count, 3)))
        pending = np.arange(count)
        groups = model.geom_group.copy()
        try:
            for _ in range(_MAX_SKINS):
                geoms, distances, normals = _multi_ray(
                    model, data, pose.position, directions[pending], group_mask(hidden_groups), far * lengths.max()
                )
                depth = distances / lengths[pending]
                # OpenGL draws neither what is before the near plane nor back faces: continue behind those geoms.
                facing = np.einsum("ij,ij->i", normals, directions[pending]) < 0.0
                skin = (geoms >= 0) & ((depth < near) | ~facing)
                seen = (geoms >= 0) & (depth < far) & ~skin
                which = pending[seen]
                hits.geoms[which], hits.depth[which], hits.normals[which] = geoms[seen], depth[seen], normals[seen]
                pending = pending[skin]
                if not len(pending):
                    break
                model.geom_group[np.unique(geoms[skin])] = _NEVER_DRAWN_GROUP
        finally:
            model.geom_group[:] = groups
        return hits

    def _shade(self, data: mujoco.MjData, pose: Pose, hits: _Hits) -> Array:
        """Colours (n, 3) in 0..1."""
        rgba, emission = self._surfaces()
        seen = np.flatnonzero(hits.geoms >= 0)
        geoms, depth, normals = hits.geoms[seen], hits.depth[seen], hits.normals[seen]
        light = np.zeros((len(seen), 3)) + emission[geoms][:, None]
        for lamp in _lamps(self._model, data, pose):
            light += lamp.ambient + np.maximum(0.0, normals @ -lamp.direction)[:, None] * lamp.diffuse
        fade = 1.0 - _FAR_SHADE * np.minimum(1.0, depth / _FAR_DISTANCE)
        colours = np.tile(self._sky, (len(hits.geoms), 1))
        colours[seen] = np.clip(rgba[geoms] * light, 0.0, 1.0) * fade[:, None]
        return colours

    def _surfaces(self) -> tuple[Array, Array]:
        """Current colour (ngeom, 3) and emission (ngeom,) of every geom, by MuJoCo's rule for material and rgba."""
        model = self._model
        colour = np.array(model.geom_rgba, dtype=np.float64)
        emission = np.zeros(model.ngeom)
        having = model.geom_matid >= 0
        material = model.geom_matid[having]
        plain = having & np.all(model.geom_rgba == np.array(_DEFAULT_RGBA, np.float32), axis=1)
        colour[plain] = model.mat_rgba[model.geom_matid[plain]]
        emission[having] = model.mat_emission[material]
        textures = model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]
        colour[having, :3] *= np.where(textures[:, None] >= 0, self._texture_means[textures], 1.0)
        return colour[:, :3], emission


@dataclass(frozen=True, slots=True)
class _Lamp:
    """A light whose rays are taken as parallel: their direction (3,), ambient and diffuse colour (3,)."""

    direction: Array
    ambient: Array
    diffuse: Array


def _lamps(model: mujoco.MjModel, data: mujoco.MjData, pose: Pose) -> Iterator[_Lamp]:
    headlight = model.vis.headlight
    if headlight.active:
        yield _Lamp(pose.rotation[:, 2], np.array(headlight.ambient), np.array(headlight.diffuse))
    for i in range(model.nlight):
        if model.light_active[i]:
            yield _Lamp(data.light_xdir[i], model.light_ambient[i], model.light_diffuse[i])


def _multi_ray(
    model: mujoco.MjModel, data: mujoco.MjData, origin: Array, directions: Array, mask: NDArray[np.uint8], cutoff: float
) -> tuple[Segmentation, Array, Array]:
    """Geom ids (n,), distances along the rays (n,) and normals (n, 3) of the first hits of unit directions (n, 3)."""
    count = len(directions)
    geoms = np.empty(count, np.int32)
    distances = np.empty(count)
    normals = np.empty((count, 3))
    mujoco.mj_multiRay(
        model, data, origin, directions.ravel(), mask, True, -1, geoms, distances, normals.ravel(), count, cutoff
    )
    return geoms, distances, normals


@lru_cache(maxsize=8)
def _rays(intrinsics: Intrinsics) -> Array:
    """Directions of all pixels, row by row, in the optical frame with z = 1, (H * W, 3)."""
    x = (np.arange(intrinsics.width) - intrinsics.cx) / intrinsics.fx
    y = (np.arange(intrinsics.height) - intrinsics.cy) / intrinsics.fy
    grid = np.stack([*np.meshgrid(x, y), np.ones((intrinsics.height, intrinsics.width))], axis=-1)
    rays: Array = grid.reshape(-1, 3)
    rays.flags.writeable = False
    return rays


def _draw_outlines(rgb: Array, geoms: Segmentation) -> None:
    edge = np.zeros(geoms.shape, bool)
    edge[:, :-1] |= geoms[:, :-1] != geoms[:, 1:]
    edge[:-1] |= geoms[:-1] != geoms[1:]
    rgb[edge] *= _OUTLINE


def _texture_means(model: mujoco.MjModel) -> Array:
    """Mean colour of every texture, (ntex, 3) in 0..1; one row of ones if the model has no texture."""
    means = np.ones((max(1, model.ntex), 3))
    for i in range(model.ntex):
        channels = int(model.tex_nchannel[i])
        start = int(model.tex_adr[i])
        length = int(model.tex_width[i]) * int(model.tex_height[i]) * channels
        texels = model.tex_data[start : start + length].reshape(-1, channels)
        means[i] = texels[:, :3].mean(axis=0) / 255.0 if channels >= 3 else texels[:, 0].mean() / 255.0
    return means

"""Rendering without a graphics library: one ray per pixel with MuJoCo's `mj_multiRay`.

Depth and segmentation are exact. Colour is simplified: a geom has one colour (the mean of its texture), lit by the
lights of the model and the headlight as in OpenGL but as if infinitely far away, slightly darker with distance, with
dark outlines between geoms. There is no transparency, no gloss and no shadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.render.camera_geometry import Camera, camera_intrinsics, camera_pose, clip_range
from homie.envs.mujoco.render.raycast_tiles import Grid, Ids, RayCaster, grid, turned
from homie.envs.mujoco.render.renderer import Renderer, RgbdImage, Segmentation, Size, group_mask
from homie.kernel.types import Array, Depth, Pose

_FAR_SHADE = 0.15
"""Share of brightness lost at `_FAR_DISTANCE`, linear in distance."""
_FAR_DISTANCE = 12.0
"""Distance (m) beyond which colours get no darker: about the size of a house."""
_OUTLINE = 0.7
"""Brightness of a pixel whose right or lower neighbour belongs to another geom."""
_DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's colour of a geom that sets none: its material's colour is used instead."""
_LAST_GROUP = 5
"""Highest geom group; groups outside 0..5 are clipped, as in MuJoCo."""
_MAX_SKINS = 4
"""Maximum number of geoms around the camera, such as its housing, that a ray passes through."""


@dataclass(frozen=True, slots=True)
class _Hits:
    """Hits of the rays of a grid: geom ids (n,), depths in metres (n,), unit normals (n, 3)."""

    geoms: Ids
    depth: Array
    normals: Array


class RaycastRenderer(Renderer):
    """The fallback renderer that works on every machine."""

    name = "raycast"

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._model = model
        self._caster = RayCaster(model)
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
        height, width = shape = self._shape(size)
        pose = camera_pose(self._model, data, camera)
        rays = grid(camera_intrinsics(self._model, camera, width, height))
        hits = self._cast(data, pose, rays, hidden_groups)
        geoms = _picture(hits.geoms, rays, shape)
        edge = _edges(geoms).ravel()[rays.pixels]
        colours = self._shade(data, pose, hits)
        colours[:, edge] *= _OUTLINE
        rgb = np.empty((height * width, 3), np.uint8)
        rgb[rays.pixels] = (255.0 * colours + 0.5).astype(np.uint8).T
        depth: Depth = _picture(hits.depth.astype(np.float32), rays, shape)
        return RgbdImage(rgb.reshape(height, width, 3), depth, geoms if segmentation else None)

    def segmentation(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Segmentation:
        height, width = shape = self._shape(size)
        rays = grid(camera_intrinsics(self._model, camera, width, height))
        pose = camera_pose(self._model, data, camera)
        return _picture(self._cast(data, pose, rays, hidden_groups).geoms, rays, shape)

    def close(self) -> None:
        """Nothing to free."""

    def _shape(self, size: Size | None) -> tuple[int, int]:
        width, height = size or (self.width, self.height)
        return height, width

    def _cast(self, data: mujoco.MjData, pose: Pose, rays: Grid, hidden_groups: Set[int]) -> _Hits:
        near, far = clip_range(self._model)
        cutoff = far * float(rays.lengths.max())
        visible_geoms = (
            self._visible() & (group_mask(hidden_groups) > 0)[np.clip(self._model.geom_group, 0, _LAST_GROUP)]
        )
        directions = turned(rays, pose)
        geoms, distances, normals = self._caster.cast(data, pose, rays, visible_geoms, cutoff)
        depth, skin = self._depth(distances, geoms, normals, directions, rays, near)
        for _ in range(_MAX_SKINS - 1):
            if not skin.any():
                break
            visible_geoms[np.unique(geoms[skin])] = False
            hits_behind = self._caster.cast(data, pose, rays, visible_geoms, cutoff, skin)
            geoms[skin], distances[skin], normals[skin] = (part[skin] for part in hits_behind)
            depth, skin = self._depth(distances, geoms, normals, directions, rays, near)
        nothing = (geoms < 0) | (depth >= far) | skin
        geoms[nothing], depth[nothing], normals[nothing] = -1, 0.0, 0.0
        return _Hits(geoms, depth, normals)

    @staticmethod
    def _depth(
        distances: Array, geoms: Ids, normals: Array, directions: Array, rays: Grid, near: float
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return depths (n,) and a mask (n,) of the rays that pass through their hit: OpenGL draws neither surfaces in
        front of the near plane nor back faces."""
        depth = distances / rays.lengths
        facing = np.einsum("ij,ij->i", normals, directions) < 0.0
        return depth, (geoms >= 0) & ((depth < near) | ~facing)

    def _visible(self) -> NDArray[np.bool_]:
        """Return a mask (ngeom,) of the geoms not fully transparent now, by MuJoCo's rule for material and rgba."""
        model = self._model
        alpha = model.geom_rgba[:, 3].copy()
        has_material = model.geom_matid >= 0
        alpha[has_material] = model.mat_rgba[model.geom_matid[has_material], 3]
        return np.asarray(alpha != 0.0)

    def _shade(self, data: mujoco.MjData, pose: Pose, hits: _Hits) -> Array:
        """Return colours (3, n) in 0..1."""
        rgba, emission = self._surfaces()
        light = np.tile(emission[hits.geoms], (3, 1))
        for lamp in _lamps(self._model, data, pose):
            falling = np.maximum(0.0, np.einsum("nj,j->n", hits.normals, -lamp.direction))
            for channel, (ambient, diffuse) in enumerate(zip(lamp.ambient, lamp.diffuse, strict=True)):
                light[channel] += ambient + falling * diffuse
        colours = np.minimum(rgba.T[:, hits.geoms] * light, 1.0)
        colours *= 1.0 - _FAR_SHADE * np.minimum(1.0, hits.depth / _FAR_DISTANCE)
        nothing = hits.geoms < 0
        colours[:, nothing] = self._sky[:, None]
        return np.asarray(colours)

    def _surfaces(self) -> tuple[Array, Array]:
        """Return current colour (ngeom, 3) and emission (ngeom,) of every geom, by MuJoCo's rule for material and
        rgba."""
        model = self._model
        colour = np.array(model.geom_rgba, dtype=np.float64)
        emission = np.zeros(model.ngeom)
        has_material = model.geom_matid >= 0
        material = model.geom_matid[has_material]
        is_default = has_material & np.all(model.geom_rgba == np.array(_DEFAULT_RGBA, np.float32), axis=1)
        colour[is_default] = model.mat_rgba[model.geom_matid[is_default]]
        emission[has_material] = model.mat_emission[material]
        textures = model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]
        colour[has_material, :3] *= np.where(textures[:, None] >= 0, self._texture_means[textures], 1.0)
        return colour[:, :3], emission


@dataclass(frozen=True, slots=True)
class _Lamp:
    """A light with parallel rays: direction (3,), ambient and diffuse colour (3,)."""

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


Values = TypeVar("Values", bound=np.generic)


def _picture(values: NDArray[Values], rays: Grid, shape: tuple[int, int]) -> NDArray[Values]:
    """Arrange per-ray values (n,) of a grid as an image (H, W)."""
    picture = np.empty_like(values)
    picture[rays.pixels] = values
    return picture.reshape(shape)


def _edges(geoms: Segmentation) -> NDArray[np.bool_]:
    """Return a mask (H, W) of pixels whose right or lower neighbour belongs to another geom."""
    edge = np.zeros(geoms.shape, bool)
    edge[:, :-1] |= geoms[:, :-1] != geoms[:, 1:]
    edge[:-1] |= geoms[:-1] != geoms[1:]
    return edge


def _texture_means(model: mujoco.MjModel) -> Array:
    """Return the mean colour of every texture, (ntex, 3) in 0..1; one row of ones if the model has no texture."""
    means = np.ones((max(1, model.ntex), 3))
    for i in range(model.ntex):
        channels = int(model.tex_nchannel[i])
        start = int(model.tex_adr[i])
        length = int(model.tex_width[i]) * int(model.tex_height[i]) * channels
        texels = model.tex_data[start : start + length].reshape(-1, channels)
        means[i] = texels[:, :3].mean(axis=0) / 255.0 if channels >= 3 else texels[:, 0].mean() / 255.0
    return means

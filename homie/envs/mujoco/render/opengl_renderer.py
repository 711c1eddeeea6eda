"""Rendering with MuJoCo's OpenGL renderer in an off-screen context chosen at run time.

`mujoco.Renderer` is bound to the context class that mujoco picked at import and to one image size, and it draws twice
for colour and depth. This module uses the same `MjvScene` and `MjrContext` directly: colour and depth come from one
pass, the segmentation, whose colours encode geom ids, from another.
Reflections are off, and shadows too unless requested: on a CPU they take longer than the rest of the frame.

Most geoms of a house are outside the image or behind a wall, and on a CPU each takes as long as a visible one. So a
pass gets only the geoms within the view frustum and, if the segmentation is drawn, the colour pass after it only the
geoms in the segmentation: the pixels are the same.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Set

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.render.camera_geometry import (
    Camera,
    FreeCamera,
    camera_id,
    camera_intrinsics,
    camera_pose,
    clip_range,
)
from homie.envs.mujoco.render.opengl_contexts import GlContext
from homie.envs.mujoco.render.renderer import Renderer, RgbdImage, Segmentation, Size, group_mask
from homie.kernel.types import Depth, Image, Mask

_SPARE_GEOMS = 100
"""Capacity of the scene for decorative geoms that MuJoCo may draw in addition to those of the model."""
_HIDDEN_GROUP = 5
"""Geom group that is never drawn."""
_FRUSTUM_MARGIN = 1e-3
"""Margin (m) by which a geom's bounding sphere must be outside the frustum: OpenGL uses single precision."""
_SHADOW_MARGIN = 1.5
"""Margin (m) around the frustum within which geoms may cast a shadow into the image."""
_LIGHT_DISTANCE = 8.0
"""Distance (m) from a film camera's look-at point to the lights: above all walls."""
_SHADOW_MAP = 1024
"""Side of the shadow map in texels: with 2048 an image takes a third longer, with 512 edges have steps."""


class GlRenderer(Renderer):
    """MuJoCo's own rasteriser. A renderer may be used by one thread at a time."""

    def __init__(
        self,
        model: mujoco.MjModel,
        width: int,
        height: int,
        *,
        name: str,
        context: GlContext,
        samples: int = 0,
        film: bool = False,
    ) -> None:
        self.name, self.width, self.height = name, width, height
        self._model = model
        self._context = context
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + _SPARE_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = int(film)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = int(not film)
        self._film = film
        self._margin = _SHADOW_MARGIN if film else _FRUSTUM_MARGIN
        self._option = mujoco.MjvOption()
        self._option.sitegroup[:] = 0
        self._camera = mujoco.MjvCamera()
        with context.use():
            self._mjr = _make_mjr_context(model, width, height, samples, _SHADOW_MAP if film else 0)
        self._finalizer = weakref.finalize(self, _free, context, self._mjr)

    def rgbd(
        self,
        data: mujoco.MjData,
        camera: Camera,
        *,
        size: Size | None = None,
        hidden_groups: Set[int] = frozenset(),
        segmentation: bool = False,
    ) -> RgbdImage:
        width, height = size or (self.width, self.height)
        rgb = np.empty((height, width, 3), np.uint8)
        reversed_z = np.empty((height, width), np.float32)
        visible_geoms = self._in_view(data, camera, width, height)
        geoms = None
        if segmentation:
            self._update(data, camera, hidden_groups, visible_geoms)
            geoms = self._draw_geoms(width, height)
            visible_geoms = self._geoms_to_colour(geoms, visible_geoms)
        self._update(data, camera, hidden_groups, visible_geoms)
        with self._context.use():
            self._draw(rgb, reversed_z)
        return RgbdImage(np.ascontiguousarray(rgb[::-1]), self._metres(reversed_z[::-1]), geoms)

    def rgb(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Image:
        width, height = size or (self.width, self.height)
        rgb = np.empty((height, width, 3), np.uint8)
        self._update(data, camera, hidden_groups, self._in_view(data, camera, width, height))
        with self._context.use():
            self._draw(rgb, None)  # reading the depth back would cost half as much again
        return np.ascontiguousarray(rgb[::-1])

    def segmentation(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Segmentation:
        width, height = size or (self.width, self.height)
        self._update(data, camera, hidden_groups, self._in_view(data, camera, width, height))
        return self._draw_geoms(width, height)

    def close(self) -> None:
        self._finalizer()

    def _in_view(self, data: mujoco.MjData, camera: Camera, width: int, height: int) -> Mask:
        """Return a mask (ngeom,) of the geoms whose bounding spheres reach into the view frustum."""
        model, lens = self._model, camera_intrinsics(self._model, camera, width, height)
        pose = camera_pose(model, data, camera)
        right, down, depth = ((data.geom_xpos - pose.position) @ pose.rotation).T
        reach = model.geom_rbound + self._margin
        is_outside = depth < -reach
        for offset, pixels, focal in ((right, width, lens.fx), (down, height, lens.fy)):
            slope = 0.5 * pixels / focal
            is_outside |= np.abs(offset) - slope * depth > reach * math.hypot(1.0, slope)
        return np.asarray(~is_outside | (model.geom_rbound <= 0.0))  # a plane has no bounding sphere

    def _geoms_to_colour(self, geoms: Segmentation, visible_geoms: Mask) -> Mask:
        """Return a mask (ngeom,) of the geoms that the colour pass needs: those in the segmentation, or all in view if
        one of these is translucent."""
        present = np.bincount(geoms.ravel() + 1, minlength=self._model.ngeom + 1)[1:] > 0
        opaque = self._opacity() >= 1.0
        return present if opaque[present].all() else visible_geoms

    def _opacity(self) -> NDArray[np.float32]:
        """Return the current alpha (ngeom,) of each geom: the minimum of the geom's and its material's."""
        model = self._model
        alpha = model.geom_rgba[:, 3].copy()
        has_material = model.geom_matid >= 0
        alpha[has_material] = np.minimum(alpha[has_material], model.mat_rgba[model.geom_matid[has_material], 3])
        return np.asarray(alpha)

    def _update(self, data: mujoco.MjData, camera: Camera, hidden_groups: Set[int], visible_geoms: Mask) -> None:
        """Copy a state into the scene.

        Args:
            visible_geoms: Mask (ngeom,) of the geoms to copy.
        """
        self._option.geomgroup[:] = group_mask(hidden_groups)
        if isinstance(camera, FreeCamera):
            self._camera.type = mujoco.mjtCamera.mjCAMERA_FREE
            self._camera.lookat[:] = camera.lookat
            self._camera.distance = camera.distance
            self._camera.azimuth = math.degrees(camera.azimuth)
            self._camera.elevation = math.degrees(camera.elevation)
        else:
            self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
            self._camera.fixedcamid = camera_id(self._model, camera)
        # MuJoCo hides whole groups only, and groups are stored in the model: renderers of other threads may share it,
        # as they share the context, so its lock is held meanwhile.
        with self._context.use():
            groups = self._model.geom_group.copy()
            self._model.geom_group[~visible_geoms] = _HIDDEN_GROUP
            mujoco.mjv_updateScene(
                self._model, data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene
            )
            self._model.geom_group[:] = groups
        if isinstance(camera, FreeCamera):
            # MuJoCo has one field of view for all free cameras, in the model; a `FreeCamera` has its own.
            for eye in self._scene.camera:
                eye.frustum_top = eye.frustum_near * math.tan(0.5 * camera.fovy)
                eye.frustum_bottom = -eye.frustum_top
            for light in self._scene.lights[: self._scene.nlight] if self._film else ():
                # The shadow map of a directional light reaches `stat.extent` metres around it.
                light.pos[:] = np.asarray(camera.lookat) - _LIGHT_DISTANCE * light.dir

    def _draw_geoms(self, width: int, height: int) -> Segmentation:
        """Draw every geom in a colour that encodes its number, and decode the image into geom ids."""
        colour = np.empty((height, width, 3), np.uint8)
        flags = (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR)
        for flag in flags:
            self._scene.flags[flag] = 1
        try:
            with self._context.use():
                self._draw(colour, None)
        finally:
            for flag in flags:
                self._scene.flags[flag] = 0
        red, green, blue = np.moveaxis(colour[::-1].astype(np.int32), -1, 0)
        numbers = red | green << 8 | blue << 16
        geoms: Segmentation = self._geom_of_number(np.bincount(numbers.ravel()) > 0)[numbers]
        return geoms

    def _draw(self, rgb: NDArray[np.uint8], depth: NDArray[np.float32] | None) -> None:
        """Draw the scene into the arrays, bottom row first as in OpenGL."""
        height, width = rgb.shape[:2]
        if width > self._mjr.offWidth or height > self._mjr.offHeight:
            mujoco.mjr_resizeOffscreen(max(width, self._mjr.offWidth), max(height, self._mjr.offHeight), self._mjr)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._mjr)
        window = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(window, self._scene, self._mjr)
        mujoco.mjr_readPixels(rgb, depth, window, self._mjr)

    def _metres(self, reversed_z: NDArray[np.float32]) -> Depth:
        """Convert MuJoCo's depth buffer, which is 1 at the near plane and 0 at the far plane, to metres."""
        near, far = clip_range(self._model)
        depth = (far * near / (far - near)) / (reversed_z + near / (far - near))
        return np.where(reversed_z > 0.0, depth, 0.0).astype(np.float32)

    def _geom_of_number(self, present: Mask) -> Segmentation:
        """Return the geom id of each encoded number, for the numbers in the mask `present` (n,): 0 is the background,
        the number of a geom is its index in the scene plus one."""
        ids = np.full(len(present), -1, np.int32)
        for number in np.flatnonzero(present[1:]) + 1:
            geom = self._scene.geoms[number - 1]
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                ids[number] = geom.objid
        return ids


def _make_mjr_context(
    model: mujoco.MjModel, width: int, height: int, samples: int, shadow_map: int
) -> mujoco.MjrContext:
    """Create an MjrContext. It takes its sizes from the model, so they are set there and restored afterwards."""
    quality, general = model.vis.quality, model.vis.global_
    saved_sizes = (quality.offsamples, quality.shadowsize, general.offwidth, general.offheight)
    quality.offsamples, quality.shadowsize = samples, shadow_map
    general.offwidth, general.offheight = width, height
    try:
        mjr = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
    finally:
        quality.offsamples, quality.shadowsize, general.offwidth, general.offheight = saved_sizes
    mjr.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
    return mjr


def _free(context: GlContext, mjr: mujoco.MjrContext) -> None:
    if context.lost:
        return  # its resources belong to the parent process
    with context.use():
        mjr.free()

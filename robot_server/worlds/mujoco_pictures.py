"""Images of a MuJoCo model for a robot server: colours and depth of one rendering, and the object at each pixel."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

os.environ.setdefault("MUJOCO_GL", "egl")  # no window; before MuJoCo is imported
os.environ.setdefault("PYOPENGL_PLATFORM", os.environ["MUJOCO_GL"])

import mujoco
import numpy as np

WIDTH, HEIGHT = 256, 256
"""Size of every image, pixels."""
UNSEEN = 0.999
"""Normalized depth of a rendering from which on nothing was hit."""


class Pictures:
    """Renders the cameras of a model, without shadows.

    Args:
        model, data: MuJoCo's model and data.
        groups: Groups of the visible geoms: models have collision shapes in others.
    """

    def __init__(self, model: Any, data: Any, groups: Sequence[int]) -> None:
        model.vis.global_.offwidth = max(WIDTH, model.vis.global_.offwidth)
        model.vis.global_.offheight = max(HEIGHT, model.vis.global_.offheight)
        self._model, self._data = model, data
        self._surface = mujoco.GLContext(WIDTH, HEIGHT)
        self._surface.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=10_000)
        self._option, self._camera = mujoco.MjvOption(), mujoco.MjvCamera()
        self._option.geomgroup[:] = [int(group in groups) for group in range(len(self._option.geomgroup))]
        self._option.sitegroup[:] = 0
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED

    def picture(self, camera: str, things: Mapping[str, Sequence[int]]) -> Mapping[str, Any]:
        """Return an image of a camera, as `robot_server.ServedRobot.picture`.

        Args:
            camera: Its name in the model.
            things: The bodies of every object with a mask, by its name.
        """
        self._update(camera)
        rgb, raw = self._render()
        near, far = (
            self._model.stat.extent * float(edge) for edge in (self._model.vis.map.znear, self._model.vis.map.zfar)
        )
        depth = near / (1.0 - raw * (1.0 - near / far))
        depth[raw > UNSEEN + (1.0 - UNSEEN) * 0.999] = 0.0
        number = self._model.camera(camera).id
        focal = HEIGHT / 2 / np.tan(np.deg2rad(self._model.cam_fovy[number]) / 2)
        turn = self._data.cam_xmat[number].reshape(3, 3) * np.array([1.0, -1.0, -1.0])  # MuJoCo looks along -z, y up
        return {
            "rgb": rgb,
            "depth": depth.astype(np.float32),
            "intrinsics": [focal, focal, (WIDTH - 1) / 2, (HEIGHT - 1) / 2],
            "position": self._data.cam_xpos[number].copy(),
            "rotation": turn,
            "instances": self._instances(things),
            "instance_names": list(things),
        }

    def _instances(self, things: Mapping[str, Sequence[int]]) -> Any:
        """Return the object index of each pixel (H, W) int16, of the scene as it was updated last."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        colours = self._render()[0].astype(np.int32)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        drawn = colours[..., 0] + 256 * colours[..., 1] + 65536 * colours[..., 2]
        owners = np.full(self._scene.ngeom + 2, -1, np.int16)  # 0 is the background, like pixels without a geom
        numbers = {body: number for number, bodies in enumerate(things.values()) for body in bodies}
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= geom.segid < self._scene.ngeom:
                owners[geom.segid + 1] = numbers.get(int(self._model.geom_bodyid[geom.objid]), -1)
        return owners[np.minimum(drawn, self._scene.ngeom + 1)]

    def _update(self, camera: str) -> None:
        self._camera.fixedcamid = self._model.camera(camera).id
        mujoco.mjv_updateScene(
            self._model, self._data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False

    def _render(self) -> tuple[Any, Any]:
        """Render colours (H, W, 3) uint8 and raw depth (H, W), upper row first."""
        self._surface.make_current()
        box = mujoco.MjrRect(0, 0, WIDTH, HEIGHT)
        mujoco.mjr_render(box, self._scene, self._context)
        rgb, depth = np.empty((HEIGHT, WIDTH, 3), np.uint8), np.empty((HEIGHT, WIDTH), np.float32)
        mujoco.mjr_readPixels(rgb, depth, box, self._context)
        return np.flipud(rgb), np.flipud(depth).astype(float)

    def close(self) -> None:
        """Release the graphics resources. Idempotent."""
        if self._context is not None:
            self._context.free()
            self._surface.free()
            self._context = None

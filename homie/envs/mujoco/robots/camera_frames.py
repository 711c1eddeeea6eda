"""Cameras of a simulated robot: frames with colour, depth and instance segmentation, and third-person views."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.house.index import GeomInfo
from homie.envs.mujoco.render.ambient_occlusion import apply_occlusion
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_intrinsics, camera_pose
from homie.envs.mujoco.render.frame_cache import Pictured
from homie.envs.mujoco.render.outdoors import with_outdoors
from homie.envs.mujoco.render.renderer import Renderer, RgbdImage, Size
from homie.kernel.types import CameraFrame, Image


class Eyes:
    """Renders states of a model through the cameras of its robot. Kinematics must have been computed.

    Args:
        geoms: Entity of each geom, by id; all other geoms are rendered but belong to no instance.
        size: Width and height of the frames in pixels.
        shade: Whether to apply ambient occlusion (`homie.envs.mujoco.render.ambient_occlusion`).
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, geoms: Mapping[int, GeomInfo], size: Size, *, shade: bool
    ) -> None:
        self.model = model
        self.data = data
        self.size = size
        self._shade = shade
        self._geoms = geoms
        self._cache = Pictured(model)
        self._renderer: Renderer | None = None
        self._film_renderer: Renderer | None = None

    @property
    def renderer(self) -> Renderer:
        """The renderer, created on first use."""
        if self._renderer is None:
            self._renderer = make_renderer(self.model, *self.size)
        return self._renderer

    def frame(self, name: str) -> CameraFrame:
        """Return the frame of one camera; see `frames`."""
        return self.frames((name,))[name]

    def frames(self, names: Collection[str]) -> dict[str, CameraFrame]:
        """Return RGB-D frames of cameras of the robot, with instances; cached while no visible state changes.
        Raises BadInput for an unknown camera."""
        if not names:
            return {}
        state = self._cache.state(self.data)
        frames = {}
        for name in names:
            frame = self._cache.get(name, state)
            if frame is None:
                frame = self._drawn(name)
                self._cache.keep(state, frame)
            frames[name] = frame
        return frames

    def _drawn(self, name: str) -> CameraFrame:
        camera = f"robot/{name}"
        picture = self.renderer.rgbd(self.data, camera, segmentation=True)
        table, names = self._instances
        return CameraFrame(
            name=name,
            rgb=self._colours(picture),
            depth=picture.depth,
            intrinsics=camera_intrinsics(self.model, camera, *self.size),
            pose=camera_pose(self.model, self.data, camera),
            instances=table[picture.geoms],
            instance_names=names,
        )

    def look(self, name: str, height: int | None = None) -> Image:
        """Return the colour image only, `height` pixels high if given."""
        size = None if height is None else (round(height * self.size[0] / self.size[1]), height)
        return self._colours(self.renderer.rgbd(self.data, f"robot/{name}", size=size))

    def film(self, camera: FreeCamera, width: int, height: int, hidden_groups: Set[int] = frozenset()) -> Image:
        """Render an image (height, width, 3) from a free camera, with lawn and sky, and shadows if supported."""
        if self._film_renderer is None:
            self._film_renderer = make_renderer(self.model, width, height, film=True)
        picture = self._film_renderer.rgbd(self.data, camera, size=(width, height), hidden_groups=hidden_groups)
        lens = camera_intrinsics(self.model, camera, width, height)
        pose = camera_pose(self.model, self.data, camera)
        return with_outdoors(self._colours(picture), picture.depth, pose, lens)

    def _colours(self, picture: RgbdImage) -> Image:
        return apply_occlusion(picture.rgb, picture.depth) if self._shade else picture.rgb

    def close(self) -> None:
        """Free the renderers. Idempotent; later images create new ones."""
        for renderer in (self._renderer, self._film_renderer):
            if renderer is not None:
                renderer.close()
        self._renderer = self._film_renderer = None

    @cached_property
    def _instances(self) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Table from geom id to instance index (the last entry is for -1), and the instance names."""
        names: list[str] = []
        table = np.full(self.model.ngeom + 1, -1, dtype=np.int32)
        for geom, info in self._geoms.items():
            name = f"{info.entity}/{info.part}" if info.part else info.entity
            if name not in names:
                names.append(name)
            table[geom] = names.index(name)
        return table, tuple(names)

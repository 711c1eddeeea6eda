"""Interface of renderers: colour, depth and instance segmentation of one MuJoCo model.

Geom groups: 0 solids, 1 upper walls and ceilings (left out of third-person views), 2 robot visuals. Groups 3 and up
(collision shapes) are never drawn, as in MuJoCo's own viewer; neither is a geom with alpha 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.render.camera_geometry import Camera
from homie.kernel.types import Depth, Image

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Segmentation: TypeAlias = NDArray[np.int32]

_NUMBER_OF_GROUPS = 6
_DRAWN_GROUPS = frozenset({0, 1, 2})


@dataclass(frozen=True, slots=True)
class RgbdImage:
    """One view: colour (H, W, 3) uint8, depth (H, W) float32 metres, geom ids (H, W) int32 if requested."""

    rgb: Image
    depth: Depth
    geoms: Segmentation | None = None


class Renderer(ABC):
    """Draws one MjModel; it is independent of homes and robots.

    Every call takes the state to draw (with its kinematics computed, as after `mj_forward` or `mj_step`), a camera, the
    size in pixels (None for the renderer's own) and the geom groups to leave out.

    Depth is metres along the optical axis, not along the ray; 0.0 where nothing is hit before the far plane.
    Segmentation holds geom ids, -1 where there is nothing.
    """

    name: str
    width: int
    height: int

    @abstractmethod
    def rgbd(
        self,
        data: mujoco.MjData,
        camera: Camera,
        *,
        size: Size | None = None,
        hidden_groups: Set[int] = frozenset(),
        segmentation: bool = False,
    ) -> RgbdImage:
        """Render colour and depth in one pass, with segmentation if requested."""

    @abstractmethod
    def segmentation(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Segmentation:
        """Render geom ids (H, W) int32, -1 for nothing; exact at edges (no anti-aliasing)."""

    def rgb(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Image:
        """Render colour, (H, W, 3) uint8."""
        return self.rgbd(data, camera, size=size, hidden_groups=hidden_groups).rgb

    def depth(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Depth:
        """Render depth: metres along the optical axis, (H, W) float32, 0.0 for no return."""
        return self.rgbd(data, camera, size=size, hidden_groups=hidden_groups).depth

    @abstractmethod
    def close(self) -> None:
        """Free the renderer's resources. Idempotent."""

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def group_mask(hidden: Set[int]) -> NDArray[np.uint8]:
    """Return a mask (6,) with 1 for the geom groups to draw."""
    drawn = _DRAWN_GROUPS - hidden
    return np.array([group in drawn for group in range(_NUMBER_OF_GROUPS)], dtype=np.uint8)

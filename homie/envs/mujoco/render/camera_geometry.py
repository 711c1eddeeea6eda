"""Pose and field of view of cameras, independent of the rendering backend.

Optical convention: x right, y down, z forward. Pixel (column i, row j) has its centre at image coordinates (i, j), as
in OpenCV and ROS, so a pixel with depth z is the point `z * ((i - cx) / fx, (j - cy) / fy, 1)` of the optical frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import Array, Intrinsics, Pose

_MUJOCO_TO_OPTICAL = np.diag([1.0, -1.0, -1.0])
"""MuJoCo's camera looks along -z with y up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeCamera:
    """A camera given by its look-at point, distance and viewing direction.

    Args:
        lookat: (x, y, z) in the world (m).
        distance: metres from `lookat`.
        azimuth: heading of the view (rad): 0 looks along +x, pi/2 along +y.
        elevation: radians; negative looks down. -pi/2 with azimuth pi/2 is a map with +y up.
        fovy: vertical field of view (rad).
    """

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float
    fovy: float = math.radians(45.0)


def towards(position: tuple[float, float, float], lookat: tuple[float, float, float]) -> FreeCamera:
    """Return a free camera at `position` that looks at `lookat`.

    Args:
        position: camera position, (x, y, z) in the world (m).
        lookat: the point in the middle of the image, (x, y, z) in the world (m). A camera that looks straight down
            has +y up.

    Raises:
        BadInput: the two points are the same.

    Example:
        >>> towards((0.0, 0.0, 2.0), (1.0, 0.0, 2.0)).distance
        1.0
    """
    direction = np.asarray(lookat, dtype=float) - np.asarray(position, dtype=float)
    distance = float(np.linalg.norm(direction))
    if not np.isfinite(distance) or distance < 1e-6:
        raise BadInput(f"A camera cannot look at where it is (position {position}, lookat {lookat}).")
    level = math.hypot(direction[0], direction[1])
    azimuth = math.atan2(direction[1], direction[0]) if level > 1e-9 else math.pi / 2
    at = (float(lookat[0]), float(lookat[1]), float(lookat[2]))
    return FreeCamera(lookat=at, distance=distance, azimuth=azimuth, elevation=math.atan2(float(direction[2]), level))


Camera: TypeAlias = str | FreeCamera
"""A camera of the model by name, or a free one."""


def camera_id(model: mujoco.MjModel, name: str) -> int:
    """Return the id of a named camera. Raises BadInput that suggests a name or lists all, without the prefix
    `robot/`."""
    number = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name))
    if number < 0:
        names = [model.camera(i).name.removeprefix("robot/") for i in range(model.ncam)]
        requested = name.removeprefix("robot/")
        hint = suggestion(requested, names, f"its cameras are {', '.join(names) or 'none'}.")
        raise BadInput(f"There is no camera '{requested}' in this scene: {hint}")
    return number


def camera_fovy(model: mujoco.MjModel, camera: Camera) -> float:
    """Return the vertical field of view of a camera, rad."""
    if isinstance(camera, FreeCamera):
        return camera.fovy
    return math.radians(float(model.cam_fovy[camera_id(model, camera)]))


def camera_intrinsics(model: mujoco.MjModel, camera: Camera, width: int, height: int) -> Intrinsics:
    """Return the pinhole intrinsics of a camera for images of `width` by `height` square pixels."""
    focal = 0.5 * height / math.tan(0.5 * camera_fovy(model, camera))
    return Intrinsics(focal, focal, 0.5 * (width - 1), 0.5 * (height - 1), width, height)


def camera_pose(model: mujoco.MjModel, data: mujoco.MjData, camera: Camera) -> Pose:
    """Return the pose of a camera's optical frame in the world. For a named camera, the kinematics in `data` must be
    computed."""
    if isinstance(camera, FreeCamera):
        ca, sa = math.cos(camera.azimuth), math.sin(camera.azimuth)
        ce, se = math.cos(camera.elevation), math.sin(camera.elevation)
        forward = np.array([ce * ca, ce * sa, se])
        right = np.array([sa, -ca, 0.0])
        rotation = np.column_stack([right, np.cross(forward, right), forward])
        return Pose(np.asarray(camera.lookat) - camera.distance * forward, rotation)
    index = camera_id(model, camera)
    frame: Array = np.asarray(data.cam_xmat[index]).reshape(3, 3) @ _MUJOCO_TO_OPTICAL
    return Pose(np.array(data.cam_xpos[index]), frame)


def clip_range(model: mujoco.MjModel) -> tuple[float, float]:
    """Return the near and far clipping distances of all cameras, metres along the optical axis."""
    extent = float(model.stat.extent)
    return float(model.vis.map.znear) * extent, float(model.vis.map.zfar) * extent

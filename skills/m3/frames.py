"""Conversion of Homie's frames and images to M3's.

M3's base frame is x forward, y up, z right, its origin on the floor; Homie's is x forward, y left, z up. The gripper's
frame has x out along the fingers in both.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, CameraFrame, Depth, Intrinsics, Pose
from skills.m3.layout import SIZE
from skills.policies.policy import cannot_go_on

FIELD = math.pi / 2
"""Field of view of M3's cameras (rad)."""


def to_m3(point: Array) -> Array:
    """Transform a point (3,) from Homie's base frame to M3's."""
    return np.array([point[0], point[2], -point[1]])


def in_gripper(point: Array, gripper: Pose) -> Array:
    """Transform a point (3,) from the frame in which the gripper's pose is given to the gripper's frame."""
    inside: Array = gripper.rotation.T @ (point - gripper.position)
    return inside


def depth_picture(frame: CameraFrame) -> Depth:
    """Return the depth image of M3's camera at the pose of a camera: (128, 128) float32 metres along the optical axis.

    Nearest-neighbour sampling, so that depths on both sides of an edge are not mixed. 0 where there is no return and
    outside the camera's field of view. Raises PolicyFailed for a camera without depth.
    """
    if frame.depth is None:
        raise cannot_go_on(f"the camera {frame.name} has no depth")
    return resample_depth(frame.depth, frame.intrinsics)


def resample_depth(depth: Depth, camera: Intrinsics) -> Depth:
    """Return the same from a depth image (H, W) in metres and its intrinsics."""
    slopes = (np.arange(SIZE) + 0.5 - SIZE / 2) * (2 * math.tan(FIELD / 2) / SIZE)
    columns, inside_x = _pixels(slopes * camera.fx + camera.cx, camera.width)
    rows, inside_y = _pixels(slopes * camera.fy + camera.cy, camera.height)
    seen = depth[np.ix_(rows, columns)] * (inside_y[:, None] & inside_x[None, :])
    return seen.astype(np.float32)


def _pixels(at: NDArray[np.floating], count: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the nearest pixels to image coordinates, and which of them are in the image."""
    nearest = np.floor(at + 0.5 - 1e-6).astype(np.intp)  # halfway between two pixels always the first
    return np.clip(nearest, 0, count - 1), (nearest >= 0) & (nearest < count)

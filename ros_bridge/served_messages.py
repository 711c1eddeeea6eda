"""Images, camera models and poses as the fields of ROS 2 messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Depth, Image, Intrinsics, Pose2, rotation_z


def picture(rgb: Image) -> dict[str, Any]:
    """Return the fields of a `sensor_msgs/msg/Image` from an image (H, W, 3), without the header."""
    height, width, _ = rgb.shape
    return {"height": height, "width": width, "encoding": "rgb8", "step": 3 * width, "data": rgb.reshape(-1)}


def depth_picture(depth: Depth) -> dict[str, Any]:
    """Return the same for depths (H, W) in metres, as `32FC1` (REP 118); unknown depths are NaN."""
    height, width = depth.shape
    metres = np.where(np.isfinite(depth) & (depth > 0), depth, np.nan).astype("<f4")
    return {"height": height, "width": width, "encoding": "32FC1", "step": 4 * width, "data": metres.tobytes()}


def numbers_picture(numbers: NDArray[np.int32]) -> dict[str, Any]:
    """Return the same for small integers (H, W), as `16SC1`."""
    height, width = numbers.shape
    data = numbers.astype("<i2").tobytes()
    return {"height": height, "width": width, "encoding": "16SC1", "step": 2 * width, "data": data}


def camera_info(model: Intrinsics) -> dict[str, Any]:
    """Return the fields of a `sensor_msgs/msg/CameraInfo` of a camera without distortion, without the header."""
    fx, fy, cx, cy = model.fx, model.fy, model.cx, model.cy
    return {
        "height": model.height,
        "width": model.width,
        "distortion_model": "plumb_bob",
        "d": [0.0] * 5,
        "k": [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        "r": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "p": [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    }


def transform(header: dict[str, Any], parent: str, child: str, pose: Array) -> dict[str, Any]:
    """Return the fields of a `geometry_msgs/msg/TransformStamped` of the pose (4, 4) of `child` in `parent`."""
    x, y, z = pose[:3, 3]
    return {
        "header": {**header, "frame_id": parent},
        "child_frame_id": child,
        "transform": {"translation": {"x": x, "y": y, "z": z}, "rotation": quaternion(pose[:3, :3])},
    }


def quaternion(rotation: Array) -> dict[str, float]:
    """Convert a rotation matrix (3, 3) to the fields of a `geometry_msgs/msg/Quaternion`."""
    trace = float(np.trace(rotation))
    if trace > 0:
        w = math.sqrt(1 + trace) / 2
        x = (rotation[2, 1] - rotation[1, 2]) / (4 * w)
        y = (rotation[0, 2] - rotation[2, 0]) / (4 * w)
        z = (rotation[1, 0] - rotation[0, 1]) / (4 * w)
        return {"x": float(x), "y": float(y), "z": float(z), "w": w}
    # Near half a turn w is too small to divide by: begin with the largest of the others (Shepperd).
    first = int(np.argmax(np.diag(rotation)))
    second, third = (first + 1) % 3, (first + 2) % 3
    size = math.sqrt(1 + rotation[first, first] - rotation[second, second] - rotation[third, third]) / 2
    parts = [0.0, 0.0, 0.0]
    parts[first] = size
    parts[second] = float(rotation[second, first] + rotation[first, second]) / (4 * size)
    parts[third] = float(rotation[third, first] + rotation[first, third]) / (4 * size)
    w = float(rotation[third, second] - rotation[second, third]) / (4 * size)
    return {"x": parts[0], "y": parts[1], "z": parts[2], "w": w}


def planar(pose: Pose2) -> Array:
    """Convert a pose on the floor to a matrix (4, 4)."""
    return matrix(np.array([pose.x, pose.y, 0.0]), rotation_z(pose.yaw))


def matrix(position: Array, rotation: Array) -> Array:
    """Combine a position (3,) and a rotation (3, 3) in a matrix (4, 4)."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, position
    return result

"""Camera models from `sensor_msgs/msg/CameraInfo`.

Unsupported settings are refused, never ignored. Source of the fields: REP 104 and the comments of CameraInfo.
"""

from __future__ import annotations

import math

from homie.kernel.errors import RobotFault
from homie.kernel.robot.camera import MODELS, CameraModel
from homie.kernel.types import Intrinsics
from ros_bridge.transport.interface import Message

RECTIFIED = frozenset({"rect", "rectified"})
"""Words in names of undistorted topics: image_rect and image_rect_color by image_proc, rgb/rect/image by others."""


def is_rectified(topic: str) -> bool:
    """Return whether the images of a topic are already undistorted: `rect` is a word of its last part, or a part
    itself. image_transport appends a part for compressed images."""
    *parts, last = topic.removesuffix("/compressed").split("/")
    return not RECTIFIED.isdisjoint([*parts, *last.split("_")])


def camera_of(info: Message, name: str, topic: str) -> CameraModel:
    """Return the model of a camera.

    Args:
        info: Its CameraInfo.
        name: Name of the camera, for error messages.
        topic: Topic of its colour images. A rectified one is described by P alone, any other by K and D.

    Raises:
        RobotFault: The camera is not calibrated, or its distortion model is not supported.
    """
    rectified = is_rectified(topic)
    numbers = [float(number) for number in (info.p if rectified else info.k)]
    fx, cx, fy, cy = (numbers[0], numbers[2], *(numbers[5:7] if rectified else numbers[4:6]))
    if not all(map(math.isfinite, numbers)) or fx <= 0 or fy <= 0:
        raise RobotFault(
            f"The camera '{name}' is not calibrated: {'P' if rectified else 'K'} of its camera info has no focal "
            "lengths. Calibrate it (camera_calibration), or name the topics of one that is."
        )
    width, height = int(info.width), int(info.height)
    if not (0 < cx < width and 0 < cy < height):
        raise RobotFault(
            f"The camera '{name}' is not calibrated: {'P' if rectified else 'K'} of its camera info has its middle at "
            f"{cx:g} {cy:g}, outside a picture of {width}x{height} pixels."
        )
    pinhole = Intrinsics(fx, fy, cx, cy, width, height)
    coefficients = tuple(float(number) for number in info.d)
    if rectified or not any(coefficients):
        return CameraModel(pinhole, name=name)
    if len(coefficients) not in MODELS.get(info.distortion_model, ()) or not all(map(math.isfinite, coefficients)):
        raise RobotFault(
            f"The lens of the camera '{name}' has the distortion model '{info.distortion_model}' with "
            f"{len(coefficients)} coefficients; Homie undoes {' and '.join(MODELS)}: name its rectified topic "
            "(image_rect_color of image_proc) in the profile."
        )
    return CameraModel(pinhole, coefficients, name)

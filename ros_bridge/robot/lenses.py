"""`sensor_msgs/msg/CameraInfo` as the model of an ideal pinhole, and pictures made those of one.

Homie computes with ideal pinholes. A picture of a lens that bends is undistorted, colours and depth alike; what a model
says that Homie does not know is refused, never ignored. Source of the fields: REP 104 and the comments of CameraInfo.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.errors import RobotFault
from homie.kernel.types import Depth, Image, Intrinsics
from ros_bridge.transport.interface import Message

MODELS = {"plumb_bob": (4, 5), "rational_polynomial": (8,)}
"""The distortion models that are undone, with the numbers of their coefficients, in the order of OpenCV."""
RECTIFIED = "rect"
"""What image_proc has in the last part of the names of undistorted topics: image_rect, image_rect_color."""


@dataclass(frozen=True, slots=True)
class Lens:
    """The pinhole of the undistorted picture, and the coefficients of the lens; () where there is nothing to undo."""

    intrinsics: Intrinsics
    coefficients: tuple[float, ...] = ()

    def colours(self, picture: Image) -> Image:
        """The undistorted picture (H, W, 3); black where the lens saw nothing."""
        if not self.coefficients:
            return picture
        return np.asarray(cv2.remap(picture, *_sources(self), cv2.INTER_LINEAR), dtype=np.uint8)

    def depths(self, depth: Depth) -> Depth:
        """The same of the depths (H, W), 0 where not known. Not interpolated: between near and far there is nothing."""
        if not self.coefficients:
            return depth
        return np.asarray(cv2.remap(depth, *_sources(self), cv2.INTER_NEAREST), dtype=np.float32)


def lens_of(info: Message, name: str, topic: str) -> Lens:
    """The lens of a camera.

    Args:
        info: Its CameraInfo.
        name: Of the camera, for the sentences.
        topic: Of its colours. One that is rectified already is described by P alone, any other by K and D.

    Raises:
        RobotFault: The camera is not calibrated, or its lens has a model that cannot be undone.
    """
    rectified = RECTIFIED in topic.rpartition("/")[2]
    numbers = [float(number) for number in (info.p if rectified else info.k)]
    fx, cx, fy, cy = (numbers[0], numbers[2], *(numbers[5:7] if rectified else numbers[4:6]))
    if not all(map(math.isfinite, numbers)) or fx <= 0 or fy <= 0:
        raise RobotFault(
            f"The camera '{name}' is not calibrated: {'P' if rectified else 'K'} of its camera info has no focal "
            "lengths. Calibrate it (camera_calibration), or name the topics of one that is."
        )
    pinhole = Intrinsics(fx, fy, cx, cy, int(info.width), int(info.height))
    coefficients = tuple(float(number) for number in info.d)
    if rectified or not any(coefficients):
        return Lens(pinhole)
    if len(coefficients) not in MODELS.get(info.distortion_model, ()) or not all(map(math.isfinite, coefficients)):
        raise RobotFault(
            f"The lens of the camera '{name}' has the distortion model '{info.distortion_model}' with "
            f"{len(coefficients)} coefficients; Homie undoes {' and '.join(MODELS)}: name its rectified topic "
            "(image_rect_color of image_proc) in the profile."
        )
    return Lens(pinhole, coefficients)


@functools.lru_cache(maxsize=16)  # the cameras of a robot: a map takes longer than the picture
def _sources(lens: Lens) -> tuple[Depth, Depth]:
    """Column and row (H, W) of each undistorted pixel in the picture of the lens."""
    k = lens.intrinsics
    matrix = np.array([[k.fx, 0.0, k.cx], [0.0, k.fy, k.cy], [0.0, 0.0, 1.0]])
    columns, rows = cv2.initUndistortRectifyMap(
        matrix, np.array(lens.coefficients), np.eye(3), matrix, (k.width, k.height), cv2.CV_32FC1
    )
    return np.asarray(columns), np.asarray(rows)

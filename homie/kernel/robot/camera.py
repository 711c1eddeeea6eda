"""Undistortion of the pictures of real cameras.

All of Homie assumes pictures of an ideal pinhole camera (`CameraFrame`). `CameraModel` undistorts the colour and depth
pictures of a calibrated camera, so that pixel boxes and depths agree with the pinhole geometry.

Source of the model: D. C. Brown, "Decentering Distortion of Lenses" (1966), as OpenCV and ROS write it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import reading
from homie.kernel.support.validation_sentences import first_problem
from homie.kernel.types import CameraFrame, Depth, Image, Intrinsics, Pose

MODELS = {"plumb_bob": (4, 5), "rational_polynomial": (8,)}
"""The supported distortion models, with their possible numbers of coefficients."""


@dataclass(frozen=True, slots=True)
class CameraModel:
    """A calibrated camera.

    Attributes:
        intrinsics: Intrinsics of the camera and of the undistorted picture.
        distortion: Distortion coefficients in the order of OpenCV: (k1, k2, p1, p2[, k3[, k4, k5, k6]]); () for an
            ideal lens, whose pictures are not changed.
        name: Name of the camera, for messages.

    Example:
        ```
        camera = CameraModel.load(Path("head_camera.yaml"))
        frame = camera.frame("head", rgb, depth, pose)
        ```
    """

    intrinsics: Intrinsics
    distortion: tuple[float, ...] = ()
    name: str = ""

    @classmethod
    def load(cls, path: Path) -> CameraModel:
        """Load a calibration from a YAML file in the format of ROS (`camera_info_manager`, `camera_calibration`).

        Raises:
            BadInput: The file cannot be read, or its distortion model is not supported.
        """
        with reading(path, "the calibration"):
            document = load_yaml(path)
        try:
            info = _CameraInfo.model_validate(document)
        except ValidationError as error:
            raise BadInput(
                f"The calibration {path} is not in the format of camera_info: {first_problem(error, 'the file')}."
            ) from error
        return cls(_intrinsics(info, path), _distortion(info, path), info.camera_name)

    def colours(self, picture: Image) -> Image:
        """Undistort a colour picture (H, W, 3); black where the camera has no pixels."""
        if not self.distortion:
            return picture
        return np.asarray(cv2.remap(picture, *_source_pixels(self), cv2.INTER_LINEAR), dtype=np.uint8)

    def depths(self, depth: Depth) -> Depth:
        """Undistort a depth picture (H, W), m; 0 where not known. Nearest neighbour, as interpolation between a near
        and a far pixel would make up a surface."""
        if not self.distortion:
            return depth
        return np.asarray(cv2.remap(depth, *_source_pixels(self), cv2.INTER_NEAREST), dtype=np.float32)

    def frame(self, name: str, rgb: Image, depth: Depth | None, pose: Pose) -> CameraFrame:
        """Create the undistorted frame of a picture.

        Args:
            name: Name of the frame, that of the robot's camera.
            rgb: The picture (H, W, 3).
            depth: Depth along the optical axis (H, W), m, registered to the picture; None for none.
            pose: Pose of the camera in the odometry frame.

        Raises:
            BadInput: The size of the picture or its depth differs from that of the calibration.
        """
        k = self.intrinsics
        for picture in (rgb, depth):
            if picture is not None and picture.shape[:2] != (k.height, k.width):
                raise BadInput(
                    f"The camera '{self.name or name}' is calibrated for {k.width} x {k.height} pixels and gives "
                    f"{picture.shape[1]} x {picture.shape[0]}: calibrate it at the size that it is used at."
                )
        return CameraFrame(name, self.colours(rgb), None if depth is None else self.depths(depth), k, pose)


@functools.lru_cache(maxsize=16)  # for the cameras of a robot: computing a map takes longer than applying it
def _source_pixels(camera: CameraModel) -> tuple[Depth, Depth]:
    """Return column and row (H, W), in the distorted picture, of each undistorted pixel."""
    k = camera.intrinsics
    matrix = np.array([[k.fx, 0.0, k.cx], [0.0, k.fy, k.cy], [0.0, 0.0, 1.0]])
    columns, rows = cv2.initUndistortRectifyMap(
        matrix, np.array(camera.distortion), np.eye(3), matrix, (k.width, k.height), cv2.CV_32FC1
    )
    return np.asarray(columns), np.asarray(rows)


# ---------------------------------------------------------------- calibration files


class _Matrix(BaseModel):
    model_config = ConfigDict(frozen=True)

    rows: int = Field(ge=1)
    cols: int = Field(ge=1)
    data: list[FiniteFloat]


class _CameraInfo(BaseModel):
    """The relevant keys of a `camera_info` file; its rectification and projection are for stereo pairs."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    image_width: int = Field(ge=1)
    image_height: int = Field(ge=1)
    camera_name: str = ""
    camera_matrix: _Matrix
    distortion_model: str = "plumb_bob"
    distortion_coefficients: _Matrix


def _intrinsics(info: _CameraInfo, path: Path) -> Intrinsics:
    data = _data(info.camera_matrix, "camera_matrix", path, (9,))
    fx, skew, cx, _, fy, cy, *_ = data
    if fx <= 0 or fy <= 0 or data[6:] != [0.0, 0.0, 1.0] or data[3] != 0.0:
        raise BadInput(
            f"The camera_matrix of {path} is not a 3x3 camera matrix: expected [fx, 0, cx, 0, fy, cy, 0, 0, 1]."
        )
    if skew != 0.0:
        raise BadInput(f"The camera_matrix of {path} has a skew of {skew:g}, which is not supported.")
    return Intrinsics(fx, fy, cx, cy, info.image_width, info.image_height)


def _distortion(info: _CameraInfo, path: Path) -> tuple[float, ...]:
    if info.distortion_model not in MODELS:
        raise BadInput(
            f"The lens in {path} has the distortion model '{info.distortion_model}': calibrate it with plumb_bob."
        )
    data = _data(info.distortion_coefficients, "distortion_coefficients", path, MODELS[info.distortion_model])
    return tuple(data) if any(data) else ()


def _data(matrix: _Matrix, name: str, path: Path, sizes: tuple[int, ...]) -> list[Any]:
    if len(matrix.data) not in sizes or matrix.rows * matrix.cols != len(matrix.data):
        expected = " or ".join(str(size) for size in sizes)
        raise BadInput(
            f"The {name} of {path} has {len(matrix.data)} numbers in {matrix.rows} x {matrix.cols}: "
            f"expected {expected}."
        )
    return matrix.data

"""The camera of a real robot: a pinhole with the distortion of its lens, from the calibration file that ROS writes.

All of perception works on pictures of an ideal pinhole (`CameraFrame`). `CameraModel.frame` makes them of
what a calibrated camera gives, so that a box in the picture and its depth are where the geometry takes them to be.

Source of the model: D. C. Brown, "Decentering Distortion of Lenses" (1966), as OpenCV and ROS (`plumb_bob`) write it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from homie.kernel.support.text import first_problem
from homie.kernel.types import Array, CameraFrame, Depth, Image, Intrinsics, Pose

_STEPS = 25
"""Of Newton's method, which needs about five."""
_CLOSE = 1e-9
"""How near (tangent of an angle) a ray must come to the pixel that it was sought for."""


class _Matrix(BaseModel):
    rows: int = Field(ge=1)
    cols: int = Field(ge=1)
    data: list[FiniteFloat]


class _CameraInfo(BaseModel):
    """The keys of a `camera_info` file that matter; its rectification and projection are for stereo pairs."""

    model_config = ConfigDict(extra="ignore")

    image_width: int = Field(ge=1)
    image_height: int = Field(ge=1)
    camera_name: str = ""
    camera_matrix: _Matrix
    distortion_model: str = "plumb_bob"
    distortion_coefficients: _Matrix


@dataclass(frozen=True, slots=True)
class CameraModel:
    """Pinhole and Brown-Conrady distortion. distortion: (k1, k2, p1, p2, k3), all 0 for an ideal lens.

    Points are in the optical frame (x right, y down, z forward; metres); pixels are (column, row), (0, 0) the middle of
    the first one.
    """

    intrinsics: Intrinsics
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    name: str = ""

    @classmethod
    def load(cls, path: Path) -> CameraModel:
        """From a YAML file in the format of ROS (`camera_info_manager`, `camera_calibration`). Raises BadInput."""
        with reading(path, "the calibration"):
            loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
        try:
            info = _CameraInfo.model_validate(loaded)
        except ValidationError as error:
            raise BadInput(
                f"The calibration {path} is not in the format of camera_info: {first_problem(error, 'the file')}."
            ) from error
        return cls(_intrinsics(info, path), _distortion(info, path), info.camera_name)

    def project(self, points: Array) -> Array:
        """Pixels (n, 2) of points (n, 3), in or beside the picture; NaN for what is not before the camera."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        z = np.where(points[:, 2] > 0.0, points[:, 2], np.nan)
        return self._pixels(_bent(points[:, :2] / z[:, None], self.distortion)[0])

    def undistort(self, pixels: Array) -> Array:
        """Where pixels (n, 2) would lie in the picture of an ideal pinhole; NaN where no ray leads to one."""
        target = self._rays(np.asarray(pixels, dtype=np.float64).reshape(-1, 2))
        rays = target.copy()
        for _ in range(_STEPS if any(self.distortion) else 0):
            bent, slopes = _bent(rays, self.distortion)
            with np.errstate(all="ignore"):  # a ray that runs away ends as NaN
                determinant = slopes[:, 0, 0] * slopes[:, 1, 1] - slopes[:, 0, 1] * slopes[:, 1, 0]
                u, v = (target - bent).T
                rays[:, 0] += (slopes[:, 1, 1] * u - slopes[:, 0, 1] * v) / determinant
                rays[:, 1] += (slopes[:, 0, 0] * v - slopes[:, 1, 0] * u) / determinant
        bent, slopes = _bent(rays, self.distortion)
        folded = np.linalg.det(np.nan_to_num(slopes)) <= 0.0  # beyond where the lens turns back
        rays[~(np.abs(bent - target).max(axis=1) < _CLOSE) | folded] = np.nan
        return self._pixels(rays)

    def deproject(self, pixels: Array, depth: Array) -> Array:
        """Points (n, 3) seen at pixels (n, 2) at depths (n,), metres along the optical axis; NaN as `undistort`."""
        rays = self._rays(self.undistort(pixels))
        z = np.asarray(depth, dtype=np.float64).reshape(-1, 1)
        return np.concatenate([rays * z, z], axis=1)

    def frame(self, name: str, rgb: Image, depth: Depth | None, pose: Pose) -> CameraFrame:
        """The frame of an ideal pinhole from a picture (H, W, 3) and its depth (H, W), registered to each other.

        Colours are interpolated, depths are not: between a near and a far pixel there is nothing. Raises BadInput for
        a picture of another size than the calibrated one.
        """
        k = self.intrinsics
        for picture in (rgb, depth):
            if picture is not None and picture.shape[:2] != (k.height, k.width):
                raise BadInput(
                    f"The camera '{self.name or name}' is calibrated for {k.width} x {k.height} pixels and gives "
                    f"{picture.shape[1]} x {picture.shape[0]}: calibrate it at the size that it is used at."
                )
        if any(self.distortion):
            v, u = np.mgrid[: k.height, : k.width].reshape(2, -1).astype(np.float64)
            sources = self._pixels(_bent(self._rays(np.column_stack([u, v])), self.distortion)[0])
            columns, rows = sources.T.reshape(2, k.height, k.width).astype(np.float32)
            rgb = np.asarray(cv2.remap(rgb, columns, rows, cv2.INTER_LINEAR), dtype=np.uint8)
            if depth is not None:
                depth = np.asarray(cv2.remap(depth, columns, rows, cv2.INTER_NEAREST), dtype=np.float32)
        return CameraFrame(name, rgb, depth, k, pose)

    def _rays(self, pixels: Array) -> Array:
        """Pixels (n, 2) as (x / z, y / z)."""
        k = self.intrinsics
        rays: Array = (pixels - [k.cx, k.cy]) / [k.fx, k.fy]
        return rays

    def _pixels(self, rays: Array) -> Array:
        k = self.intrinsics
        pixels: Array = rays * [k.fx, k.fy] + [k.cx, k.cy]
        return pixels


def _bent(rays: Array, lens: tuple[float, float, float, float, float]) -> tuple[Array, Array]:
    """Rays (x / z, y / z) (n, 2) behind the lens, and how they change with those before it, (n, 2, 2)."""
    k1, k2, p1, p2, k3 = lens
    x, y = rays.T
    with np.errstate(all="ignore"):
        r = x * x + y * y
        radial = 1.0 + r * (k1 + r * (k2 + r * k3))
        slope = 2.0 * (k1 + r * (2.0 * k2 + r * 3.0 * k3))
        bent = np.stack(
            [
                x * radial + 2.0 * p1 * x * y + p2 * (r + 2.0 * x * x),
                y * radial + p1 * (r + 2.0 * y * y) + 2.0 * p2 * x * y,
            ],
            axis=1,
        )
        across = x * y * slope + 2.0 * (p1 * x + p2 * y)
        slopes = np.stack(
            [
                np.stack([radial + x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x, across], axis=1),
                np.stack([across, radial + y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x], axis=1),
            ],
            axis=1,
        )
    return bent, slopes


def _intrinsics(info: _CameraInfo, path: Path) -> Intrinsics:
    data = _data(info.camera_matrix, "camera_matrix", path, (9,))
    fx, skew, cx, _, fy, cy, *_ = data
    if fx <= 0 or fy <= 0 or data[6:] != [0.0, 0.0, 1.0] or data[3] != 0.0:
        raise BadInput(f"The camera_matrix of {path} is no camera matrix: expected [fx, 0, cx, 0, fy, cy, 0, 0, 1].")
    if skew != 0.0:
        raise BadInput(f"The camera_matrix of {path} has a skew of {skew:g}, which is not supported.")
    return Intrinsics(fx, fy, cx, cy, info.image_width, info.image_height)


def _distortion(info: _CameraInfo, path: Path) -> tuple[float, float, float, float, float]:
    """The five coefficients of `plumb_bob`. `rational_polynomial` is the same where its other coefficients are 0."""
    data = _data(info.distortion_coefficients, "distortion_coefficients", path, (4, 5, 8))
    if info.distortion_model not in ("plumb_bob", "rational_polynomial") or any(data[5:]):
        raise BadInput(
            f"The lens in {path} has the distortion model '{info.distortion_model}': calibrate it with plumb_bob."
        )
    k1, k2, p1, p2, k3 = (*data, 0.0)[:5]
    return k1, k2, p1, p2, k3


def _data(matrix: _Matrix, name: str, path: Path, sizes: tuple[int, ...]) -> list[Any]:
    if len(matrix.data) not in sizes or matrix.rows * matrix.cols != len(matrix.data):
        expected = " or ".join(str(size) for size in sizes)
        raise BadInput(
            f"The {name} of {path} has {len(matrix.data)} numbers in {matrix.rows} x {matrix.cols}: "
            f"expected {expected}."
        )
    return matrix.data

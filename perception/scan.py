"""A depth picture as points in the odometry frame: depth + intrinsics + camera pose -> Scan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, CameraFrame, Depth, Intrinsics, Mask

Points = NDArray[np.float32]

NEAREST, FARTHEST = 0.05, 8.0
"""Smallest and largest depth (m) that is used."""
SAME_SURFACE = 0.04
"""Largest depth difference (m) between a point and the depth picture at which the point counts as visible."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Point cloud of one frame.

    Attributes:
        points: (H, W, 3) float32 in the odometry frame.
        valid: (H, W), pixels with measured depth.
    """

    frame: CameraFrame
    points: Points
    valid: Mask

    @classmethod
    def of(cls, frame: CameraFrame) -> Scan | None:
        """Return the scan of a frame, or None if the frame has no depth. The points are cached in the frame."""
        if frame.depth is None:
            return None
        if Scan not in frame.memo:
            frame.memo[Scan] = cls._back_project(frame, frame.depth)
        points, valid = frame.memo[Scan]
        return cls(frame, points, valid)

    @staticmethod
    def _back_project(frame: CameraFrame, depth: Depth) -> tuple[Points, Mask]:
        rays = _rays(frame.intrinsics) @ frame.pose.rotation.T.astype(np.float32)
        points = rays * depth[..., None] + frame.pose.position.astype(np.float32)
        return points, (depth > NEAREST) & (depth < FARTHEST)

    @property
    def eye(self) -> Array:
        """Camera position, (3,), in the odometry frame."""
        return self.frame.pose.position

    @property
    def depth(self) -> Depth:
        """Depth picture (H, W), in metres."""
        assert self.frame.depth is not None  # a scan is made of a frame with depth
        return self.frame.depth

    def project(self, points: Array | Points) -> tuple[Mask, NDArray[np.intp], NDArray[np.intp], Array | Points]:
        """Project points (n, 3) of the odometry frame into the picture.

        Returns:
            Which points lie in the picture, (n,); rows and columns of their pixels, (n,), which are valid for those
            only; depths of all points in metres, (n,).
        """
        k, pose = self.frame.intrinsics, self.frame.pose
        local = (points - pose.position.astype(points.dtype)) @ pose.rotation.astype(points.dtype)
        depths = local[:, 2]
        in_picture = depths > NEAREST
        safe_depths = np.where(in_picture, depths, 1.0)
        columns = np.round(local[:, 0] / safe_depths * k.fx + k.cx).astype(np.intp)
        rows = np.round(local[:, 1] / safe_depths * k.fy + k.cy).astype(np.intp)
        in_picture &= (columns >= 0) & (rows >= 0) & (columns < k.width) & (rows < k.height)
        return in_picture, rows, columns, depths

    def visible(self, points: Points) -> tuple[Mask, NDArray[np.intp], NDArray[np.intp]]:
        """Return which points (n, 3) are visible in the depth picture, (n,), and the rows and columns of those."""
        shown, rows, columns, depths = self.project(points)
        shown &= depths < FARTHEST
        shown[shown] = np.abs(self.depth[rows[shown], columns[shown]] - depths[shown]) < SAME_SURFACE
        return shown, rows[shown], columns[shown]


@lru_cache(maxsize=16)
def _rays(intrinsics: Intrinsics) -> Points:
    """Rays of all pixels in the optical frame with z = 1, (H, W, 3)."""
    u = (np.arange(intrinsics.width, dtype=np.float32) - intrinsics.cx) / intrinsics.fx
    v = (np.arange(intrinsics.height, dtype=np.float32) - intrinsics.cy) / intrinsics.fy
    rays = np.ones((intrinsics.height, intrinsics.width, 3), dtype=np.float32)
    rays[..., 0] = u[None, :]
    rays[..., 1] = v[:, None]
    return rays

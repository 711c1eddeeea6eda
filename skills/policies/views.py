"""View of the target at the start of an attempt: the best image of it, and the direction of that camera."""

from __future__ import annotations

import math

import numpy as np

from homie.kernel.types import Array, CameraFrame, Detection, Goal, Observation
from perception.localise import patch_of
from perception.scan import Scan

FAR = 10.0
"""Distance (m) assumed for an object whose distance no camera measures."""


def best_seen(goal: Goal, observation: Observation) -> Detection | None:
    """Return the largest box of the target in the current images, a whole object before a part of it; None if
    unseen."""

    def rank(detection: Detection) -> tuple[bool, float]:
        x0, y0, x1, y1 = detection.box
        picture = observation.frames[detection.view].rgb
        return detection.part == "", (x1 - x0) * (y1 - y0) / (picture.shape[0] * picture.shape[1])

    return max((candidate for candidate in goal.seen if candidate.view in observation.frames), key=rank, default=None)


def heading(frame: CameraFrame) -> float:
    """Return the yaw (odometry frame) in which a camera looks. Undefined for one that looks straight up or down."""
    forward = frame.pose.rotation[:, 2]
    return math.atan2(forward[1], forward[0])


def place(seen: Detection, frame: CameraFrame) -> Array:
    """Return the position (3,) of the middle of a detection in the odometry frame, by the frame's depth.

    Without depth, the point on the ray through the middle of the box at a distance of `FAR`.
    """
    scan = Scan.of(frame)
    patch = patch_of(scan, seen) if scan is not None else None
    if patch is not None:
        return np.median(patch.points.astype(np.float64), axis=0)
    x0, y0, x1, y1 = seen.box
    optics = frame.intrinsics
    ray = np.array([((x0 + x1 - 1) / 2 - optics.cx) / optics.fx, ((y0 + y1 - 1) / 2 - optics.cy) / optics.fy, 1.0])
    point: Array = frame.pose.position + frame.pose.rotation @ (ray * FAR)
    return point


def pixel(point: Array, frame: CameraFrame) -> tuple[float, float] | None:
    """Return the image coordinates (x, y) of a point (3,) of the odometry frame, or None if it is not in the image."""
    x, y, z = frame.pose.rotation.T @ (point - frame.pose.position)
    if z <= 0.0:
        return None
    optics = frame.intrinsics
    at = float(optics.cx + optics.fx * x / z), float(optics.cy + optics.fy * y / z)
    inside = -0.5 <= at[0] < optics.width - 0.5 and -0.5 <= at[1] < optics.height - 0.5
    return at if inside else None

"""Goal adapter of PixNav: converts the target's box in the best image to a pixel of the first image.

    box in a view -> place in the room -> turn so that the head camera sees it -> pixel there -> mark of 17x17

The authors turn to the one of twelve images, 30 degrees apart, in which the target was found, and mark it there.
"""

from __future__ import annotations

import math

import numpy as np

from homie.kernel.types import Array, CameraFrame, FailureReason, Goal, Observation, Pose2
from skills.pixnav.actions import TURN
from skills.policies.policy import PolicyFailed
from skills.policies.views import best_seen, pixel, place


def find(goal: Goal, observation: Observation) -> Array:
    """Return the target's position (3,) in the odometry frame, from its best image. Raises PolicyFailed if it is in
    none."""
    seen = best_seen(goal, observation)
    if seen is None:
        raise PolicyFailed(FailureReason.TARGET_NOT_IN_PICTURES)
    return place(seen, observation.frames[seen.view])


def turn_to(point: Array, base: Pose2) -> float:
    """Return the yaw, a multiple of 30 degrees from the base's, at which a point is nearest to straight ahead."""
    bearing = math.atan2(point[1] - base.y, point[0] - base.x) - base.yaw
    return base.yaw + TURN * round(math.remainder(bearing, math.tau) / TURN)


def mark(point: Array, frame: CameraFrame) -> Array | None:
    """Return the image position of a point, (2,) x, y as fractions of width and height; None if it is not in the
    image."""
    at = pixel(point, frame)
    if at is None:
        return None
    optics = frame.intrinsics
    return np.array([(at[0] + 0.5) / optics.width, (at[1] + 0.5) / optics.height])

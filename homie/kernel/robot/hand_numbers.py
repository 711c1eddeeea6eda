"""Numbers of policies that move the hand towards a goal: state, goal and action of one moment, with their labels.

Shared by the export of such data sets (`homie data lerobot --action`) and by the skills that run what was trained on
them. Axes are those of the robot's base: x forward, y left, z up; metres. The position of the hand is the one from the
target: a policy that gets both from the base has to learn to subtract them, and copies the hand's meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, Goal, Pose, Pose2

_POSE = (
    *(f"hand_from_goal.{axis}" for axis in "xyz"),
    *(f"hand.{axis}_axis.{part}" for axis in "xy" for part in "xyz"),
)
"""Position, then the hand's x axis (out along the fingers) and y axis (along which they close)."""
STATE_LABELS = (*_POSE, "hand.opening", "hand.holding")
"""Measured pose of the hand, opening (0 closed, 1 open), whether it holds something (0, 1)."""
ACTION_LABELS = (*_POSE, "hand.opening")
"""Pose and opening at the next moment."""
GOAL_LABELS = (
    *(f"goal.{axis}" for axis in "xyz"),
    *(f"goal.half_{axis}" for axis in "xyz"),
    "goal.cos_2yaw",
    "goal.sin_2yaw",
)
"""Centre of the target's box from the base on the floor, its half extents (without a box: its reference point, and
zeros), and twice its yaw, since a box turned by half a turn is the same."""


def state_numbers(hand: Pose, opening: float, holding: bool, goal: Array) -> Array:
    """Return the numbers (11,) of `STATE_LABELS`.

    Args:
        hand: Pose of the hand in the base frame.
        opening: Opening of the gripper, 0 closed, 1 open.
        holding: Whether it holds something.
        goal: Numbers (8,) of the goal.
    """
    return np.array([*pose_numbers(hand, goal), opening, float(holding)])


def pose_numbers(hand: Pose, goal: Array) -> Array:
    """Return the numbers (9,) of a pose of the hand in the base frame, for the numbers (8,) of a goal."""
    return np.concatenate([hand.position - goal[:3], hand.rotation[:, 0], hand.rotation[:, 1]])


def pose_of(numbers: Sequence[float] | Array, goal: Array) -> Pose:
    """Return the pose of the hand in the base frame of numbers (9,), whose axes need not be orthogonal or of length 1.
    Raises ValueError for parallel axes, and for numbers that are not finite."""
    values = np.asarray(numbers, dtype=float)
    x, y = values[3:6], values[6:9]
    z = np.cross(x, y)
    if not np.isfinite(values).all() or np.linalg.norm(z) < 1e-6:
        raise ValueError("the axes of a pose must be two finite directions")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return Pose(values[:3] + goal[:3], np.column_stack([x, np.cross(z, x), z]))


def goal_numbers(goal: Goal, base: Pose2) -> Array:
    """Return the numbers (8,) of `GOAL_LABELS` of a goal in the odometry frame, seen from a base pose in it."""
    box = goal.box
    center, half, yaw = (goal.position, np.zeros(3), 0.0) if box is None else (box.center, box.half, box.yaw)
    turn = 2.0 * (yaw - base.yaw)
    return np.concatenate([base.inverse(center), half, [np.cos(turn), np.sin(turn)]])

"""Closed-form inverse kinematics of the Panda, for many values of its last joint at once.

The Panda has a shoulder (S, where joints 1 to 3 meet) and a wrist (W, where joints 5 and 6 meet). The seventh joint's
angle is free; once it is chosen, frame 6 and with it W are known. The distance from S to W gives the elbow, joint 4.
The forearm passes W at an angle to the line S-W that follows from the elbow, which gives joint 6, and the plane of the
arm gives joint 5; joints 1 to 3 follow from the orientation of frame 3, as rotations about z, y, z.
"""

from __future__ import annotations

import numpy as np

from homie.envs.mujoco.robots.bodies.panda import FILE, SPEC
from homie.kernel.types import Array, wrap_angles

_ORIGINS = [FILE.origin(f"panda_link{number}") for number in range(1, 8)]
_ROLLS = [FILE.turn(f"panda_link{number}", "x") for number in range(1, 8)]
"""Origin (m) of each link in the frame of its parent, and its rotation (rad) about the parent's x."""
SHOULDER: Array = _ORIGINS[0]
_UPPER, _FORE, _ELBOW = -_ORIGINS[2][1], _ORIGINS[4][1], _ORIGINS[3][0]
_WRIST = _ORIGINS[6][0]
_TO_ELBOW, _FROM_ELBOW = float(np.hypot(_UPPER, _ELBOW)), float(np.hypot(_FORE, _ELBOW))
_STRAIGHT = float(np.arctan2(_UPPER, _ELBOW) + np.arctan2(_FORE, _ELBOW))
"""Angle (rad) at the elbow between the lines to shoulder and wrist with joint 4 at 0."""
_HAND_TURN = FILE.turn("panda_hand", "z")
"""Rotation (rad) of the hand about z of the flange."""
TOOL = float(FILE.model.site("gripper").pos[2])
"""Distance (m) from the hand's frame to the middle between the finger tips, the tool centre point."""
_REACH = TOOL + float(FILE.origin("panda_hand")[2])
"""Distance (m) from the last joint's frame to the tool centre point."""
_LOWER, _UPPER_LIMITS = SPEC.chain.limits.T
_TINY = 1e-9
_SLACK = 1e-6
"""Tolerance (rad) at joint limits for rounding errors."""


def about_z(angles: Array) -> Array:
    """Return rotations (..., 3, 3) about z."""
    c, s, zero = np.cos(angles), np.sin(angles), np.zeros_like(angles)
    return np.stack(
        [np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, zero + 1.0], -1)], -2
    )


def about_x(angle: float) -> Array:
    """Return the rotation (3, 3) about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def solutions(position: Array, rotation: Array, last: Array) -> Array:
    """Return all joints (n, 7) within limits that bring the tool to a pose in the foot's frame, for each `last`.

    position (3,) of the tool centre point, rotation (3, 3) with z out along the fingers.

    Args:
        last (k,): Angles of joint 7.
    """
    flange = rotation @ about_z(np.array(-_HAND_TURN))
    seventh = np.asarray(last)
    origin7 = position - _REACH * rotation[:, 2]
    frame6 = (flange @ about_z(-seventh)) @ about_x(_ROLLS[6]).T
    wrist = origin7 - _WRIST * frame6[:, :, 0]
    to_shoulder = SHOULDER - wrist
    distance = np.linalg.norm(to_shoulder, axis=1)
    cosine = (_TO_ELBOW**2 + _FROM_ELBOW**2 - distance**2) / (2 * _TO_ELBOW * _FROM_ELBOW)
    possible = (np.abs(cosine) <= 1.0) & (distance > _TINY)
    frame6, to_shoulder, distance = frame6[possible], to_shoulder[possible], distance[possible]
    inner, seventh = np.arccos(cosine[possible]), seventh[possible]
    families = [np.zeros((0, 7))]
    for angle in (2 * np.pi - inner, inner):
        fourth = _STRAIGHT - angle
        for bend in (1.0, -1.0):
            families.append(_solutions_for_elbow(frame6, to_shoulder, distance, fourth, seventh, bend))
    candidates = np.concatenate(families)
    inside = ((candidates >= _LOWER - _SLACK) & (candidates <= _UPPER_LIMITS + _SLACK)).all(axis=1)
    return np.asarray(np.clip(candidates[inside], _LOWER, _UPPER_LIMITS))


def _solutions_for_elbow(
    frame6: Array, to_shoulder: Array, distance: Array, fourth: Array, seventh: Array, bend: float
) -> Array:
    """Return the solutions (n, 7) for an elbow (k,) and one of the two signs of joint 6."""
    # Shoulder and wrist in the plane of the arm, x and y of frame 4; z of frame 5 is y of frame 4.
    back = np.stack([-_ELBOW + 0.0 * fourth, np.zeros_like(fourth)], -1)
    turn = np.stack(
        [np.stack([np.cos(fourth), np.sin(fourth)], -1), np.stack([-np.sin(fourth), np.cos(fourth)], -1)], -2
    )
    shoulder = np.einsum("kij,kj->ki", turn, back + np.array([0.0, -_UPPER]))
    line = shoulder - np.array([-_ELBOW, _FORE])
    cosine = line[:, 1] / distance  # cosine between z of frame 5 and the line from wrist to shoulder
    shoulder_direction = np.einsum("kji,kj->ki", frame6, to_shoulder / distance[:, None])
    radius = np.hypot(shoulder_direction[:, 0], shoulder_direction[:, 1])
    possible = radius > np.abs(cosine) + _TINY
    frame6, to_shoulder, line = frame6[possible], to_shoulder[possible], line[possible]
    fourth, seventh, shoulder_direction = fourth[possible], seventh[possible], shoulder_direction[possible]
    sixth = np.arctan2(shoulder_direction[:, 0], shoulder_direction[:, 1]) + bend * np.arccos(
        cosine[possible] / radius[possible]
    )
    sixth = wrap_angles(sixth, _LOWER[5] - _SLACK)
    frame5_axes = frame6 @ np.swapaxes(about_x(_ROLLS[5]) @ about_z(sixth), -1, -2)
    y4 = frame5_axes[:, :, 2]
    # x of frame 4 from the same line, expressed in the plane and in the foot's frame.
    offset = to_shoulder - line[:, 1:] * y4
    x4 = offset / np.where(np.abs(line[:, :1]) > _TINY, line[:, :1], np.inf)
    straight = np.linalg.norm(x4, axis=1) < 0.5
    frame4 = np.stack([x4, y4, np.cross(x4, y4)], -1)
    relative = np.swapaxes(frame4 @ about_x(_ROLLS[4]), -1, -2) @ frame5_axes
    fifth = np.arctan2(relative[:, 1, 0], relative[:, 0, 0])
    frame3 = frame4 @ np.swapaxes(about_x(_ROLLS[3]) @ about_z(fourth), -1, -2)
    solution_sets = []
    for sign in (1.0, -1.0):
        second = sign * np.arctan2(np.hypot(frame3[:, 0, 2], frame3[:, 1, 2]), frame3[:, 2, 2])
        first = np.arctan2(sign * frame3[:, 1, 2], sign * frame3[:, 0, 2])
        third = np.arctan2(sign * frame3[:, 2, 1], -sign * frame3[:, 2, 0])
        candidates = np.stack([first, second, third, fourth, fifth, sixth, seventh], -1)
        solution_sets.append(candidates[~straight])
    return np.concatenate(solution_sets)

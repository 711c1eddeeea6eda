"""Closed-form inverse kinematics of the Fetch's torso and arm: all solutions for a gripper pose, on a grid.

Eight joints reach a pose of six degrees of freedom in a two-parameter family of solutions. The parameters are torso
lift and shoulder pan; the other six joints then follow exactly: the three wrist axes intersect in one point, so
shoulder lift, upper arm roll and elbow determine its position, and the wrist the orientation of the hand.
"""

from __future__ import annotations

import math

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import FILE, SPEC
from homie.kernel.types import Array, wrap_angles

_PAN_AXIS = FILE.origin("torso_lift_link") + FILE.origin("shoulder_pan_link")
_SHOULDER = FILE.origin("shoulder_lift_link")
_UPPER_ARM = FILE.origin("upperarm_roll_link")[0] + FILE.origin("elbow_flex_link")[0]
_FOREARM = FILE.origin("forearm_roll_link")[0] + FILE.origin("wrist_flex_link")[0]
_HAND = FILE.origin("wrist_roll_link")[0] + FILE.origin("gripper_link")[0]
_LIMITS = SPEC.chain.limits
_SLACK = 0.005
"""Margin (m) by which a pose must be out of reach: several times the error that a solution may have."""


def wrist_point(position: Array, rotation: Array) -> Array:
    """Return the intersection (3,) of the three wrist axes for a gripper pose in the base frame."""
    return np.asarray(position - _HAND * rotation[:, 0])


def out_of_reach(position: Array, rotation: Array) -> bool:
    """Whether the wrist would be farther from the shoulder than the stretched arm reaches, with torso and shoulder as
    near as possible."""
    forward, lateral, height = (float(value) for value in wrist_point(position, rotation) - _PAN_AXIS)
    level = math.hypot(forward, lateral) - _SHOULDER[0]
    height_above = height - _SHOULDER[2]
    steep = max(_LIMITS[0, 0] - height_above, height_above - _LIMITS[0, 1], 0.0)
    return bool(math.hypot(level, steep) > _UPPER_ARM + _FOREARM + _SLACK)


def elbow_height(q: Array) -> Array:
    """Return the height (n,) of the elbow above the floor for q (n, 8)."""
    return np.asarray(_PAN_AXIS[2] + _SHOULDER[2] + q[:, 0] - _UPPER_ARM * np.sin(q[:, 2]))


def all_solutions(position: Array, rotation: Array, torso: Array, pan: Array) -> Array:
    """Return every q (n, 8) within limits that brings the gripper to a pose in the base frame, for the given values.

    position (3,), rotation (3, 3); torso (a,) and pan (b,) are the values to try, in all pairs. n is 0 if the pose is
    out of reach.
    """
    lift_height, turn = (grid.ravel() for grid in np.meshgrid(torso, pan, indexing="ij"))
    wrist = wrist_point(position, rotation)
    c, s = np.cos(turn), np.sin(turn)
    dx, dy = wrist[0] - _PAN_AXIS[0], wrist[1] - _PAN_AXIS[1]
    w = np.stack(
        [
            c * dx + s * dy - _SHOULDER[0],
            -s * dx + c * dy,
            wrist[2] - _PAN_AXIS[2] - lift_height - _SHOULDER[2],
        ],
        axis=1,
    )
    bend = (np.sum(w * w, axis=1) - _UPPER_ARM**2 - _FOREARM**2) / (2 * _UPPER_ARM * _FOREARM)
    elbow = np.arccos(np.clip(bend, -1.0, 1.0))
    elbow_lateral = _FOREARM * np.sin(elbow)
    sine = w[:, 1] / np.maximum(elbow_lateral, 1e-9)
    keep = (np.abs(bend) <= 1.0) & (np.abs(sine) <= 1.0) & (elbow <= _LIMITS[4, 1])
    if not keep.any():
        return np.empty((0, 8))
    w, elbow, elbow_lateral, sine = w[keep], elbow[keep], elbow_lateral[keep], sine[keep]
    torso_values, pan_values = lift_height[keep], turn[keep]
    elbow_forward = _UPPER_ARM + _FOREARM * np.cos(elbow)
    solutions: list[Array] = []
    for is_flipped in (False, True):
        roll = np.pi - np.arcsin(sine) if is_flipped else np.arcsin(sine)
        lift = wrap_angles(np.arctan2(-w[:, 2], w[:, 0]) - np.arctan2(elbow_lateral * np.cos(roll), elbow_forward))
        inside = (lift >= _LIMITS[2, 0]) & (lift <= _LIMITS[2, 1])
        if not inside.any():
            continue
        arm = np.stack([torso_values, pan_values, lift, roll, elbow], axis=1)[inside]
        solutions += _complete_wrist(arm, rotation)
    return np.concatenate(solutions) if solutions else np.empty((0, 8))


def _complete_wrist(arm: Array, rotation: Array) -> list[Array]:
    """Complete torso-to-elbow joints (n, 5) by the wrist: up to four q for each, as arrays (m, 8)."""
    _, pan, lift, roll, elbow = arm.T
    forearm = _about_z(pan) @ _about_y(lift) @ _about_x(roll) @ _about_y(elbow)
    wrist_rotation = np.swapaxes(forearm, 1, 2) @ rotation
    flex = np.arccos(np.clip(wrist_rotation[:, 0, 0], -1.0, 1.0))
    forearm_roll = np.arctan2(wrist_rotation[:, 1, 0], -wrist_rotation[:, 2, 0])
    wrist_roll = np.arctan2(wrist_rotation[:, 0, 1], wrist_rotation[:, 0, 2])
    keep = flex <= _LIMITS[6, 1]
    q = np.column_stack([arm, forearm_roll, flex, wrist_roll])[keep]
    # The same hand pose with the wrist or the elbow bent the other way and the rolls changed by half a turn.
    wrist_flipped = q * [1, 1, 1, 1, 1, 1, -1, 1] + np.pi * np.array([0, 0, 0, 0, 0, 1, 0, 1])
    solutions = np.concatenate([q, wrist_flipped])
    elbow_flipped = solutions * [1, 1, 1, 1, -1, 1, 1, 1] + np.pi * np.array([0, 0, 0, 1, 0, 1, 0, 0])
    return [solutions, elbow_flipped]


def _about_x(angle: Array) -> Array:
    return _rotations(angle, 1, 2)


def _about_y(angle: Array) -> Array:
    return _rotations(angle, 2, 0)


def _about_z(angle: Array) -> Array:
    return _rotations(angle, 0, 1)


def _rotations(angle: Array, first: int, second: int) -> Array:
    """Return rotations (n, 3, 3) that turn axis `first` towards axis `second`."""
    matrix = np.zeros((len(angle), 3, 3))
    matrix[:, 3 - first - second, 3 - first - second] = 1.0
    matrix[:, first, first] = matrix[:, second, second] = np.cos(angle)
    matrix[:, second, first] = np.sin(angle)
    matrix[:, first, second] = -np.sin(angle)
    return matrix

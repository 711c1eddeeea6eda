"""Arm paths to a pose of the gripper: straight, in joint space, or over the top."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.types import Array, Pose
from skills.motion.motions import slerp

STEP, TURN = 0.015, 0.08
"""Distances (m and rad) between the poses of a straight path."""
JUMP = 0.35
"""Maximum change of a joint (rad) between two poses of a straight path."""
CHECKED = 0.04
"""Joint change (rad) between the checked postures of a path in joint space."""
OVER = 0.14
"""Height (m) of the path over the top above the higher one of start and target."""

CollisionCheck = Callable[[Array], str]


class NoWay(Exception):
    """There is no path; the message is the reason, as the end of a sentence."""


def find_way(kinematics: Kinematics, q0: Array, target: Pose, obstructed: CollisionCheck) -> list[Array]:
    """Return postures (n + 1,) from q0 (left out) to a pose of the gripper in the base frame, each reached from the one
    before by joint interpolation. Raises NoWay."""
    goal = kinematics.solve(target.position, target.rotation, q0)
    if not goal.ok:
        raise NoWay("the arm does not reach there")
    reasons = []
    for way in (_straight, _joint_space, _raise_cross_lower):
        try:
            return way(kinematics, q0, target, obstructed)
        except NoWay as error:
            reasons.append(str(error))
    raise NoWay(next((reason for reason in reasons if reason), "no way of the arm was found"))


def _straight(kinematics: Kinematics, q0: Array, target: Pose, obstructed: CollisionCheck) -> list[Array]:
    """Move the gripper on a line at a constant turning rate."""
    start = kinematics.forward(q0)
    length = float(np.linalg.norm(target.position - start.position))
    cosine = (float(np.trace(start.rotation.T @ target.rotation)) - 1) / 2
    angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    count = max(1, int(np.ceil(max(length / STEP, angle / TURN))))
    way, q = [], q0
    for k in range(1, count + 1):
        position = start.position + (target.position - start.position) * (k / count)
        solution = kinematics.solve(position, slerp(start.rotation, target.rotation, k / count), q)
        if not solution.ok or float(np.max(np.abs(solution.q - q))) > JUMP:
            raise NoWay("")
        _check(obstructed, solution.q)
        q = solution.q
        way.append(q)
    return way


def _joint_space(kinematics: Kinematics, q0: Array, target: Pose, obstructed: CollisionCheck) -> list[Array]:
    """Interpolate all joints linearly."""
    goal = kinematics.solve(target.position, target.rotation, q0).q
    count = max(1, int(np.ceil(float(np.max(np.abs(goal - q0))) / CHECKED)))
    for k in range(1, count + 1):
        _check(obstructed, q0 + (goal - q0) * (k / count))
    return [goal]


def _raise_cross_lower(kinematics: Kinematics, q0: Array, target: Pose, obstructed: CollisionCheck) -> list[Array]:
    """Move straight up, across in joint space, straight down."""
    start = kinematics.forward(q0)
    height = max(start.position[2], target.position[2]) + OVER
    raised = Pose(np.array([*start.position[:2], height]), start.rotation)
    above_target = Pose(np.array([*target.position[:2], height]), target.rotation)
    way = _straight(kinematics, q0, raised, obstructed)
    if not kinematics.solve(above_target.position, above_target.rotation, way[-1]).ok:
        raise NoWay("")
    way += _joint_space(kinematics, way[-1], above_target, obstructed)
    return way + _straight(kinematics, way[-1], target, obstructed)


def _check(obstructed: CollisionCheck, q: Array) -> None:
    if reason := obstructed(q):
        raise NoWay(reason)

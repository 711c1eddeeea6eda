"""Forward kinematics of a profile's chain."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from homie.kernel.types import Array
from ros_bridge.profiles.parts import Link


def effector(chain: Sequence[Link], positions: Mapping[str, float | Array]) -> Array:
    """Return the pose (4, 4) of the effector in the base frame, or poses (n, 4, 4).

    Args:
        chain: The links from the base frame on.
        positions: Position (rad, m) of every moving joint, or n of them; not of joints that follow another.

    Raises:
        KeyError: A joint has no position.
    """
    pose = np.eye(4)
    for link in chain:
        pose = pose @ step(link, positions)
    return pose


def step(link: Link, positions: Mapping[str, float | Array]) -> Array:
    """Return the pose (4, 4) of one link in the previous one, or poses (n, 4, 4); positions as for `effector`."""
    if link.kind == "fixed":
        return _fixed_transform(link)
    driver = np.asarray(positions[link.driver], dtype=float)
    return _fixed_transform(link) @ _joint_transform(link, link.multiplier * driver + link.offset)


@functools.cache
def _fixed_transform(link: Link) -> Array:
    roll, pitch, yaw = link.rpy
    pose = np.eye(4)
    x, y, z = np.eye(3)
    pose[:3, :3] = (
        _rotation_about(z, np.asarray(yaw))
        @ _rotation_about(y, np.asarray(pitch))
        @ _rotation_about(x, np.asarray(roll))
    )
    pose[:3, 3] = link.xyz
    return pose


def _joint_transform(link: Link, position: Array) -> Array:
    """Return the transforms (..., 4, 4) of a joint at positions (...)."""
    axis = np.array(link.axis) / math.hypot(*link.axis)
    matrices = np.zeros((*position.shape, 4, 4))
    matrices[..., range(4), range(4)] = 1.0
    if link.kind == "prismatic":
        matrices[..., :3, 3] = position[..., None] * axis
    else:
        matrices[..., :3, :3] = _rotation_about(axis, position)
    return matrices


def _rotation_about(axis: Array, angle: Array) -> Array:
    """Return rotations (..., 3, 3) by angles (...) about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = angle[..., None, None]
    return np.asarray(np.eye(3) + np.sin(turn) * cross + (1 - np.cos(turn)) * (cross @ cross))

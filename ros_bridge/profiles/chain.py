"""Where the effector is: the forward kinematics of a profile's chain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from homie.kernel.types import Array
from ros_bridge.profiles.model import Link


def effector(chain: Sequence[Link], positions: Mapping[str, float]) -> Array:
    """The pose (4, 4) of the effector in the base frame. Raises KeyError for a joint without a position."""
    pose = np.eye(4)
    for link in chain:
        pose = pose @ _placed(link)
        if link.kind == "fixed":
            continue
        axis = np.array(link.axis) / math.hypot(*link.axis)
        moved = np.eye(4)
        if link.kind == "prismatic":
            moved[:3, 3] = axis * positions[link.joint]
        else:
            moved[:3, :3] = _about(axis, positions[link.joint])
        pose = pose @ moved
    return pose


def _placed(link: Link) -> Array:
    roll, pitch, yaw = link.rpy
    pose = np.eye(4)
    x, y, z = np.eye(3)
    pose[:3, :3] = _about(z, yaw) @ _about(y, pitch) @ _about(x, roll)
    pose[:3, 3] = link.xyz
    return pose


def _about(axis: Array, angle: float) -> Array:
    """The rotation by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross))

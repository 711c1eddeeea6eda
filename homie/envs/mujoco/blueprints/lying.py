"""Orientation and extent of an object from its spec, before a MuJoCo model exists."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import half_sizes
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, Quat
from homie.kernel.types import Array, Pose, Solid


def rotation_of(yaw: float, pitch: float, roll: float) -> Array:
    """The rotation (3, 3) that rolls about x, then pitches about y, then turns about z."""
    (a, b, c), (u, v, w) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, a, -u], [0.0, u, a]])
    about_y = np.array([[b, 0.0, v], [0.0, 1.0, 0.0], [-v, 0.0, b]])
    about_z = np.array([[c, -w, 0.0], [w, c, 0.0], [0.0, 0.0, 1.0]])
    turned: Array = about_z @ about_y @ about_x
    return turned


def angles_of(rotation: Array) -> tuple[float, float, float]:
    """Yaw, pitch and roll (rad) of a rotation (3, 3): the inverse of `rotation_of`."""
    pitch = math.asin(min(max(-float(rotation[2, 0]), -1.0), 1.0))
    if abs(rotation[2, 0]) > 1.0 - 1e-9:  # gimbal lock: only yaw plus or minus roll is defined, so roll is 0
        return math.atan2(-float(rotation[0, 1]), float(rotation[1, 1])), pitch, 0.0
    yaw = math.atan2(float(rotation[1, 0]), float(rotation[0, 0]))
    return yaw, pitch, math.atan2(float(rotation[2, 1]), float(rotation[2, 2]))


def quat_of(rotation: Array) -> Quat:
    """The quaternion (wxyz) of a rotation (3, 3)."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rotation).flatten())
    w, x, y, z = (float(value) for value in quat)
    return w, x, y, z


def span(plan: ObjectPlan, rotation: Array) -> tuple[Array, Array]:
    """Lowest and highest coordinates (3,) of an object's solid parts relative to its centre, after a rotation (3,
    3)."""
    solids = [_solid(part, rotation) for part in plan.parts if part.solid]
    axes = np.eye(3)
    high = np.max([solid.reach(axes) for solid in solids], axis=0)
    low = -np.max([solid.reach(-axes) for solid in solids], axis=0)
    return low, high


def _solid(part: Part, rotation: Array) -> Solid:
    own = np.zeros(9)
    mujoco.mju_quat2Mat(own, np.array(part.quat))
    pose = Pose(rotation @ np.array(part.pos), rotation @ own.reshape(3, 3))
    if part.surface is not None:
        return Solid("hull", np.array(part.size), pose, part.surface.points)
    assert part.shape != "mesh", "a mesh has a surface"
    return Solid(part.shape, np.array(half_sizes(part.shape, part.size)), pose)

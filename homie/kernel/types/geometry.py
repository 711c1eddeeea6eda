"""Poses, boxes and other solids, in metres and radians, and type aliases of arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Image: TypeAlias = NDArray[np.uint8]
Depth: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]


def mask_bounds(mask: Mask) -> tuple[int, int, int, int]:
    """Return the bounding box (x0, y0, x1, y1) of the true pixels of a mask, upper bounds exclusive."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def planar_rotation(angle: float) -> Array:
    """Return the rotation matrix (2, 2) of the floor plan by an angle (rad), counter-clockwise seen from above.

    Examples:
        >>> [round(float(number), 6) for number in planar_rotation(np.pi / 2) @ np.array([1.0, 0.0])]
        [0.0, 1.0]
    """
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def rotation_z(angle: float) -> Array:
    """Return the rotation matrix (3, 3) about the vertical by an angle (rad)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def quaternion_rotation(quaternion: Array) -> Array:
    """Return the rotation matrix (3, 3) of a unit quaternion wxyz (4,)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def wrap_angles(angles: Array | float, start: float = -np.pi) -> Array:
    """Wrap angles (rad) of any shape to [start, start + 2 pi)."""
    return np.asarray(np.remainder(angles - start, 2 * np.pi) + start)


def wrap_angle(angle: float) -> float:
    """Wrap one angle (rad) to [-pi, pi): ten times as fast as `wrap_angles`.

    Examples:
        >>> wrap_angle(3 * math.pi) == -math.pi
        True
    """
    return (angle + math.pi) % (2 * math.pi) - math.pi


def short_way(angles: Array, reference: Array) -> Array:
    """Shift angles (n,), rad, by full turns to within pi of reference angles (n,)."""
    return np.asarray(reference + np.remainder(angles - reference + np.pi, 2 * np.pi) - np.pi)


@dataclass(frozen=True, slots=True)
class Pose2:
    """A pose on the floor: x, y in metres, yaw in radians."""

    x: float
    y: float
    yaw: float

    @property
    def xy(self) -> Array:
        return np.array([self.x, self.y])

    def transform(self, point: Array) -> Array:
        """Transform a point (3,) from this pose's frame to the parent frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([self.x + c * point[0] - s * point[1], self.y + s * point[0] + c * point[1], float(point[2])])

    def inverse(self, point: Array) -> Array:
        """Transform a point (3,) from the parent frame to this pose's frame."""
        dx, dy = float(point[0]) - self.x, float(point[1]) - self.y
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([c * dx + s * dy, -s * dx + c * dy, float(point[2])])


@dataclass(frozen=True, slots=True)
class Pose:
    """A pose in space: position (3,) in metres, rotation matrix (3, 3), columns are the frame's axes."""

    position: Array
    rotation: Array


@dataclass(frozen=True, slots=True)
class Box:
    """An upright box: centre (3,), half extents (3,) along its own axes, yaw of those axes; name of its object."""

    center: Array
    half: Array
    yaw: float = 0.0
    name: str = ""

    def corners(self) -> Array:
        """Return the four footprint corners, (4, 2), counter-clockwise."""
        signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * self.half[:2]
        corners: Array = self.center[:2] + signs @ planar_rotation(-self.yaw)
        return corners

    def distance(self, point: Array) -> float:
        """Return the distance (m) from a point (2,) on the floor plan to the footprint; 0 inside."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = float(point[0]) - float(self.center[0]), float(point[1]) - float(self.center[1])
        x = max(abs(c * dx + s * dy) - float(self.half[0]), 0.0)
        y = max(abs(-s * dx + c * dy) - float(self.half[1]), 0.0)
        return math.sqrt(x * x + y * y)

    def gap(self, point: Array) -> float:
        """Return the distance (m) from a point (3,) to the box; 0 inside."""
        above_or_below = max(0.0, abs(float(point[2]) - float(self.center[2])) - float(self.half[2]))
        return math.hypot(self.distance(point), above_or_below)

    @classmethod
    def around(cls, parts: Sequence[Solid], yaw: float = 0.0) -> Box:
        """Return the smallest upright box with the given yaw around one or more solids."""
        axes = rotation_z(-yaw)  # rows are the axes of the box
        upper = np.max([part.reach(axes) for part in parts], axis=0)
        lower = -np.max([part.reach(-axes) for part in parts], axis=0)
        return cls((lower + upper) / 2 @ axes, (upper - lower) / 2, float(yaw))


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex solid at its current pose; a loose object consists of one or a few.

    Attributes:
        half (3,): Half extents along its own axes, m. The axis of cylinders and capsules is z; those of capsules
            include the round ends.
        pose: Pose of its centre in the odometry frame.
        points (n, 3): Vertices of a hull, in its own frame.
    """

    kind: Literal["sphere", "ellipsoid", "cylinder", "capsule", "box", "hull"]
    half: Array
    pose: Pose
    points: Array | None = None

    def reach(self, directions: Array) -> Array:
        """Evaluate the support function: the largest coordinate (n,) of the solid along unit vectors (n, 3), from the
        origin of the odometry frame. Exact for every kind."""
        local = directions @ self.pose.rotation
        center: Array = directions @ self.pose.position
        if self.points is not None:
            extent: Array = (local @ self.points.T).max(axis=1)
        else:
            half_box, half_ellipsoid = self.summands()
            extent = np.abs(local) @ half_box + np.linalg.norm(local * half_ellipsoid, axis=1)
        return center + extent

    def shown(self, direction: Array) -> float:
        """Return the projected area (m^2) of its bounding box along a unit vector (3,)."""
        x, y, z = self.half
        return float(4 * np.abs(direction @ self.pose.rotation) @ np.array([y * z, x * z, x * y]))

    def summands(self) -> tuple[Array, Array]:
        """Return the half extents (3,) of the box and of the ellipsoid whose Minkowski sum it is, in its own frame: a
        capsule is a line plus a ball, a cylinder a line plus a disc. Support functions are additive. Not for hulls."""
        radius, axis = float(self.half[0]), np.array([0.0, 0.0, 1.0])
        if self.kind == "cylinder":
            return self.half * axis, self.half * (1.0 - axis)
        if self.kind == "capsule":
            return (self.half - radius) * axis, np.full(3, radius)
        return (self.half, np.zeros(3)) if self.kind == "box" else (np.zeros(3), self.half)

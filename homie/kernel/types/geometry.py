"""Poses, boxes and other solids, in metres and radians, and arrays by what their numbers are."""

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
    """The smallest pixel box (x0, y0, x1, y1) around what is set in a mask, upper bounds exclusive."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def planar_rotation(angle: float) -> Array:
    """The rotation (2, 2) of the floor plan by an angle (rad), counter-clockwise seen from above.

    Examples:
        >>> [round(float(number), 6) for number in planar_rotation(np.pi / 2) @ np.array([1.0, 0.0])]
        [0.0, 1.0]
    """
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def rotation_z(angle: float) -> Array:
    """The rotation (3, 3) about the vertical by an angle (rad)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def quaternion_rotation(quaternion: Array) -> Array:
    """The rotation (3, 3) of a unit quaternion wxyz (4,)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def wrapped(angles: Array | float) -> Array:
    """Angles (rad) of any shape brought to [-pi, pi)."""
    return np.asarray(np.remainder(angles + np.pi, 2 * np.pi) - np.pi)


def wrapped_angle(angle: float) -> float:
    """One angle (rad) brought to [-pi, pi): as `wrapped`, in a tenth of its time.

    Examples:
        >>> wrapped_angle(3 * math.pi) == -math.pi
        True
    """
    return (angle + math.pi) % (2 * math.pi) - math.pi


def short_way(angles: Array, reference: Array) -> Array:
    """Angles (n,), each on the turn on which it is next to the angle of a reference (n,)."""
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
        """A point (3,) given in this pose's frame, in the parent frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([self.x + c * point[0] - s * point[1], self.y + s * point[0] + c * point[1], float(point[2])])

    def inverse(self, point: Array) -> Array:
        """A point (3,) given in the parent frame, in this pose's frame."""
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
    """An upright box: centre (3,), half extents (3,) along its own axes, yaw of those axes; name of what is in it."""

    center: Array
    half: Array
    yaw: float = 0.0
    name: str = ""

    def corners(self) -> Array:
        """The four footprint corners, (4, 2), counter-clockwise."""
        signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * self.half[:2]
        corners: Array = self.center[:2] + signs @ planar_rotation(-self.yaw)
        return corners

    def distance(self, point: Array) -> float:
        """Metres from a point (2,) on the floor plan to the footprint; 0 inside."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = float(point[0]) - float(self.center[0]), float(point[1]) - float(self.center[1])
        x = max(abs(c * dx + s * dy) - float(self.half[0]), 0.0)
        y = max(abs(-s * dx + c * dy) - float(self.half[1]), 0.0)
        return math.sqrt(x * x + y * y)

    @classmethod
    def around(cls, parts: Sequence[Solid], yaw: float = 0.0) -> Box:
        """The smallest upright box of that yaw around one solid or more."""
        axes = rotation_z(-yaw)  # its rows
        upper = np.max([part.reach(axes) for part in parts], axis=0)
        lower = -np.max([part.reach(-axes) for part in parts], axis=0)
        return cls((lower + upper) / 2 @ axes, (upper - lower) / 2, float(yaw))


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex solid where it is now; a loose object is made of one or a few.

    Attributes:
        half (3,): Half its size along its own axes. The axis of cylinders and capsules is z, and the round ends of a
            capsule count.
        pose: Its middle and its own axes, in the odometry frame.
        points (n, 3): Corners of a hull, in its own frame.
    """

    kind: Literal["sphere", "ellipsoid", "cylinder", "capsule", "box", "hull"]
    half: Array
    pose: Pose
    points: Array | None = None

    def reach(self, directions: Array) -> Array:
        """How far it extends along unit vectors (n, 3): its largest coordinate (n,) along each, from the origin of the
        odometry frame. The support function of convex geometry, exact for every kind."""
        local = directions @ self.pose.rotation
        center: Array = directions @ self.pose.position
        if self.points is not None:
            extent: Array = (local @ self.points.T).max(axis=1)
        else:
            half_box, half_ellipsoid = self.summands()
            extent = np.abs(local) @ half_box + np.linalg.norm(local * half_ellipsoid, axis=1)
        return center + extent

    def shown(self, direction: Array) -> float:
        """The area of its box that it shows to who looks against a unit vector (3,), m^2."""
        x, y, z = self.half
        return float(4 * np.abs(direction @ self.pose.rotation) @ np.array([y * z, x * z, x * y]))

    def summands(self) -> tuple[Array, Array]:
        """Half sizes (3,) of the box and of the ellipsoid whose Minkowski sum it is, in its own frame: a capsule is a
        line and a ball, a cylinder a line and a disc. Support functions add up. Not of a hull."""
        radius, axis = float(self.half[0]), np.array([0.0, 0.0, 1.0])
        if self.kind == "cylinder":
            return self.half * axis, self.half * (1.0 - axis)
        if self.kind == "capsule":
            return (self.half - radius) * axis, np.full(3, radius)
        return (self.half, np.zeros(3)) if self.kind == "box" else (np.zeros(3), self.half)

"""A navigation graph: points on the floor, straight edges between them, and the results of the five moves on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from homie.kernel.types import Array, Pose2, wrap_angle
from skills.motion.base_path_planning import CostMap

FACED = math.radians(30)
"""Angle from the heading up to which the robot faces a point, and beyond which an object is a separate direction to
turn to: the middle of an image of 100 degrees, where it is visible without turning."""


@dataclass(frozen=True)
class Graph:
    """Points (n, 2), m, world frame.

    Attributes:
        edges: Pairs of point numbers, the smaller first, sorted.
        sights: For each point, the directions (rad) of the objects that it serves, unless a neighbour lies there.
        beside: Number of the point at which the robot stands before a piece of furniture, a loose object or a person,
            by its name.
        costs: The cost map of the floor, for the robot's footprint with its margin.
    """

    points: Array
    edges: tuple[tuple[int, int], ...]
    sights: tuple[tuple[float, ...], ...]
    beside: dict[str, int]
    costs: CostMap = field(repr=False)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Neighbours of each point along edges, by number."""
        ways: list[list[int]] = [[] for _ in self.points]
        for a, b in self.edges:
            ways[a].append(b)
            ways[b].append(a)
        return tuple(tuple(sorted(way)) for way in ways)

    def direction(self, a: int, b: int) -> float:
        """Return the direction from a point to another, rad."""
        dx, dy = self.points[b] - self.points[a]
        return math.atan2(dy, dx)

    def nearest(self, xy: Array) -> int:
        """Return the point from which a robot at (2,) continues: the nearest one without a wall in a straight line, if
        there is any."""
        distances = np.linalg.norm(self.points - xy, axis=1)
        order = [int(number) for number in np.argsort(distances, kind="stable")]
        return next((n for n in order if self.costs.between(xy, self.points[n]) == 0.0), order[0])

    def ahead(self, point: int, yaw: float) -> int | None:
        """Return the neighbour that is faced at a point, or None."""
        offsets = {way: abs(_angle_between(self.direction(point, way), yaw)) for way in self.neighbours[point]}
        faced = min(offsets, key=lambda way: (offsets[way], way), default=None)
        return faced if faced is not None and offsets[faced] <= FACED else None

    def pose_ahead(self, point: int, yaw: float) -> Pose2 | None:
        """Return the pose after Move forward; None if no point is faced."""
        next_point = self.ahead(point, yaw)
        return None if next_point is None else self.pose(next_point, self.direction(point, next_point))

    def next_heading(self, point: int, yaw: float, *, left: bool) -> float | None:
        """Return the heading after a turn at a point: the next direction to that side; None if there is no other."""
        return next_direction(self.directions(point), yaw, left=left)

    def directions(self, point: int) -> tuple[float, ...]:
        """Return the directions (rad) to which a robot can turn at a point: its neighbours, and the objects beside
        it."""
        return (*(self.direction(point, way) for way in self.neighbours[point]), *self.sights[point])

    def pose(self, point: int, yaw: float) -> Pose2:
        """Return the pose of a robot on a point."""
        x, y = self.points[point]
        return Pose2(float(x), float(y), wrap_angle(yaw))


def next_direction(directions: Sequence[float], yaw: float, *, left: bool) -> float | None:
    """Return the direction (rad) that is next to one side; the faced one is skipped. None if there is no other.

    >>> next_direction([0.0, 1.5, 3.0], 0.1, left=True), next_direction([0.0, 1.5, 3.0], 0.1, left=False)
    (1.5, 3.0)
    """
    faced = min(directions, key=lambda direction: abs(_angle_between(direction, yaw)), default=None)
    candidates = list(directions)
    start = yaw
    if faced is not None and abs(_angle_between(faced, yaw)) <= FACED:
        candidates.remove(faced)
        start = faced
    sign = 1.0 if left else -1.0
    return min(candidates, key=lambda direction: (sign * (direction - start)) % math.tau, default=None)


def _angle_between(direction: float, yaw: float) -> float:
    return wrap_angle(direction - yaw)

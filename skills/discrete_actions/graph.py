"""A navigation graph: points on the floor, straight ways between them, and the results of the five moves on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from homie.kernel.types import Array, Pose2, wrapped_angle
from skills.motion.base_path_planning import CostMap

FACED = math.radians(30)
"""Angle from the heading up to which the robot faces a point, and beyond which a thing is something else to turn to:
the middle of a picture of 100 degrees, where nobody needs to turn to see it."""


@dataclass(frozen=True)
class Graph:
    """Points (n, 2), m, world frame.

    Attributes:
        edges: Pairs of their numbers, the smaller first, sorted.
        sights: Of each point, the directions (rad) of what it is there for and no neighbour lies towards.
        beside: The number of the point at which the robot stands before a piece of furniture, a loose thing or a
            person, by its name.
        costs: The floor that it was made on, of the robot's footprint with its margin.
    """

    points: Array
    edges: tuple[tuple[int, int], ...]
    sights: tuple[tuple[float, ...], ...]
    beside: dict[str, int]
    costs: CostMap = field(repr=False)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Of each point the points that an edge leads to, by number."""
        ways: list[list[int]] = [[] for _ in self.points]
        for a, b in self.edges:
            ways[a].append(b)
            ways[b].append(a)
        return tuple(tuple(sorted(way)) for way in ways)

    def direction(self, a: int, b: int) -> float:
        """From a point to another, rad."""
        dx, dy = self.points[b] - self.points[a]
        return math.atan2(dy, dx)

    def nearest(self, xy: Array) -> int:
        """The point that a robot at (2,) goes on from: the nearest one in a straight line without a wall between, if
        there is any."""
        distances = np.linalg.norm(self.points - xy, axis=1)
        order = [int(number) for number in np.argsort(distances, kind="stable")]
        return next((n for n in order if self.costs.between(xy, self.points[n]) == 0.0), order[0])

    def ahead(self, point: int, yaw: float) -> int | None:
        """The neighbour that is faced at a point, None for none."""
        off = {way: abs(_angle_between(self.direction(point, way), yaw)) for way in self.neighbours[point]}
        faced = min(off, key=lambda way: (off[way], way), default=None)
        return faced if faced is not None and off[faced] <= FACED else None

    def moved(self, point: int, yaw: float) -> Pose2 | None:
        """Where Move forward leads; None where no point is faced."""
        next_point = self.ahead(point, yaw)
        return None if next_point is None else self.pose(next_point, self.direction(point, next_point))

    def turned(self, point: int, yaw: float, *, left: bool) -> float | None:
        """The heading after a turn at a point: the next direction to that side; None where there is no other."""
        return next_direction(self.directions(point), yaw, left=left)

    def directions(self, point: int) -> tuple[float, ...]:
        """What a robot can turn to at a point: its neighbours, and what is beside it, rad."""
        return (*(self.direction(point, way) for way in self.neighbours[point]), *self.sights[point])

    def pose(self, point: int, yaw: float) -> Pose2:
        """A robot on a point."""
        x, y = self.points[point]
        return Pose2(float(x), float(y), wrapped_angle(yaw))


def next_direction(directions: Sequence[float], yaw: float, *, left: bool) -> float | None:
    """The direction (rad) that is next to one side; what is faced already is passed over. None where nothing is left.

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
    return wrapped_angle(direction - yaw)

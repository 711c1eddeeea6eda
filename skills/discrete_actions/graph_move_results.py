"""The result of a move from the robot's pose: the next pose or tilt, or the reason of a refusal. Without any motion."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from homie.kernel.robot import graph_moves
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, OccupancyGrid, Pose2
from skills.discrete_actions.graph import Graph
from skills.discrete_actions.step import IN_THE_WAY, NO_FURTHER, ROOM
from skills.motion.base_path_planning import CostMap

NOD = math.pi / 6
"""Tilt (rad) of a look up or down: that of EB-Navigation; EmbodiedEval's paper does not say."""
FAR = 50.0
"""Distance (m) of the point that the head looks at: the height of the torso makes no difference then."""
NO_POINT = "no point of the floor is ahead: turn to one first"
NOTHING_ELSE = "there is nothing else to turn to here"


class MoveRefused(Exception):
    """A move is impossible; the text is the reason."""


@dataclass
class Traveller:
    """A robot on a graph.

    Attributes:
        tilt: Current tilt of its head (rad, down), if nothing else moves it.
    """

    graph: Graph
    spec: RobotSpec
    tilt: float

    def way(self, base: Pose2, grid: OccupancyGrid | None) -> list[Pose2]:
        """Return the poses of Move forward in straight lines: one, or two if the robot has to return to its point
        first. Raises MoveRefused."""
        point = self.graph.nearest(base.xy)
        aim = self.graph.pose_ahead(point, base.yaw)
        if aim is None:
            raise MoveRefused(NO_POINT)
        if grid is None:
            return [aim]
        costs = CostMap.of(grid, self.spec.footprint_radius + ROOM)
        back = self.graph.pose(point, aim.yaw)
        for way in ([aim], [back, aim]):
            stops = [base.xy, *(pose.xy for pose in way)]
            if all(_is_free(costs, a, b) for a, b in itertools.pairwise(stops)):
                return way
        raise MoveRefused(IN_THE_WAY)

    def headings(self, action: str, base: Pose2) -> list[Pose2]:
        """Return the poses in which a turn can end, best first: in place, or on the robot's point if there is no room
        to turn in place. Raises MoveRefused."""
        point = self.graph.nearest(base.xy)
        yaw = self.graph.next_heading(point, base.yaw, left=action == graph_moves.TURN_LEFT)
        if yaw is None:
            raise MoveRefused(NOTHING_ELSE)
        return [Pose2(base.x, base.y, yaw), self.graph.pose(point, yaw)]

    def look(self, action: str) -> float:
        """Return the tilt after a look. Raises Refused."""
        head = self.spec.head
        assert head is not None, "the skill set has seen to it"
        low, high = head.limits[1]
        tilt = self.tilt + (NOD if action == graph_moves.LOOK_DOWN else -NOD)
        if not low <= tilt <= high:
            raise MoveRefused(NO_FURTHER)
        return tilt

    def gaze(self, base: Pose2, tilt: float) -> Array:
        """Return the point (3,) seen by a head that looks straight ahead with a tilt (rad, down)."""
        eye = self.spec.eye
        return base.transform(np.array([eye[0] + FAR, eye[1], eye[2] - FAR * math.tan(tilt)]))


def _is_free(costs: CostMap, a: Array, b: Array) -> bool:
    """Whether a straight line can be driven. A robot close to an obstacle may leave it, as on planned paths
    (`CostMap.passable`)."""
    number = max(2, math.ceil(float(np.linalg.norm(b - a)) / costs.resolution))
    passable = costs.passable(a)
    return all(passable[costs.cell(a + (b - a) * share)] for share in np.linspace(0.0, 1.0, number)[1:])

"""Go to: drive to a room, in front of furniture, or to where an object can be reached."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from homie.kernel.types import Array, Box, FailureReason, Mask, Pose2, planar_rotation
from skills.motion.base_path_planning import CostMap
from skills.motion.collision import clear_boxes
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable, Stuck
from skills.motion.standing_places import Reachable, same_place

REACH = 0.72
"""Distance (m) from the target's nearest side at which the robot stops."""

GAPS = (REACH - 0.22, REACH - 0.12, REACH, REACH + 0.2)
"""Distances (m) from the target's nearest side at which it may stop."""

FAR_GAPS = (REACH + 0.3, REACH + 0.4, REACH + 0.5)
"""Distances (m) for targets without free floor nearer, as before the cabinet in a corner with its door open: the next
skill chooses more precisely where the robot can stand, and anything nearer than 2 m counts as near (EMMOE, D1)."""

AWAY, DRIVEN, ASIDE, NARROW, HIDDEN = 0.5, 0.08, 1.5, 0.4, 8.0
"""Costs per metre nearer or further than the arm's best distance, per metre driven, of standing at the side of a target
that has a front (twice that behind it), per metre of clearance less than `ROOMY`, and per metre of obstacles between
the place and the target. Only their ratios matter."""
ROOMY = 0.5
"""Clearance (m) to the nearest obstacle beyond which more brings no benefit."""
ROOMY_FLOOR = 0.8
"""The same where the room itself is the goal."""
TOUCHES = 3.0
"""Cost, on the same scale, of a pose at which the held object would be in collision."""

NEARLY = 0.25
"""Distance (m) from the chosen pose within which a robot that gets no further has arrived too; whether it is near
enough to the target is judged by the locator."""

WALL = 0.15
"""Minimum thickness (m) assumed for an obstacle in between: often only the visible side of a wall is mapped."""
EDGE = 0.08
"""Length (m) at the end of a line to a target that counts as the target itself."""
FRONT = 0.25
"""The same for a target that has a front or is enclosed by one: a door, its handle and the edges of boards."""
MAX_PLACES = 3
"""Maximum number of places to drive to, where the map updated on the way shows a wall before the target."""


def place_cost(
    *,
    gap: ArrayLike,
    driven: ArrayLike,
    before: ArrayLike,
    clear: ArrayLike,
    hidden: ArrayLike,
) -> NDArray[np.float64]:
    """Return the cost of standing at a place before a target, lower is better, as one number or an array.

    Args:
        gap: Metres to the nearest side of the target.
        driven: Metres from where the robot is.
        before: Cosine of the angle between the target's front and the place, 1 for a target without a front.
        clear: Metres to the nearest obstacle.
        hidden: Length (m) of obstacles between the place and the target.
    """
    cost = AWAY * np.abs(np.subtract(gap, GAPS[0])) + np.multiply(DRIVEN, driven)
    cost = cost + ASIDE * np.subtract(1.0, before)
    cost = cost + NARROW * np.maximum(0.0, np.subtract(ROOMY, clear))
    return np.asarray(cost + np.multiply(HIDDEN, hidden))


def room_cost(off: ArrayLike, clear: ArrayLike) -> NDArray[np.float64]:
    """Return the cost of standing at a point of a room, from its distances (m) to the middle and to the nearest
    obstacle."""
    return np.asarray(np.subtract(off, np.minimum(clear, ROOMY_FLOOR)))


class GoTo(MobileSkill):
    """Drives to within arm's reach of the target and faces it; for a room, drives to a spot inside it."""

    name = "classical/go_to"
    actions = ("Go to",)
    max_seconds = 120.0

    def routine(self) -> Motion:
        yield from self.tuck()
        if self.goal.room is not None:
            yield from self.navigate(self._floor_in(self.goal.room))
            return
        pose = self._pose_before()
        for _ in range(MAX_PLACES):
            yield from self._come_to(pose)
            if not self._obstructed_length(self.base.xy, self._target()):
                break
            previous_pose, pose = pose, self._pose_before()
            if same_place(previous_pose, pose):
                break
        if self._is_walled_off(self.base.xy[None])[0]:
            raise self._behind_wall()
        yield from self.look_at(self.goal.position)

    def _come_to(self, pose: Pose2) -> Motion:
        """Drive to a pose, or to within `NEARLY` of it."""
        try:
            yield from self.navigate(pose.xy, pose.yaw)
        except Stuck:
            if float(np.linalg.norm(pose.xy - self.base.xy)) > NEARLY:
                raise
            yield from self.turn(float(np.arctan2(*(self.goal.position[:2] - self.base.xy)[::-1])))

    def _target(self) -> Box:
        """Return the target's box, or a small box at its position if its size is unknown."""
        return self.goal.box or Box(self.goal.position, np.full(3, 0.03))

    def _floor_in(self, room: tuple[float, float, float, float]) -> Array:
        """Return the roomiest reachable point of a rectangle, preferably in its middle. Raises NotRetryable if there is
        none."""
        point = self._in_room(room, self.costs)
        if point is not None:
            return point
        costs_without_loose = self._costs_without_loose()
        freed_point = None if costs_without_loose is None else self._in_room(room, costs_without_loose)
        raise self._unreachable_error(FailureReason.NO_FLOOR_IN_ROOM, freed_point)

    def _pose_before(self) -> Pose2:
        """Return a reachable pose near the target that faces it, from its front if it has one. Raises NotRetryable if
        there is none."""
        pose = self._best_pose(self.costs)
        if pose is not None:
            return pose
        costs_without_loose = self._costs_without_loose()
        freed_pose = None if costs_without_loose is None else self._best_pose(costs_without_loose)
        if freed_pose is None and len(self._standable((*GAPS, *FAR_GAPS), Reachable.of(self.costs, self.base))):
            raise self._behind_wall()
        raise self._unreachable_error(FailureReason.NO_FLOOR_NEAR, None if freed_pose is None else freed_pose.xy)

    @staticmethod
    def _behind_wall() -> NotRetryable:
        """Return the error for a target with all standing places on the wrong side of a wall."""
        return NotRetryable(FailureReason.BEHIND_WALL)

    def _is_walled_off(self, points: Array) -> Mask:
        """Return a mask (n,) of the places (n, 2) from which a wall hides the target."""
        grid = self.goal.grid
        return np.zeros(len(points), dtype=bool) if grid is None else grid.walled(points, self._target())

    def _standable(self, gaps: Sequence[float], reachable: Reachable) -> Array:
        """Return the places (n, 2) at these distances (m) from the target's sides where the robot can stand."""
        target = self._target()
        angles = np.arange(32) * np.pi / 16
        points = [_point_beside(target, np.array([np.cos(a), np.sin(a)]), gap) for a in angles for gap in gaps]
        return np.array([point for point in points if reachable(point)]).reshape(-1, 2)

    def _costs_without_loose(self) -> CostMap | None:
        """Return the cost map without the loose objects on the floor, or None if there are none."""
        if self.goal.grid is None or not self.goal.loose:
            return None
        return CostMap.of(clear_boxes(self.goal.grid, self.goal.loose), self.spec.footprint_radius + self.margin)

    def _unreachable_error(self, reason: FailureReason, blocked_point: Array | None) -> NotRetryable:
        """Return the error, naming the obstacles on the way to a point (2,) that the robot could reach without them."""
        return NotRetryable(reason) if blocked_point is None else self._no_path(blocked_point, 0.0)

    def _in_room(self, room: tuple[float, float, float, float], costs: CostMap) -> Array | None:
        """Return the roomiest reachable point of a rectangle, preferably in its middle, or None."""
        reachable = Reachable.of(costs, self.base)
        x0, y0, x1, y1 = room
        middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        best: tuple[float, Array] | None = None
        for x in np.linspace(x0 + 0.4, x1 - 0.4, 15):
            for y in np.linspace(y0 + 0.4, y1 - 0.4, 15):
                point = np.array([x, y])
                if reachable(point):
                    cost = float(room_cost(np.linalg.norm(point - middle), costs.clear_at(point)))
                    if best is None or cost < best[0]:
                        best = cost, point
        return None if best is None else best[1]

    def _obstructed_length(self, xy: Array, target: Box) -> float:
        """Return the length (m) of obstacles, above all walls, on the line between a place (2,) and a target."""
        foot = _nearest(target, xy)
        for surface in self.goal.surfaces[:1]:  # its supporting surface does not count
            foot = min(foot, _nearest(surface.plate, xy), key=lambda point: float(np.linalg.norm(point - xy)))
        offset = xy - foot
        edge = EDGE if self.goal.front is None else FRONT
        target_edge = foot + offset * min(1.0, edge / max(float(np.linalg.norm(offset)), 1e-6))
        obstructed = self.costs.between(xy, target_edge)
        return max(WALL, obstructed) if obstructed else 0.0

    def _best_pose(self, costs: CostMap) -> Pose2 | None:
        """Return the best reachable pose near the target, or one further away where walls hide all nearer ones."""
        nearby = self._pose_at_gaps(GAPS, costs)
        if nearby is not None and nearby[0] < HIDDEN * WALL:
            return nearby[1]
        poses = [pose for pose in (nearby, self._pose_at_gaps(FAR_GAPS, costs)) if pose is not None]
        return min(poses, key=lambda pose: pose[0])[1] if poses else None

    def _pose_at_gaps(self, gaps: Sequence[float], costs: CostMap) -> tuple[float, Pose2] | None:
        """Return the best reachable pose at one of these distances (m) from the target, with its cost."""
        reachable = Reachable.of(costs, self.base)
        target = self._target()
        best: tuple[float, Pose2] | None = None
        front = self.goal.front
        facing = None if front is None else np.array([np.cos(front), np.sin(front)])
        places = self._standable(gaps, reachable)
        for xy in places[~self._is_walled_off(places)]:
            directions = (xy - target.center[:2]) / max(float(np.linalg.norm(xy - target.center[:2])), 1e-6)
            cost = float(
                place_cost(
                    gap=target.distance(xy),
                    driven=np.linalg.norm(xy - self.base.xy),
                    before=1.0 if facing is None else directions @ facing,
                    clear=costs.clear_at(xy),
                    hidden=self._obstructed_length(xy, target),
                )
            )
            to_target = self.goal.position[:2] - xy
            pose = Pose2(float(xy[0]), float(xy[1]), float(np.arctan2(to_target[1], to_target[0])))
            if (best is None or cost < best[0]) and self._load_touches(pose):
                cost += TOUCHES
            if best is None or cost < best[0]:
                best = cost, pose
        return best

    def _load_touches(self, pose: Pose2) -> bool:
        """Whether the held object, in its travel posture, would be in collision at a pose."""
        return bool(len(self.held)) and self.space(pose).clearance(self.travelling) < 0.0


def _nearest(box: Box, xy: Array) -> Array:
    """Return the point (2,) of a box's footprint that is nearest to a given point."""
    turn = planar_rotation(box.yaw)
    local = (xy - box.center[:2]) @ turn
    point: Array = box.center[:2] + turn @ np.clip(local, -box.half[:2], box.half[:2])
    return point


def _point_beside(box: Box, direction: Array, gap: float) -> Array:
    """Return the point `gap` metres outside a box's footprint in a direction from its centre."""
    low, high = 0.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        if box.distance(box.center[:2] + middle * direction) < gap:
            low = middle
        else:
            high = middle
    point: Array = box.center[:2] + high * direction
    return point

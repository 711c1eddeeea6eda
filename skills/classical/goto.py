"""Go to: drive to a room, in front of furniture, or to where an object can be reached."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from homie.kernel.types import Array, Box, FailureReason, Mask, Pose2, planar_rotation
from skills.motion.base_path_planning import CostMap
from skills.motion.collision import cleared
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable, Stuck
from skills.motion.standing_places import Reachable, same_place

REACH = 0.72
"""Metres from a thing's nearest side at which the robot stops."""

GAPS = (REACH - 0.22, REACH - 0.12, REACH, REACH + 0.2)
"""Metres from a thing's nearest side at which it may stop."""

FAR_GAPS = (REACH + 0.3, REACH + 0.4, REACH + 0.5)
"""Where there is no floor nearer, as before the cabinet in a corner with its door open: the skill that is next has a
finer idea of where the robot can stand, and what is nearer than 2 m counts as near (EMMOE, D1)."""

AWAY, DRIVEN, ASIDE, NARROW, HIDDEN = 0.5, 0.08, 1.5, 0.4, 8.0
"""What it costs to stand a metre nearer or further than the arm has it best, to drive a metre, to stand at the side of
what has a front (twice that behind it), to have a metre less than `ROOMY` around, and to have a metre of something
between the place and the target. Only their ratios matter."""
ROOMY = 0.5
"""Metres to the nearest obstacle beyond which more is not better."""
ROOMY_FLOOR = 0.8
"""The same in a room that is gone to for itself."""
TOUCHES = 3.0
"""What a pose costs, by the same measure, in which the held object would be in something."""

NEARLY = 0.25
"""Metres from the chosen pose at which a robot that comes no further has arrived too; whether it is near enough to the
target is judged by the locator."""

WALL = 0.15
"""Metres that what is between counts at least: of a wall often only the side is known that was seen."""
EDGE = 0.08
"""Metres at the end of a line to a target that are the target itself."""
FRONT = 0.25
"""The same where it has a front, or is shut in by one: a door, its handle and the edges of boards."""
MAX_PLACES = 3
"""Places that it goes to where what has been seen on the way there shows a wall before the target."""


def place_cost(
    *,
    gap: ArrayLike,
    driven: ArrayLike,
    before: ArrayLike,
    clear: ArrayLike,
    hidden: ArrayLike,
) -> NDArray[np.float64]:
    """What it costs to stand at a place before a target: the less, the better. One number or an array for each.

    Args:
        gap: Metres to the nearest side of the target.
        driven: Metres from where the robot is.
        before: Cosine of the angle between the target's front and the place, 1 for what has no front.
        clear: Metres to the nearest obstacle.
        hidden: Metres of other things between the place and the target.
    """
    cost = AWAY * np.abs(np.subtract(gap, GAPS[0])) + np.multiply(DRIVEN, driven)
    cost = cost + ASIDE * np.subtract(1.0, before)
    cost = cost + NARROW * np.maximum(0.0, np.subtract(ROOMY, clear))
    return np.asarray(cost + np.multiply(HIDDEN, hidden))


def room_cost(off: ArrayLike, clear: ArrayLike) -> NDArray[np.float64]:
    """What it costs to stand somewhere in a room, by metres from its middle and to the nearest obstacle."""
    return np.asarray(np.subtract(off, np.minimum(clear, ROOMY_FLOOR)))


class GoTo(MobileSkill):
    """Stops within arm's reach of the target, facing it; inside a room for a spot."""

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
            if not self._hidden(self.base.xy, self._target()):
                break
            previous_pose, pose = pose, self._pose_before()
            if same_place(previous_pose, pose):
                break
        if self._walled(self.base.xy[None])[0]:
            raise self._behind_wall()
        yield from self.look_at(self.goal.position)

    def _come_to(self, pose: Pose2) -> Motion:
        """Drive to a pose, or nearly."""
        try:
            yield from self.navigate(pose.xy, pose.yaw)
        except Stuck:
            if float(np.linalg.norm(pose.xy - self.base.xy)) > NEARLY:
                raise
            yield from self.turn(float(np.arctan2(*(self.goal.position[:2] - self.base.xy)[::-1])))

    def _target(self) -> Box:
        """What it goes to; of what has no known size the place."""
        return self.goal.box or Box(self.goal.position, np.full(3, 0.03))

    def _floor_in(self, room: tuple[float, float, float, float]) -> Array:
        """The roomiest reachable point of a rectangle, rather in its middle. Raises NotRetryable if there is none."""
        point = self._in_room(room, self.costs)
        if point is not None:
            return point
        freed = self._freed_costs()
        freed_point = None if freed is None else self._in_room(room, freed)
        raise self._unreachable_error(FailureReason.NO_FLOOR_IN_ROOM, freed_point)

    def _pose_before(self) -> Pose2:
        """A reachable pose near the target that faces it, from its front if it has one. Raises NotRetryable if there is
        none."""
        pose = self._before(self.costs)
        if pose is not None:
            return pose
        freed = self._freed_costs()
        freed_pose = None if freed is None else self._before(freed)
        if freed_pose is None and len(self._standable((*GAPS, *FAR_GAPS), Reachable.of(self.costs, self.base))):
            raise self._behind_wall()
        raise self._unreachable_error(FailureReason.NO_FLOOR_NEAR, None if freed_pose is None else freed_pose.xy)

    @staticmethod
    def _behind_wall() -> NotRetryable:
        """The reason where all places to stand are on the wrong side of a wall, to be raised."""
        return NotRetryable(FailureReason.BEHIND_WALL)

    def _walled(self, points: Array) -> Mask:
        """From which places (n, 2) a wall hides the target, (n,)."""
        grid = self.goal.grid
        return np.zeros(len(points), dtype=bool) if grid is None else grid.walled(points, self._target())

    def _standable(self, gaps: Sequence[float], reachable: Reachable) -> Array:
        """The places (n, 2) that far (m) from the target's sides on which the robot can stand."""
        target = self._target()
        angles = np.arange(32) * np.pi / 16
        points = [_point_beside(target, np.array([np.cos(a), np.sin(a)]), gap) for a in angles for gap in gaps]
        return np.array([point for point in points if reachable(point)]).reshape(-1, 2)

    def _freed_costs(self) -> CostMap | None:
        """The costs as they would be without the loose things on the floor."""
        if self.goal.grid is None or not self.goal.loose:
            return None
        return CostMap.of(cleared(self.goal.grid, self.goal.loose), self.spec.footprint_radius + self.margin)

    def _unreachable_error(self, reason: FailureReason, blocked_point: Array | None) -> NotRetryable:
        """The reason, to be raised, with what keeps the robot from a point (2,) that it could reach without it."""
        return NotRetryable(reason) if blocked_point is None else self._no_path(blocked_point, 0.0)

    def _in_room(self, room: tuple[float, float, float, float], costs: CostMap) -> Array | None:
        """The roomiest reachable point of a rectangle, rather in its middle."""
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

    def _hidden(self, xy: Array, target: Box) -> float:
        """Metres of other things, walls above all, between a place (2,) and a target."""
        foot = _nearest(target, xy)
        for surface in self.goal.surfaces[:1]:  # what it stands on is not between
            support = Box(surface.center, np.array([surface.half_x, surface.half_y, 0.0]), surface.yaw)
            foot = min(foot, _nearest(support, xy), key=lambda point: float(np.linalg.norm(point - xy)))
        offset = xy - foot
        edge = EDGE if self.goal.front is None else FRONT
        target_edge = foot + offset * min(1.0, edge / max(float(np.linalg.norm(offset)), 1e-6))
        crossed = self.costs.between(xy, target_edge)
        return max(WALL, crossed) if crossed else 0.0

    def _before(self, costs: CostMap) -> Pose2 | None:
        """The best reachable pose near the target; one further away where walls hide all nearer ones."""
        nearby = self._pose_at_gaps(GAPS, costs)
        if nearby is not None and nearby[0] < HIDDEN * WALL:
            return nearby[1]
        poses = [pose for pose in (nearby, self._pose_at_gaps(FAR_GAPS, costs)) if pose is not None]
        return min(poses, key=lambda pose: pose[0])[1] if poses else None

    def _pose_at_gaps(self, gaps: Sequence[float], costs: CostMap) -> tuple[float, Pose2] | None:
        """The best reachable pose that far from the target (m), with its cost."""
        reachable = Reachable.of(costs, self.base)
        target = self._target()
        best: tuple[float, Pose2] | None = None
        front = self.goal.front
        facing = None if front is None else np.array([np.cos(front), np.sin(front)])
        places = self._standable(gaps, reachable)
        for xy in places[~self._walled(places)]:
            directions = (xy - target.center[:2]) / max(float(np.linalg.norm(xy - target.center[:2])), 1e-6)
            cost = float(
                place_cost(
                    gap=target.distance(xy),
                    driven=np.linalg.norm(xy - self.base.xy),
                    before=1.0 if facing is None else directions @ facing,
                    clear=costs.clear_at(xy),
                    hidden=self._hidden(xy, target),
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
        """Whether the held object would be in something at a pose, carried as it is on the way."""
        return bool(len(self.held)) and self.space(pose).clearance(self.travelling) < 0.0


def _nearest(box: Box, xy: Array) -> Array:
    """The point (2,) of a box's footprint that is nearest to a point."""
    turn = planar_rotation(box.yaw)
    local = (xy - box.center[:2]) @ turn
    point: Array = box.center[:2] + turn @ np.clip(local, -box.half[:2], box.half[:2])
    return point


def _point_beside(box: Box, direction: Array, gap: float) -> Array:
    """The point `gap` metres outside a box's footprint in a direction from its centre."""
    low, high = 0.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        if box.distance(box.center[:2] + middle * direction) < gap:
            low = middle
        else:
            high = middle
    point: Array = box.center[:2] + high * direction
    return point

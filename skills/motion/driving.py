"""Base motions: following a path, turning, straight moves. Differential drive, commands (v, w)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, Command, FailureReason, OccupancyGrid, Pose2
from skills.motion.arm_path_search import ArmSpace, detours
from skills.motion.base_path_planning import ESCAPE, CostMap, length_left, plan_path, point_ahead, rest_of
from skills.motion.collision import Solids, clear_boxes, on_the_way
from skills.motion.held_object import NOTHING, Hand
from skills.motion.motions import Motion, NotRetryable, RoutineSkill, Stuck, wrap

LOOKAHEAD = 0.30
"""Lookahead distance (m) on the path."""

WAY_MARGINS = (0.025, 0.0, -0.02)
"""Clearance (m) required of an arm path, best first: the collision spheres are fatter than the arm."""

WITH_LOOSE_LOAD = 0.4
"""Fraction of the base's speeds used while the held object has loose contents."""

TO_LINE, MOST_ASIDE = 6.0, 0.25
"""Heading correction (rad) towards the line per metre of cross-track error, and its maximum: the base is back on the
line after some 15 cm, half of the distance before a standing place."""

COMFORT = 0.30
"""Clearance (m) beyond the footprint that is worth a detour."""

ON_THE_SPOT = 0.6
"""Heading error (rad) above which the base turns in place before it drives."""

BACKWARDS, LESS_TURNING = 1.0, 0.6
"""Path length (m) up to which the base may drive it backwards, and the turning (rad) that this has to save."""

ROOM_TO_TURN = (0.0, -0.05, 0.05, -0.1, 0.1, -0.2, 0.2, -0.3, 0.3)
"""Displacements (m, negative: back) at which the held object may have room to turn with the base, nearest first."""

ROOM_ENOUGH = 0.06
"""Clearance (m) beyond the footprint with which a robot whose body is not a perfect cylinder can turn."""

HELD_UP, HELD_SECONDS = 0.05, 1.0
"""Speed (rad/s) below which a turning base counts as held by an obstacle, if it lasts for so long (s)."""

STILL_THERE = 0.1
"""Distance (m) from the standing place from which `straight` is back on the line in time."""

NO_PROGRESS_SECONDS = 4.0
MAX_PLANS, MAX_BLOCKED = 25, 4


class MobileSkill(RoutineSkill):
    """A skill that can drive."""

    margin: float = 0.04
    """Clearance beyond the footprint that a path must keep, m."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand | None = None) -> None:
        super().__init__(spec, kinematics)
        self.hand = hand or Hand()
        """Geometry of the held object; shared by the skills of one set."""
        self.rest, self.carry = self.chain.posture(spec.rest), self.chain.posture(spec.carry)
        self.readies = [self.chain.posture(ready) for ready in spec.ready]
        """Raised postures from which the arm reaches out."""

    @property
    def fixed(self) -> bool:
        """Whether the robot has no base: it works from where it is mounted."""
        return self.spec.first("base") is None

    _costs: CostMap | None = None
    _costs_of: tuple[OccupancyGrid, float] | None = None

    @property
    def costs(self) -> CostMap:
        """The cost map of the goal's grid, rebuilt when the grid or the protrusion of the held object has changed."""
        grid = self.goal.grid
        if grid is None:
            raise Stuck(FailureReason.NO_MAP)
        comfort = COMFORT + self._held_protrusion()
        if (
            self._costs is None
            or self._costs_of is None
            or self._costs_of[0] is not grid
            or self._costs_of[1] != comfort
        ):
            self._costs = CostMap.of(grid, self.spec.footprint_radius + self.margin, comfort)
            self._costs_of = grid, comfort
        return self._costs

    def _held_protrusion(self) -> float:
        """Return how far (m) the held object extends beyond the footprint, rounded up to a decimetre."""
        if not len(self.held):
            return 0.0
        gripper = self.kinematics.forward(self.q)
        points = gripper.position + self.held[:, :3] @ gripper.rotation.T
        reach = float(np.max(np.hypot(points[:, 0], points[:, 1]) + self.held[:, 3]))
        return float(np.ceil(max(0.0, reach - self.spec.footprint_radius) * 10.0) / 10.0)

    def navigate(
        self, target: Array, yaw: float | None = None, *, tolerance: float = 0.0, torso: Array | None = None
    ) -> Motion:
        """Drive to a point (2,) and face `yaw` there; replan when the map changes or the path is blocked.

        Args:
            torso: Joint values (torso,) to move to on the way, as far as they get. By default those of the travelling
                posture.
        """
        if self.chain.torso:
            torso = self._folded[: self.chain.torso] if torso is None else torso
            yield from self.run_alongside(self._drive(target, yaw, tolerance), self.lift(torso))
        else:
            yield from self._drive(target, yaw, tolerance)

    def _drive(self, target: Array, yaw: float | None, tolerance: float) -> Motion:
        blocked = 0
        for plans in range(MAX_PLANS):
            path = plan_path(self.costs, self.base.xy, target, tolerance)
            if path is None:
                reason = self._no_path(target, tolerance)
                # Obstacles seen on the way occupy the place: another attempt chooses another.
                raise Stuck(reason.failure) if plans else reason
            outcome = yield from self.follow(path, backwards=yaw is not None and self._prefers_backwards(path, yaw))
            if outcome == "arrived":
                if yaw is not None:
                    yield from self._turn_with_room(yaw, STILL_THERE)
                return
            if outcome == "blocked":
                blocked += 1
                if blocked > MAX_BLOCKED:
                    break
                front_is_clearer = self.clearance_ahead(self.base, 0.2) > self.clearance_ahead(self.base, -0.2)
                yield from self.straight(0.15 if front_is_clearer else -0.15, seconds=2.0)
        raise Stuck(FailureReason.WAY_BLOCKED)

    def _no_path(self, target: Array, tolerance: float) -> NotRetryable:
        """Return the error for a point (2,) without a path, naming the loose objects on the way."""
        radius = self.spec.footprint_radius + self.margin
        if self.goal.grid is not None and self.goal.loose:
            costs = CostMap.of(clear_boxes(self.goal.grid, self.goal.loose), radius)
            path = plan_path(costs, self.base.xy, target, tolerance)
            if path is not None:
                return NotRetryable(FailureReason.NO_PATH, blockers=on_the_way(self.goal.loose, path, radius))
        return NotRetryable(FailureReason.NO_PATH)

    def _is_outdated(self, planned: OccupancyGrid | None, path: Array) -> bool:
        """Whether a new map has an obstacle on the path."""
        if self.goal.grid is planned:
            return False
        required_clearance = self.spec.footprint_radius - 0.03
        # Near the robot a path may leave a tight place: see `plan_path`.
        remaining_path = np.array([point_ahead(path, self.base.xy, ESCAPE), *rest_of(path, self.base.xy)])
        return not all(self.costs.clear_line(a, b, required_clearance) for a, b in itertools.pairwise(remaining_path))

    def _prefers_backwards(self, path: Array, yaw: float) -> bool:
        """Whether driving a short path backwards, to face `yaw` at its end, saves much turning."""
        first, last = point_ahead(path, self.base.xy, LOOKAHEAD) - self.base.xy, path[-1] - path[max(0, len(path) - 2)]
        if length_left(path, self.base.xy) > BACKWARDS or not np.any(first) or not np.any(last):
            return False

        def turning(extra: float) -> float:
            start_heading, end_heading = (float(np.arctan2(way[1], way[0])) + extra for way in (first, last))
            return abs(wrap(start_heading - self.base.yaw)) + abs(wrap(yaw - end_heading))

        return turning(np.pi) + LESS_TURNING < turning(0.0)

    def follow(self, path: Array, *, backwards: bool = False) -> Motion:
        """Drive along a path; returns "arrived", "blocked" (no progress) or "stale" (plan again)."""
        planned_grid = self.goal.grid
        best, stalled_seconds, ticks = np.inf, 0.0, 0
        while True:
            base = self.base
            remaining = length_left(path, base.xy)
            if remaining < 0.04:
                return "arrived"
            if remaining < best - 0.03:
                best, stalled_seconds = remaining, 0.0
            stalled_seconds += self.spec.period
            ticks += 1
            if stalled_seconds > NO_PROGRESS_SECONDS:
                return "blocked"
            if ticks % 10 == 0 and self._is_outdated(planned_grid, path):
                return "stale"
            lookahead_point = point_ahead(path, base.xy, LOOKAHEAD)
            heading = float(np.arctan2(*(lookahead_point - base.xy)[::-1])) + (np.pi if backwards else 0.0)
            error = wrap(heading - base.yaw)
            if abs(error) > ON_THE_SPOT and len(self.held):
                yield from self._turn_with_room(heading)
            else:
                v, w = self._steer(error, remaining)
                yield self.spec.drive(-v if backwards else v, w)

    def _steer(self, error: float, remaining: float) -> tuple[float, float]:
        w = float(np.clip(2.5 * error, -self._slowdown * self.spec.max_angular, self._slowdown * self.spec.max_angular))
        if abs(error) > ON_THE_SPOT:
            return 0.0, w
        brake = np.sqrt(2.0 * 0.5 * self.spec.max_linear_acceleration * max(remaining - 0.02, 0.0)) + 0.02
        return float(min(self._slowdown * self.spec.max_linear, brake) * np.cos(error) ** 2), w

    def _turn_with_room(self, heading: float, furthest: float = np.inf) -> Motion:
        """Turn in place, after a short move ahead or back (at most `furthest` m) if the held object would hit something
        here."""
        remaining = wrap(heading - self.base.yaw)
        for distance in ROOM_TO_TURN if len(self.held) else ():
            if abs(distance) > furthest:
                break
            shifted_base = self._base_after(distance)
            if any(
                self._sweeps_clear(angle, shifted_base) for angle in (remaining, _complementary_turn(remaining))
            ) and (not distance or self.clearance_ahead(self.base, distance) >= self.spec.footprint_radius):
                yield from self.straight(distance, speed=0.2)
                break
        yield from self.turn(heading)

    def _base_after(self, distance: float) -> Pose2:
        """Return the base pose after a straight move of `distance` m."""
        base = self.base
        return Pose2(base.x + distance * np.cos(base.yaw), base.y + distance * np.sin(base.yaw), base.yaw)

    def turn(self, yaw: float, *, tolerance: float = 0.02, seconds: float = 8.0) -> Motion:
        """Turn in place to a heading, in the direction in which the held object touches nothing; if an obstacle holds
        the base, from a little ahead or back. Raises Stuck if it cannot turn from there either."""
        for last in (False, False, True):
            is_turned = yield from self._turn_here(yaw, tolerance, seconds)
            if is_turned:
                return
            displacement = self._roomier_displacement()
            if last or not displacement:
                raise Stuck(FailureReason.BASE_CANNOT_TURN)
            yield from self.straight(displacement, speed=0.2)

    def _turn_here(self, yaw: float, tolerance: float, seconds: float) -> Motion:
        """Turn to a heading. Returns whether the base reached it; False as soon as an obstacle holds it."""
        remaining = wrap(yaw - self.base.yaw)
        if len(self.held) and not self._sweeps_clear(remaining) and self._sweeps_clear(_complementary_turn(remaining)):
            remaining = _complementary_turn(remaining)
        heading, held = self.base.yaw, 0.0
        for _ in range(int(seconds / self.spec.period)):
            remaining -= wrap(self.base.yaw - heading)
            error, heading = remaining, self.base.yaw
            if abs(error) < tolerance:
                return True
            held = held + self.spec.period if abs(self.seen.body.base_velocity[1]) < HELD_UP else 0.0
            if held > HELD_SECONDS:
                return False
            brake = np.sqrt(2.0 * 0.6 * self.spec.max_angular_acceleration * abs(error))
            speed = min(self._slowdown * self.spec.max_angular, brake, 4.0 * abs(error) + 0.05)
            yield self.spec.drive(0.0, float(np.copysign(speed, error)))
        return False

    def _roomier_displacement(self) -> float:
        """Return the displacement (m, negative: back) to the nearest place with room to turn, or to the one with most;
        0 if there is none."""
        if self.goal.grid is None:
            return 0.0
        radius, clearance = self.spec.footprint_radius, self.costs.clear_at(self.base.xy)
        rooms = {
            distance: self.costs.clear_at(self._base_after(distance).xy)
            for distance in ROOM_TO_TURN[1:]
            if self.clearance_ahead(self.base, distance) >= min(radius, clearance)
        }
        distances = (distance for distance, room in rooms.items() if room >= radius + ROOM_ENOUGH)
        return next(distances, max(rooms, key=lambda distance: rooms[distance], default=0.0))

    def _sweeps_clear(self, angle: float, base: Pose2 | None = None) -> bool:
        """Whether the arm with the held object touches nothing while the base, at its current or another pose, turns by
        an angle (rad)."""
        base, q = base or self.base, self.q
        turned_bases = (
            Pose2(base.x, base.y, base.yaw + part) for part in np.linspace(0.0, angle, 2 + int(abs(angle) / 0.2))
        )
        space = self.space()
        return all(replace(space, base=pose).clearance(q) >= 0.0 for pose in turned_bases)

    def straight(
        self, distance: float, *, speed: float = 0.4, seconds: float = 6.0, line: Pose2 | None = None
    ) -> Motion:
        """Drive straight ahead (negative: back) by a distance in m; give up silently when blocked.

        Args:
            line: A pose on the line to keep to, with its direction; by default the current base pose.
        """
        if self.fixed:
            return
        begin, line = self.base, line or self.base
        direction = np.array([np.cos(line.yaw), np.sin(line.yaw)])
        still = 0.0
        for _ in range(int(seconds / self.spec.period)):
            travelled = float((self.base.xy - begin.xy) @ direction)
            remaining = distance - travelled
            if remaining * np.copysign(1.0, distance) < 0.01:  # reached or passed
                return
            still = still + self.spec.period if abs(self.seen.body.base_velocity[0]) < 0.01 else 0.0
            if still > 1.0:
                return
            v = min(speed, np.sqrt(2.0 * 0.5 * self.spec.max_linear_acceleration * abs(remaining)) + 0.02)
            cross_track = float(direction[0] * (self.base.y - line.y) - direction[1] * (self.base.x - line.x))
            back_to_line = -np.sign(distance) * np.clip(TO_LINE * cross_track, -MOST_ASIDE, MOST_ASIDE)
            w = float(np.clip(4.0 * wrap(line.yaw + back_to_line - self.base.yaw), -0.8, 0.8))
            yield self.spec.drive(float(np.copysign(v, distance)), w)

    # ------------------------------------------------------------ the arm while the robot drives

    @property
    def held(self) -> Array:
        """Spheres (n, 4) in the gripper frame that approximate the held object; none if they are unknown."""
        return self.hand.spheres if self.seen.body.holding else NOTHING

    def space(self, base: Pose2 | None = None, *more: Box | None) -> ArmSpace:
        """Return the arm space at the current or another base pose, with additional obstacle boxes."""
        solids = Solids([*self.goal.solids, *(box for box in more if box is not None)])
        return ArmSpace(self.joints, self.kinematics, solids, base or self.base, self.held)

    @property
    def travelling(self) -> Array:
        """The posture for driving, with the torso where it is: it follows while the base moves."""
        torso = self.chain.torso
        return np.concatenate([self.q[:torso], self._folded[torso:]])

    @property
    def _folded(self) -> Array:
        if not self.seen.body.holding:
            return self.rest
        return self.carry if self.hand.level is None else self.hand.level

    def tuck(self) -> Motion:
        """Bring the arm into its travelling posture: close to the body, or carrying the held object."""
        if self.chain.groups and not self.at(self.travelling):
            yield from self.fold(self.travelling)

    def at(self, posture: Array, tolerance: float = 0.05) -> bool:
        """Whether the arm is in a posture, within `tolerance` (rad or m)."""
        return bool(np.max(np.abs(self.chain.nearest(posture, self.q) - self.q)) <= tolerance)

    def way_to(self, posture: Array, base: Pose2 | None = None) -> list[Array] | None:
        """Return a collision-free arm path from the current posture, by raised postures or around obstacles, or
        None."""
        return self.way_between(self.q, posture, base)

    def way_between(self, begin: Array, end: Array, base: Pose2 | None = None) -> list[Array] | None:
        """Return such a path from one posture to another, at the current or another base pose."""
        detour_postures = detours(self.readies, self.carry, end, self.chain.torso)
        return self.space(base).find(begin, end, detour_postures, WAY_MARGINS)

    def reach(self, posture: Array, otherwise: Stuck | None = None) -> Motion:
        """Move the arm to a posture by a collision-free path. Raises `otherwise`, or Stuck, if there is none."""
        way = self.way_to(posture)
        if way is None:
            raise otherwise or Stuck(FailureReason.NO_ARM_PATH)
        yield from self.follow_joints(way)

    def fold(self, posture: Array) -> Motion:
        """Move the arm to a posture around obstacles; if there is no path, from a little further back."""
        for last in (False, False, True):
            try:
                yield from self.reach(posture, Stuck(FailureReason.ARM_CAUGHT))
                return
            except Stuck:
                if last:
                    raise
            yield from self.back_out()
            yield from self.straight(-0.25, speed=0.2, seconds=3.0)

    def back_out(self) -> Motion:
        """Move the arm back along its recorded path, if there is one."""
        return
        yield

    @property
    def _slowdown(self) -> float:
        """Fraction of the base's speeds at which it may drive with the held object."""
        return WITH_LOOSE_LOAD if len(self.held) and self.hand.loose else 1.0

    def lift(self, torso: Array) -> Motion:
        """Move the torso alone, to joint values (torso,)."""
        begin = self.q[: self.chain.torso]
        step = self.chain.speeds[: self.chain.torso] * self.spec.period
        for k in range(1, int(np.ceil(np.max(np.abs(torso - begin) / step))) + 1):
            yield self.chain.command(begin + np.clip(torso - begin, -k * step, k * step))

    def look_at(self, point: Array, *, seconds: float = 1.5) -> Motion:
        """Turn the head, if there is one that turns, towards a point (3,) in the odometry frame."""
        head, aim = self.spec.head, self.spec.gaze(self.base.inverse(point), self.chain.lift(self.q))
        if head is None or aim is None:
            return
        for _ in range(int(seconds / self.spec.period)):
            if float(np.sum(np.abs(head.measured(self.seen.body) - aim))) < 0.05:
                return
            yield Command({head.name: aim})

    def clearance_ahead(self, pose: Pose2, distance: float) -> float:
        """Return the smallest clearance (m) on the straight line from a pose over a distance (negative: behind it).

        The first third does not count: the robot is there already, and may be leaving an obstacle.
        """
        direction = np.array([np.cos(pose.yaw), np.sin(pose.yaw)])
        points = [pose.xy + direction * d for d in np.linspace(distance / 3, distance, 6)]
        return min(self.costs.clear_at(point) for point in points)


def _complementary_turn(angle: float) -> float:
    """Return the angle (rad) of the same turn in the other direction."""
    return angle - float(np.copysign(2 * np.pi, angle))

"""Shared base of Pick, Put, Open and Close: driving to a standing, raising the arm, backing away, recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, Command, FailureReason, Goal, Observation, Pose, Pose2, Subtask
from skills.motion.arm_path_search import ArmSpace
from skills.motion.base_path_planning import plan_path
from skills.motion.collision import DRIVEN, FREE, ON_ARRIVAL, PLANNED, TOUCH, Solids
from skills.motion.driving import MobileSkill
from skills.motion.held_object import NOTHING, Hand
from skills.motion.motions import Motion, Stuck, wrap
from skills.motion.standing_places import (
    BEARINGS,
    AnyOption,
    Option,
    Reachable,
    StandingPlace,
    base_candidates,
    cheapest,
    first_standing,
    solve_sequence,
)

BACK_OFF = 0.32
"""Distance (m) before a standing where the arm is raised, so that it never swings into what the robot stands at."""

THERE = 0.02
"""Distance (m) from a standing within which the robot counts as there: from further away it drives up again, since an
arm near the end of its reach, or of its free space, may miss by as much."""

TIGHT = 0.01
"""Clearance (m) from which a loose object is not in the way of an arm."""

AROUND = -np.inf
"""Margin (m) on the straight path of the arm where that need not be free, because a path around obstacles is
searched."""

MARGINS = ((PLANNED, FREE), (PLANNED, TOUCH), (DRIVEN, FREE), (DRIVEN, TOUCH), (AROUND, TOUCH))
"""Margins (m) on the path to a standing and at the poses there, the most comfortable first."""

MOST_SEARCHES = 12
"""Maximum number of searches for a path around obstacles in one subtask: each failure takes about a second of
computation."""

AWAY = (0.35, 0.25, 0.15)
"""Distances (m) that the robot backs away from where it has worked, as far as there is room."""

LOADED, EMPTY = 0.15, 0.25
"""Speeds (m/s) at which the hand withdraws, with and without an object in it."""


class Manipulation(MobileSkill):
    """A mobile skill with an arm and a memory of the held object (shared by the skills of one set)."""

    max_seconds = 115.0
    freeing = 25.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics, hand)
        self.ready = self.readies[0]
        """The raised posture from which the arm reaches forward, (n,)."""
        self._searches = 0

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().start(subtask, goal, observation)
        self._searches = 0

    def act(self, observation: Observation) -> Command:
        command = super().act(observation)
        self.hand.note(self.base, self.q)
        return command

    # ------------------------------------------------------------ choosing where to stand

    def reachable_floor(self) -> Reachable | None:
        """Return the free floor that can be driven to; None for a robot without a base."""
        return None if self.fixed else Reachable.of(self.costs, self.base)

    def standings(
        self,
        target: Array,
        approach: float | None,
        floor: Reachable | None,
        distances: Sequence[float],
        bearings: Sequence[float] = BEARINGS,
    ) -> list[tuple[float, Pose2]]:
        """Return base poses for a gripper target (2+,) with their costs, as `base_candidates`; the mounting pose for a
        robot without a base (floor None)."""
        if floor is None:
            return [(0.0, self.base)]
        lateral_offset = self.spec.reach.aside
        return base_candidates(
            target, approach, self.base, floor, distances=distances, bearings=bearings, aside=lateral_offset
        )

    def rank(self, options: Sequence[AnyOption]) -> list[AnyOption]:
        """Return options sorted by cost; for a robot that can move, not too many from any one place."""
        return sorted(options, key=lambda option: option[0]) if self.fixed else cheapest(options)

    def clear(self, space: ArmSpace, postures: Sequence[Array], margin: float) -> bool:
        """Whether the arm keeps `margin` metres (negative: may touch) from solids in each of some postures."""
        return all(space.clearance(q) >= margin for q in postures)

    def reachable_standing(
        self,
        options: Iterable[Option],
        accept: Callable[[StandingPlace, float, float], bool],
    ) -> tuple[StandingPlace, Sequence[Pose]] | None:
        """Return the cheapest option that the arm can do without contact; if there is none, with slight contact; then
        on a narrower path there, and at last on a path around obstacles.

        accept(standing, margin of the path, margin at the poses) has the last word.
        """
        solids = Solids(self.goal.solids)
        readies = self.readies
        if self.hand.level is not None and len(self.held):
            readies = [self.hand.level] if self.hand.loose else [self.hand.level, *readies]

        def clearance(base: Pose2, q: Array) -> float:
            return ArmSpace(self.joints, self.kinematics, solids, base, NOTHING).clearance(q)

        def reaches(standing: StandingPlace, way: float, at: float) -> bool:
            return accept(standing, way, at) and (way > AROUND or self._search_around(standing))

        return first_standing(self.kinematics, options, readies, MARGINS, clearance=clearance, accept=reaches)

    def way_around(self, standing: StandingPlace) -> bool:
        """Whether the arm can move from the raised posture to the first pose of a standing on another path, where the
        straight one is not free: from behind an open door, or between two boards."""
        return self.way_between(standing.ready, standing.joints[0], standing.base) is not None

    def _search_around(self, standing: StandingPlace) -> bool:
        """The same for one of many standings: False after `MOST_SEARCHES`."""
        if self.hand.loose or self._searches >= MOST_SEARCHES:  # an object with loose contents moves straight
            return False
        self._searches += 1
        return self.way_around(standing)

    def joints_from_here(
        self, poses: Sequence[Pose], planned: StandingPlace, accept: Callable[[StandingPlace, float, float], bool]
    ) -> tuple[Array, ...] | None:
        """Return joint values for gripper poses from the current base pose, preferring those similar to the planned
        ones: a millimetre may make the arm fold differently.

        Args:
            accept: As for `reachable_standing`, a little less strict.
        """
        needs_detour = not accept(planned, *ON_ARRIVAL)
        for begin in (planned.joints[0], self.ready):
            joints = solve_sequence(self.kinematics, self.base, poses, begin)
            if joints is None:
                continue
            current_standing = StandingPlace(self.base, joints, self.ready)
            if accept(current_standing, *ON_ARRIVAL):
                return joints
            if (
                needs_detour
                and accept(current_standing, AROUND, ON_ARRIVAL[1])
                and self._search_around(current_standing)
            ):
                return joints
        return None

    @contextmanager
    def temporary_goal(self, goal: Goal) -> Iterator[None]:
        """Plan temporarily with another goal."""
        actual, self.goal = self.goal, goal
        try:
            yield
        finally:
            self.goal = actual

    def blockers(self, standing: StandingPlace) -> list[Box]:
        """Return the loose objects that keep the robot from a standing, or the arm from its poses there."""
        radius = self.spec.footprint_radius + self.margin
        way = [*self.joints.between(standing.ready, standing.joints[0]), *standing.joints]
        path = None if self.fixed else plan_path(self.costs, self.base.xy, standing.base.xy)
        spaces = {id(box): replace(self.space(standing.base), solids=Solids([box])) for box in self.goal.loose}
        return [
            box
            for box in self.goal.loose
            if any(spaces[id(box)].clearance(q) < TIGHT for q in way)
            or (path is None and not self.fixed and box.distance(standing.base.xy) < radius)
        ]

    # ------------------------------------------------------------ coming and going

    def come_to(self, standing: StandingPlace) -> Motion:
        """Drive to a standing with the arm raised on the last stretch."""
        pose = standing.base
        direction = np.array([np.cos(pose.yaw), np.sin(pose.yaw)])
        approach_point = pose.xy - BACK_OFF * direction
        is_near = np.linalg.norm(pose.xy - self.base.xy) < THERE and abs(wrap(pose.yaw - self.base.yaw)) < 0.05
        if not is_near:
            yield from self.tuck()
            self.ready = standing.ready
            torso = self.ready[: self.chain.torso]
            if Reachable.of(self.costs, self.base)(approach_point):
                yield from self.navigate(approach_point, pose.yaw, torso=torso)
                forward = self.straight(float((pose.xy - self.base.xy) @ direction), line=pose)
                way = self.way_to(self.ready)
                if way is not None and self._clear_on(way, (approach_point + pose.xy) / 2, pose.xy):
                    yield from self.together(forward, self.follow_joints(way))
                else:
                    yield from self.raise_arm()
                    yield from forward
                yield from self.turn(pose.yaw)
                return
            yield from self.navigate(pose.xy, pose.yaw, torso=torso)
        self.ready = standing.ready
        yield from self.raise_arm()

    def _clear_on(self, way: Sequence[Array], *places: Array) -> bool:
        """Whether a path of the arm is also clear with the base at other places (2,)."""
        postures = [q for a, b in zip([self.q, *way], way, strict=False) for q in self.joints.between(a, b)]
        spaces = (self.space(Pose2(float(xy[0]), float(xy[1]), self.base.yaw)) for xy in places)
        return all(self.clear(space, postures, 0.0) for space in spaces)

    def raise_arm(self) -> Motion:
        """Move to the raised posture of the standing."""
        if not self.at(self.ready):
            yield from self.fold(self.ready)

    def withdraw(self, *poses: Pose) -> Motion:
        """Withdraw the hand along straight lines, as far as the arm can."""
        for pose in poses:
            is_complete = yield from self._move_toward(pose)
            if not is_complete:
                return

    def _move_toward(self, pose: Pose) -> Motion:
        """Move the hand straight to a pose, or as much of the way as the arm can. Returns whether it was all of it."""
        begin, speed = self.gripper_pose().position, LOADED if self.seen.body.holding else EMPTY
        for part in (1.0, 0.6, 0.3):
            partial_pose = Pose(begin + part * (pose.position - begin), pose.rotation)
            path = self.line_joints(self.q, partial_pose)
            if path is not None:
                yield from self.along(path, partial_pose, speed=speed)
                return part == 1.0
        return False

    def leave(self) -> Motion:
        """Back away from where the robot stands and tuck the arm, at the same time if possible."""
        heading = np.array([np.cos(self.base.yaw), np.sin(self.base.yaw)])
        room = next((d for d in AWAY if self._clear_behind(d)), 0.0)
        places = [self.base.xy - part * room * heading for part in (0.25, 0.5, 0.75, 1.0)]
        way = self.way_to(self.travelling)
        if room and way is not None and self._clear_on(way, places[1], places[3]):
            yield from self.together(self.straight(-room), self.follow_joints(way))
            return
        if room and self._arm_stays_clear(places):  # first away, then fold: no swing beside the workplace
            yield from self.straight(-room)
            yield from self.tuck()
            return
        yield from self.fold(self.ready)
        if room:
            yield from self.straight(-room)
        yield from self.tuck()

    def _arm_stays_clear(self, places: Sequence[Array]) -> bool:
        """Whether the arm in its current posture comes no nearer to obstacles with the base at other places (2,)."""
        q, min_clearance = self.q, min(0.0, self.space().clearance(self.q))
        spaces = (self.space(Pose2(float(xy[0]), float(xy[1]), self.base.yaw)) for xy in places)
        return all(space.clearance(q) >= min_clearance for space in spaces)

    def _clear_behind(self, distance: float) -> bool:
        room = self.spec.footprint_radius + 0.02
        return not self.fixed and self.clearance_ahead(self.base, -distance) >= room

    # ------------------------------------------------------------ the hand

    def release(self, extra_width: float = np.inf) -> Motion:
        """Open the hand, fully or by `extra_width` metres. Raises Stuck if it still holds the object."""
        yield from self.gripper(min(self.spec.gripper_max, self.seen.body.gripper + extra_width))
        yield from self.wait(0.12)
        if self.seen.body.holding:
            raise Stuck(FailureReason.HAND_KEEPS)

    def squeeze(self) -> Motion:
        """Close the hand until it holds something or is shut."""
        for _ in range(int(2.0 / self.spec.period)):
            yield self.spec.grip(0.0)
            body = self.seen.body
            if body.holding or body.gripper < 0.004:
                break
        yield from self.wait(0.2)

    # ------------------------------------------------------------ getting free

    def recovery(self) -> Motion:
        """Leave the place where the robot is stuck, on the path that it came, into the travelling posture."""
        if self.at(self.travelling, 0.2):
            return
        with suppress(Stuck):
            yield from self.leave()
            return
        yield from self.back_out()
        yield from self.straight(-0.25, speed=0.2, seconds=3.0)
        yield from self.tuck()

    def back_out(self) -> Motion:
        """Move the arm back along its path since the base has stood here."""
        way = self.hand.came[::-1]
        with suppress(Stuck):
            yield from self.follow_joints(way, speed=0.5)

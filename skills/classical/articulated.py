"""Shared base of Open and Close: move a handle or push a panel along the arc of its hinge or the line of its slide."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from homie.kernel.interfaces import Kinematics, kind_of
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Articulation, Box, FailureReason, Pose, Pose2
from homie.kernel.world.furniture import opens_otherwise
from skills.classical.pulls import (
    ENTRY,
    Pull,
    Wrist,
    handle_box,
    is_flap,
    move_back,
    moved_boxes,
    on_sweep,
    plan_pull,
    wrists_for,
)
from skills.motion.arm_path_search import ArmSpace
from skills.motion.collision import FREE, PLANNED, TOUCH, Solids, without
from skills.motion.held_object import Hand
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, merge_commands, time_path
from skills.motion.standing_places import COST_DIGITS, Reachable, StandingPlace, same_place, solve_sequence

OUTSIDE = 0.15
"""Minimum distance (m) of the base from the panel on its outer side, so that the arm need not reach around it."""

LEADING = 0.7
"""Fraction of the maximum joint speeds used to move a door: slower than free motion, since the door has mass."""

LEG = 0.08
"""Minimum duration (s) of one segment of a door's path."""

HANDLE_OPENING = 0.06
"""Finger opening around a handle bar, m: a fully open finger would touch the panel behind it."""

IN_PANEL = -0.06
"""Lowest allowed clearance (m) to the panel that the hand pushes: the coarse collision shape of the hand overlaps
it."""

FIRM_LEG = 0.4
"""Minimum duration (s) of a segment for a mounted arm: at 10 cm/s its fingers keep hold of the handles of LIBERO's
drawers, at 40 cm/s they slip off after 4 cm."""

MAX_OPTIONS = 200
"""Maximum number of base poses and pulls considered for one end position."""

QUICK, ENOUGH = 5.0, 8
"""Arm motion time (s) of a pull below which no quicker one is searched for, and the number of feasible pulls compared
otherwise."""

FAR_READY = 3.5
"""Extra seconds to raise the arm on the other side instead of the usual one."""

LOOK = 1.2
"""Seconds within which the goal is updated from new camera images."""

LOOKED_OVER, FURTHER_BACK = (0.2, 0.8, -0.5), 0.35
"""Heights at which a front is searched for a handle, as shares of its half height from its middle, and distance (m) by
which the robot then backs off: the whole front is in view from there."""

NEARER = 0.03
"""Preferred extra distance (m) of the handle at the start of a pull, compared with the middle of its path."""

MAX_PULLS = 4
"""Maximum number of base placements for one opening or closing."""

MAX_PLACES = 3
"""Maximum number of base placements driven to before a pull: it may be infeasible where the robot stops slightly off
the planned pose."""

ASIDE = 0.01
"""Additional penetration (m) tolerated for the coarse collision shape of the arm where the robot stopped slightly off
the planned pose."""

TWICE = 2
"""Failures after which a base placement is not tried again; after the first one other placements are preferred."""

AFAR = 1.6
"""Distance (m) from base to handle beyond which the robot looks at the handle again after arriving: from there a pixel
is 1 cm wide, half the width of a handle bar."""

ELSEWHERE = 0.01
"""Distance (m) between planned and observed handle from which the pull is replanned for the observed one."""

MOVED = 0.05
"""Fraction of its range by which a pull must move a door or a drawer to count as useful."""


class MoveArticulation(Manipulation):
    """Moves a door or a drawer with the hand to an end position, from one or more base placements."""

    max_seconds = 145.0
    sides: tuple[float, ...] = (OUTSIDE,)
    """Minimum distances (m) of the base outside the panel; the later ones are used where nothing else is possible."""

    @abstractmethod
    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        """Joint positions to aim for, best first; the later ones are intermediate stops."""

    @abstractmethod
    def is_done(self, articulation: Articulation) -> bool:
        """Whether it has moved far enough."""

    def wide(self, articulation: Articulation) -> bool:
        """Whether nothing would be gained by moving it further."""
        return self.is_done(articulation)

    @abstractmethod
    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        """Positions of the gripper frame at first contact, (3,) each, best first."""

    def wrists(self, articulation: Articulation) -> Sequence[Wrist]:
        """Ways to hold it, the most natural first."""
        return wrists_for(articulation, fixed=self.fixed)

    @abstractmethod
    def grasps_handle(self, articulation: Articulation) -> bool:
        """Whether the hand grasps the handle; otherwise it pushes the panel with closed fingers."""

    @abstractmethod
    def pick_articulation(self) -> Articulation:
        """The door or drawer to move."""

    @property
    def opening(self) -> float:
        """Gripper opening during the approach, m."""
        return HANDLE_OPENING if self.grasps_handle(self.pick_articulation()) else 0.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics, hand)
        self._failed_bases: list[Pose2] = []
        self._target = ""
        self._failed_search: tuple[Pose2, float, NotRetryable] | None = None
        """Base pose and joint position for which no pull was found, and the error: searching again there would fail
        too."""

    def routine(self) -> Motion:
        if self.goal.name != self._target:
            self._target, self._failed_bases, self._failed_search = self.goal.name, [], None
        yield from self._find_handle()
        if self.seen.body.holding:  # the handle, after an aborted attempt
            yield from self.let_go()
        if self.wide(self.pick_articulation()):  # nothing to do, unless a closer look says otherwise
            yield from self.look_at(self.pick_articulation().handle)
            yield from self.wait(LOOK)
        for _ in range(MAX_PULLS):
            articulation = self.pick_articulation()
            if self.wide(articulation):
                return
            try:
                yield from self._pull(articulation)
            except Stuck:
                if not self.is_done(self.pick_articulation()):
                    raise
                yield from self.recovery()
                break
        if not self.is_done(self.pick_articulation()):
            raise Stuck(
                FailureReason.NOT_MOVED_ENOUGH, opening=self.pick_articulation().opening, range=articulation.range
            )

    def _find_handle(self) -> Motion:
        """Look over the front from here, then from further back, until camera images show how it opens."""
        box = self.goal.box
        if box is None or opens_otherwise(kind_of(self.goal.name)):
            return
        for distance in (0.0, FURTHER_BACK):
            if self.goal.articulations or (distance and not self._clear_behind(distance)):
                return
            yield from self.straight(-distance)
            for height in LOOKED_OVER:
                yield from self.look_at(box.center + height * box.half * np.array([0.0, 0.0, 1.0]))
                yield from self.wait(LOOK)
                if self.goal.articulations:
                    return

    def _pull(self, articulation: Articulation) -> Motion:
        """Pull once: move the handle as far as the arm can from one base placement."""
        pull, joints = yield from self._come_to_handle(articulation)
        start_base = self.base
        self._failed_bases.append(start_base)
        yield from self.together(self.reach(joints[0]), self.gripper(self.opening), self.look_at(articulation.handle))
        yield from self.touch(pull, joints[1])
        yield from self.grip(pull)
        yield from self._lead(list(joints[2:-1]))
        yield from self.let_go()
        yield from self.withdraw(self.retreat_pose())
        # The check of success uses camera images, so the handle must be in view.
        yield from self.together(self.leave(), self.look_at(self.pick_articulation().handle))
        if abs(self.pick_articulation().opening - articulation.opening) >= MOVED * articulation.range:
            self._failed_bases.remove(start_base)

    def _come_to_handle(self, articulation: Articulation) -> Motion:
        """Drive to where the handle can be moved. Returns the pull and its joint values for the currently observed
        handle; raises Stuck if every tried base placement fails."""
        for _ in range(MAX_PLACES):
            standing, pull = self._choose(articulation)
            from_afar = float(np.linalg.norm(articulation.handle[:2] - self.base.xy)) > AFAR
            yield from self.come_to(standing)
            if from_afar:
                yield from self.look_at(articulation.handle)
                yield from self.wait(LOOK)
            end, planned = articulation.opening + pull.moved[-1], articulation
            articulation = self.pick_articulation()
            pulls = [pull, *self._pulls(articulation, end)]
            solution = self._pull_from_current_base(
                articulation, pulls if _is_near_plan(articulation, planned) else pulls[1:], standing
            )
            if solution is not None:
                return solution
            self._failed_bases.append(self.base)
        raise Stuck(FailureReason.HANDLE_OUT_OF_REACH)

    def _pull_from_current_base(
        self, articulation: Articulation, pulls: Sequence[Pull], standing: StandingPlace
    ) -> tuple[Pull, tuple[Array, ...]] | None:
        """Return the first pull that is feasible from the current base pose, with its joint values, or None."""
        # Start from the planned posture, then from the raised one: slightly off the planned place another elbow path
        # may be shorter, and that path has not been checked.
        for pull in pulls:
            for begin in (standing.joints[0], standing.ready):
                joints = self._solve_pull(self.base, pull, begin)
                if joints is None:
                    continue
                current_standing = StandingPlace(self.base, joints, self.ready)
                if not self._leads_clear(current_standing, pull, articulation, TOUCH - ASIDE):
                    continue
                if self._margin(current_standing) >= 2 * TOUCH or self.way_around(current_standing):
                    return pull, joints
        return None

    def _pulls(self, articulation: Articulation, end: float) -> list[Pull]:
        """Return possible pulls of the handle to joint position `end`, the most natural first."""
        inward = float(np.arctan2(-articulation.outward[1], -articulation.outward[0]))
        touches, wrists = self.contacts(articulation), self.wrists(articulation)
        return [plan_pull(articulation, touch, end, wrist, inward) for touch in touches for wrist in wrists]

    def touch(self, pull: Pull, posture: Array) -> Motion:
        """Move from before the handle or panel to first contact, in a straight line if the arm can."""
        path = self.line_joints(self.q, pull.poses[0]) or [posture]
        yield from self.along(path, pull.poses[0], speed=0.12)

    def grip(self, pull: Pull) -> Motion:
        """Grasp the handle after first contact; do nothing if the hand pushes."""
        if not self.grasps_handle(self.pick_articulation()):
            return
        yield from self.squeeze()
        if not self.seen.body.holding:
            yield from self.gripper(self.opening)
            yield from self.withdraw(pull.before)
            raise Stuck(FailureReason.HANDLE_MISSED)

    def retreat_pose(self) -> Pose:
        """Return the gripper pose moved back along its fingers by `ENTRY` metres."""
        return move_back(self.gripper_pose(), ENTRY)

    def space(self, base: Pose2 | None = None, *more: Box | None) -> ArmSpace:
        """Add doors and drawers in their current positions, which the goal's solids leave out, to the usual
        obstacles."""
        moving = self.goal.articulations
        panels = (box for part in moving for box in (moved_boxes(part) if is_flap(part) else (part.panel,)))
        return super().space(base, *panels, *(handle_box(part) for part in moving), *more)

    def let_go(self) -> Motion:
        """Open the hand until it has released the handle; fully if a partial opening is not enough."""
        yield from self.gripper(self.opening)
        yield from self.wait(0.1)
        if self.seen.body.holding:
            yield from self.release()

    def recovery(self) -> Motion:
        if self.seen.body.holding:
            with suppress(Stuck):
                yield from self.let_go()
            yield from self.withdraw(self.retreat_pose())
        yield from super().recovery()

    def _lead(self, path: Sequence[Array]) -> Motion:
        """Follow the joint path with closed fingers, at the reduced speeds for a door."""
        speeds = LEADING * self.chain.speeds
        min_duration = FIRM_LEG if self.fixed else LEG
        for q in time_path(self.chain, self.q, path, speeds, self.spec.period, least=min_duration):
            yield merge_commands([self.chain.command(q), self.spec.grip(0.0)])
        yield from self.wait(0.3)

    def _choose(self, articulation: Articulation) -> tuple[StandingPlace, Pull]:
        """Return the cheapest collision-free pull to the best end position, or else the one with the least contact.

        Raises NotRetryable naming the obstacles.
        """
        if self._failed_search is not None:
            base, opening, failure = self._failed_search
            if same_place(base, self.base) and abs(opening - articulation.opening) < 0.02:
                raise failure
        chosen = self._best_pull(articulation)
        if chosen is not None:
            return chosen
        with self.temporary_goal(without(self.goal, self.goal.loose)):
            unhindered = self._best_pull(articulation)
        blocked = None if unhindered is None else self.blockers(unhindered[0])
        out_of_reach = self.fixed and not blocked
        reason = FailureReason.HANDLE_OUT_OF_REACH if out_of_reach else FailureReason.NO_PLACE_TO_OPEN
        failure = NotRetryable(reason, blockers=blocked)
        self._failed_search = self.base, articulation.opening, failure
        raise failure

    def _best_pull(self, articulation: Articulation) -> tuple[StandingPlace, Pull] | None:
        floor = self.reachable_floor()
        blocked_options: list[tuple[float, StandingPlace, Pull]] = []
        for outside in self.sides:
            closest: list[tuple[float, StandingPlace, Pull]] = []
            for end in self.ends(articulation):
                best_option: tuple[float, StandingPlace, Pull] | None = None
                quickest: tuple[float, StandingPlace, Pull] | None = None
                candidate_count = 0
                for base, pull in self._options(articulation, end, floor, outside):
                    for ready in self.readies:
                        standing = self._standing(base, pull, ready)
                        if standing is None or not self._leads_clear(standing, pull, articulation):
                            continue
                        margin = self._margin(standing)
                        if margin >= FREE:
                            candidate_count += 1
                            seconds = self._seconds(standing)
                            if quickest is None or seconds < quickest[0]:
                                quickest = seconds, standing, pull
                        elif best_option is None or margin > best_option[0]:
                            best_option = margin, standing, pull
                    if quickest is not None and (quickest[0] < QUICK or candidate_count >= ENOUGH):
                        break
                if quickest is not None:
                    return quickest[1:]
                closest += [best_option] if best_option is not None else []
            for margin, standing, pull in closest:
                if margin >= TOUCH:
                    return standing, pull
            blocked_options += closest
        by_detour = (option[1:] for option in blocked_options if self.way_around(option[1]))
        return next(by_detour, None)

    def _standing(self, base: Pose2, pull: Pull, ready: Array) -> StandingPlace | None:
        """Return the joint values of a pull, or None if it is infeasible. Checks the far ends first: they fail most
        often."""
        probes = (pull.before, pull.poses[0], pull.poses[len(pull.poses) // 2], pull.poses[-1], pull.after)
        if solve_sequence(self.kinematics, base, probes, ready, max_jump=3.0) is None:
            return None
        joints = self._solve_pull(base, pull, ready)
        return None if joints is None else StandingPlace(base, joints, ready)

    def _solve_pull(self, base: Pose2, pull: Pull, begin: Array) -> tuple[Array, ...] | None:
        """Return joint values before, along and after a pull, with the slow torso at rest if possible."""
        poses = (pull.before, *pull.poses, pull.after)
        ways = (
            solve_sequence(self.kinematics, base, poses, begin, max_jump=1.2, locked_torso=locked)
            for locked in (True, False)
        )
        return next((joints for joints in ways if joints is not None), None)

    def _seconds(self, standing: StandingPlace) -> float:
        """Estimate the arm's time (s) for a pull from the raised posture, from its joint speed limits alone."""
        steps = np.abs(np.diff(self.joints.unroll([standing.ready, *standing.joints]), axis=0)) / self.chain.speeds
        return float(steps.max(axis=1).sum()) + (0.0 if standing.ready is self.readies[0] else FAR_READY)

    def _leads_clear(
        self, standing: StandingPlace, pull: Pull, articulation: Articulation, clearance: float = TOUCH
    ) -> bool:
        """Whether the arm keeps `clearance` metres from all other obstacles while it moves the handle."""
        static_space = super().space(standing.base)
        for posture, opening in zip(standing.joints[1:-1], pull.moved, strict=True):
            # The hand touches the panel that it moves; the rest of the arm may not be in it.
            if static_space.clearance(posture) < clearance:
                return False
            if articulation.panel is not None:
                panel = replace(static_space, solids=Solids(moved_boxes(articulation, opening)))
                if panel.clearance(posture) < IN_PANEL:
                    return False
        return True

    def _margin(self, standing: StandingPlace) -> float:
        """Return the arm's clearance (m) on the direct path to the handle past the panel, capped at `PLANNED`."""
        space = self.space(standing.base)
        way = self.joints.between(standing.ready, standing.joints[0])
        return min(PLANNED, *(space.clearance(q) for q in way))

    def _options(
        self, articulation: Articulation, end: float, floor: Reachable | None, outside: float
    ) -> Iterator[tuple[Pose2, Pull]]:
        """Yield base poses and pulls, cheapest first; without a floor, pulls from where the robot is mounted."""
        options: list[tuple[float, int, Pose2, Pull]] = []
        if floor is None:
            if sum(same_place(self.base, place) for place in self._failed_bases) < TWICE:
                yield from ((self.base, pull) for pull in self._pulls(articulation, end))
            return
        span, reach = end - articulation.opening, self.spec.reach
        for pull in self._pulls(articulation, end):
            first, last = pull.poses[0].position, pull.poses[-1].position
            middle = (first[:2] + last[:2]) / 2
            swept = np.array([pose.position[:2] for pose in pull.poses])
            for angle in np.linspace(-np.pi, np.pi, 24, endpoint=False):
                for distance in sorted(reach.handles):
                    xy = middle + distance * np.array([np.cos(angle), np.sin(angle)])
                    if not floor(xy) or np.min(np.linalg.norm(swept - xy, axis=1)) < 0.42:
                        continue
                    front = articulation.axis_point if is_flap(articulation) else first
                    if float((xy - front[:2]) @ articulation.outward[:2]) < outside:
                        continue
                    if articulation.kind == "hinge" and on_sweep(articulation, xy, span):
                        continue
                    for lean in (0.0, 0.4, -0.4):
                        yaw = float(np.arctan2(*(middle - xy)[::-1])) - reach.aside + lean
                        cost = (
                            0.3 * abs(distance - reach.handles[0])
                            + 0.2 * float(np.linalg.norm(xy - self.base.xy))
                            + 0.2 * abs(pull.slant)
                            + 0.1 * abs(lean)
                            + 0.15 * abs(float(np.linalg.norm(first[:2] - xy)) - (reach.handles[0] + NEARER))
                        )
                        base = Pose2(float(xy[0]), float(xy[1]), yaw)
                        failures = sum(same_place(base, place) for place in self._failed_bases)
                        if failures >= TWICE:
                            continue
                        options.append((round(cost, COST_DIGITS) + failures, len(options), base, pull))
        options.sort(key=lambda option: option[:2])
        yield from ((base, pull) for _, _, base, pull in options[:MAX_OPTIONS])


def _is_near_plan(current: Articulation, planned: Articulation) -> bool:
    """Whether a handle is observed near the position that a pull was planned for."""
    return float(np.linalg.norm(current.handle - planned.handle)) < ELSEWHERE

"""What Open and Close share: lead a handle, or push a panel, along the arc of the hinge or the line of the slide."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Articulation, Box, FailureReason, Pose, Pose2
from skills.classical.pulls import (
    ENTRY,
    Pull,
    Wrist,
    backed,
    handle_box,
    moved_boxes,
    on_sweep,
    plan_pull,
    turns_level,
    wrists_for,
)
from skills.motion.arm_path_search import ArmSpace
from skills.motion.collision import FREE, PLANNED, TOUCH, Solids, without
from skills.motion.held_object import Hand
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, merged, timed
from skills.motion.standing_places import COST_DIGITS, Reachable, Standing, same_place, solve_sequence

OUTSIDE = 0.15
"""Metres that the base stands on the outer side of the panel at least, so that the arm need not reach round it."""

LEADING = 0.7
"""Share of the largest joint speeds at which a door is led: slower than the arm moves freely, since it has a mass."""

LEG = 0.08
"""Seconds that a leg of a door's way takes at least."""

HANDLE_OPENING = 0.06
"""Opening of the fingers around a bar, m: a fully open finger would touch the panel behind it."""

IN_PANEL = -0.06
"""How deep (m) the rough shape of the hand is in the panel that it pushes."""

FIRM_LEG = 0.4
"""The same for a mounted arm: at 10 cm/s its fingers keep the handles of LIBERO's drawers, at 40 cm/s they slip off
after 4 cm."""

MAX_OPTIONS = 200
"""Ways to stand and pull that are weighed for one end position."""

QUICK, ENOUGH = 5.0, 8
"""Seconds of arm motion for a pull with which no quicker one is looked for, and how many pulls are looked at else."""

FAR_READY = 3.5
"""Seconds that it takes longer to raise the arm on the other side than the usual one."""

LOOK = 1.2
"""Seconds in which a goal is made anew from what the robot sees."""

NEARER = 0.03
"""Metres further away than the middle of its way that a handle is liked at the beginning of a pull."""

MAX_PULLS = 4
"""Places to stand that one opening or closing may take."""

MAX_PLACES = 3
"""Places to stand that are driven to before a pull: it may not be possible where the robot comes to stand a little
aside."""

ASIDE = 0.01
"""How much deeper (m) than planned the rough shape of the arm may be in things, where the robot stands a little
aside."""

TWICE = 2
"""Failures from which a place to stand is not tried again; after the first one others come before it."""

AFAR = 1.6
"""Metres from the base to a handle from which the robot looks at it again once it stands before it: from there a pixel
is 1 cm wide, half as much as a bar."""

ELSEWHERE = 0.01
"""Metres that a handle is seen elsewhere than was planned with, from which the hand goes where it is seen."""

MOVED = 0.05
"""Share of its range that a pull must move a door or a drawer, so as not to have been in vain."""


class MoveArticulation(Manipulation):
    """Moves a door or a drawer with the hand from where it is to an end position, from one or more places to stand."""

    max_seconds = 145.0
    sides: tuple[float, ...] = (OUTSIDE,)
    """How far outside of the panel the base stands at least, m; the later ones where nothing else is possible."""

    @abstractmethod
    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        """Joint positions to aim for, best first; the later ones are ways there."""

    @abstractmethod
    def done(self, articulation: Articulation) -> bool:
        """Whether it has moved far enough."""

    def wide(self, articulation: Articulation) -> bool:
        """Whether nothing would be gained by moving it further."""
        return self.done(articulation)

    @abstractmethod
    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        """Where the gripper frame may be when the hand touches, (3,) each, best first."""

    def wrists(self, articulation: Articulation) -> Sequence[Wrist]:
        """Ways to hold it, the most natural first."""
        return wrists_for(articulation, fixed=self.fixed)

    @abstractmethod
    def leads(self, articulation: Articulation) -> bool:
        """Whether the hand takes the handle to move it, or pushes it while it is closed."""

    @abstractmethod
    def pick_articulation(self) -> Articulation:
        """The door or drawer to move."""

    @property
    def opening(self) -> float:
        """Width of the gripper on the way to the touch, m."""
        return HANDLE_OPENING if self.leads(self.pick_articulation()) else 0.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics, hand)
        self._useless: list[Pose2] = []
        self._target = ""
        self._exhausted: tuple[Pose2, float, NotRetryable] | None = None
        """Where the base stood, how open it was when no way was found, and why: from there none will be."""

    def routine(self) -> Motion:
        if self.goal.name != self._target:
            self._target, self._useless, self._exhausted = self.goal.name, [], None
        if self.seen.body.holding:  # the handle, after an attempt that was broken off
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
                if not self.done(self.pick_articulation()):
                    raise
                yield from self.recovery()
                break
        if not self.done(self.pick_articulation()):
            raise Stuck(
                FailureReason.NOT_MOVED_ENOUGH, opening=self.pick_articulation().opening, range=articulation.range
            )

    def _pull(self, articulation: Articulation) -> Motion:
        """One pull: from where the handle is as far as the arm leads it from one place to stand."""
        pull, joints = yield from self._come_to_handle(articulation)
        start_base = self.base
        self._useless.append(start_base)
        yield from self.together(self.reach(joints[0]), self.gripper(self.opening), self.look_at(articulation.handle))
        yield from self.touch(pull, joints[1])
        yield from self.grip(pull)
        yield from self._lead(list(joints[2:-1]))
        yield from self.let_go()
        yield from self.withdraw(self.gripper_backed())
        # Whoever judges by what is seen has to see it.
        yield from self.together(self.leave(), self.look_at(self.pick_articulation().handle))
        if abs(self.pick_articulation().opening - articulation.opening) >= MOVED * articulation.range:
            self._useless.remove(start_base)

    def _come_to_handle(self, articulation: Articulation) -> Motion:
        """Drive to where the handle can be led; returns the pull and the joint values for it, for where the handle is
        seen now. Raises Stuck if it cannot be led from any place that was tried."""
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
            self._useless.append(self.base)
        raise Stuck(FailureReason.HANDLE_OUT_OF_REACH)

    def _pull_from_current_base(
        self, articulation: Articulation, pulls: Sequence[Pull], standing: Standing
    ) -> tuple[Pull, tuple[Array, ...]] | None:
        """The first of some pulls that can be done from where the robot has come to stand; None if there is none."""
        # From the planned posture first, not from the raised one: a little beside the planned place another way for the
        # elbow may be shorter, and that way has not been looked at.
        for pull in pulls:
            for begin in (standing.joints[0], standing.ready):
                joints = self._led(self.base, pull, begin)
                if joints is None:
                    continue
                current_standing = Standing(self.base, joints, self.ready)
                if not self._leads_clear(current_standing, pull, articulation, TOUCH - ASIDE):
                    continue
                if self._margin(current_standing) >= 2 * TOUCH or self.way_around(current_standing):
                    return pull, joints
        return None

    def _pulls(self, articulation: Articulation, end: float) -> list[Pull]:
        """The ways that the hand may lead the handle to an end, the most natural first."""
        inward = float(np.arctan2(-articulation.outward[1], -articulation.outward[0]))
        touches, wrists = self.contacts(articulation), self.wrists(articulation)
        return [plan_pull(articulation, touch, end, wrist, inward) for touch in touches for wrist in wrists]

    def touch(self, pull: Pull, posture: Array) -> Motion:
        """From before the handle or the panel to the first touch, in a straight line where the arm has one."""
        path = self.line_joints(self.q, pull.poses[0]) or [posture]
        yield from self.along(path, pull.poses[0], speed=0.12)

    def grip(self, pull: Pull) -> Motion:
        """Take hold after the first touch; nothing where the hand pushes."""
        if not self.leads(self.pick_articulation()):
            return
        yield from self.squeeze()
        if not self.seen.body.holding:
            yield from self.gripper(self.opening)
            yield from self.withdraw(pull.before)
            raise Stuck(FailureReason.HANDLE_MISSED)

    def gripper_backed(self) -> Pose:
        """Where the gripper is, `ENTRY` metres back along its fingers."""
        return backed(self.gripper_pose(), ENTRY)

    def space(self, base: Pose2 | None = None, *more: Box | None) -> ArmSpace:
        """As for other skills; doors and drawers, which the goal's solids leave out, are in the way as they stand."""
        moving = self.goal.articulations
        panels = (box for part in moving for box in (moved_boxes(part) if turns_level(part) else (part.panel,)))
        return super().space(base, *panels, *(handle_box(part) for part in moving), *more)

    def let_go(self) -> Motion:
        """Open the hand so far that it has left the handle; all the way where that is not enough."""
        yield from self.gripper(self.opening)
        yield from self.wait(0.1)
        if self.seen.body.holding:
            yield from self.release()

    def recovery(self) -> Motion:
        if self.seen.body.holding:
            with suppress(Stuck):
                yield from self.let_go()
            yield from self.withdraw(self.gripper_backed())
        yield from super().recovery()

    def _lead(self, path: Sequence[Array]) -> Motion:
        """Follow the joint path with the fingers closed; the door decides how fast that goes."""
        speeds = LEADING * self.chain.speeds
        min_duration = FIRM_LEG if self.fixed else LEG
        for q in timed(self.chain, self.q, path, speeds, self.spec.period, least=min_duration):
            yield merged([self.chain.command(q), self.spec.grip(0.0)])
        yield from self.wait(0.3)

    def _choose(self, articulation: Articulation) -> tuple[Standing, Pull]:
        """The cheapest way to the best end that keeps clear of things; if there is none, the one that touches least.

        Raises NotRetryable with what is in the way.
        """
        if self._exhausted is not None:
            base, opening, failure = self._exhausted
            if same_place(base, self.base) and abs(opening - articulation.opening) < 0.02:
                raise failure
        chosen = self._best(articulation)
        if chosen is not None:
            return chosen
        with self.supposing(without(self.goal, self.goal.loose)):
            unhindered = self._best(articulation)
        blocked = None if unhindered is None else self.blockers(unhindered[0])
        never = self.fixed and not blocked
        reason = FailureReason.HANDLE_OUT_OF_REACH if never else FailureReason.NO_PLACE_TO_OPEN
        failure = NotRetryable(reason, blockers=blocked)
        self._exhausted = self.base, articulation.opening, failure
        raise failure

    def _best(self, articulation: Articulation) -> tuple[Standing, Pull] | None:
        floor = self.reachable_floor()
        hidden: list[tuple[float, Standing, Pull]] = []
        for outside in self.sides:
            closest: list[tuple[float, Standing, Pull]] = []
            for end in self.ends(articulation):
                best_option: tuple[float, Standing, Pull] | None = None
                quickest: tuple[float, Standing, Pull] | None = None
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
            hidden += closest
        by_detour = (option[1:] for option in hidden if self.way_around(option[1]))
        return next(by_detour, None)

    def _standing(self, base: Pose2, pull: Pull, ready: Array) -> Standing | None:
        """The joint values of a pull, if it can be done. The far ends are tried first: they fail most."""
        probes = (pull.before, pull.poses[0], pull.poses[len(pull.poses) // 2], pull.poses[-1], pull.after)
        if solve_sequence(self.kinematics, base, probes, ready, max_jump=3.0) is None:
            return None
        joints = self._led(base, pull, ready)
        return None if joints is None else Standing(base, joints, ready)

    def _led(self, base: Pose2, pull: Pull, begin: Array) -> tuple[Array, ...] | None:
        """Joint values before, along and after a pull, with the slow torso at rest where that can be."""
        poses = (pull.before, *pull.poses, pull.after)
        ways = (
            solve_sequence(self.kinematics, base, poses, begin, max_jump=1.2, locked_torso=locked)
            for locked in (True, False)
        )
        return next((joints for joints in ways if joints is not None), None)

    def _seconds(self, standing: Standing) -> float:
        """How long the arm takes for a pull from the raised posture, as far as its own speeds decide."""
        steps = np.abs(np.diff(self.joints.unrolled([standing.ready, *standing.joints]), axis=0)) / self.chain.speeds
        return float(steps.max(axis=1).sum()) + (0.0 if standing.ready is self.readies[0] else FAR_READY)

    def _leads_clear(
        self, standing: Standing, pull: Pull, articulation: Articulation, clearance: float = TOUCH
    ) -> bool:
        """Whether the arm keeps `clearance` metres from the rest of the things while it leads the handle."""
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

    def _margin(self, standing: Standing) -> float:
        """Metres that the arm keeps from things on the straight way to the handle past the panel, `PLANNED` at most."""
        space = self.space(standing.base)
        way = self.joints.between(standing.ready, standing.joints[0])
        return min(PLANNED, *(space.clearance(q) for q in way))

    def _options(
        self, articulation: Articulation, end: float, floor: Reachable | None, outside: float
    ) -> Iterator[tuple[Pose2, Pull]]:
        """Base poses and pulls, cheapest first; those from where the robot is mounted without a floor."""
        options: list[tuple[float, int, Pose2, Pull]] = []
        if floor is None:
            if sum(same_place(self.base, place) for place in self._useless) < TWICE:
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
                    front = articulation.axis_point if turns_level(articulation) else first
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
                        failures = sum(same_place(base, place) for place in self._useless)
                        if failures >= TWICE:
                            continue
                        options.append((round(cost, COST_DIGITS) + failures, len(options), base, pull))
        options.sort(key=lambda option: option[:2])
        yield from ((base, pull) for _, _, base, pull in options[:MAX_OPTIONS])


def _is_near_plan(current: Articulation, planned: Articulation) -> bool:
    """Whether a handle is seen where a pull was planned for."""
    return float(np.linalg.norm(current.handle - planned.handle)) < ELSEWHERE

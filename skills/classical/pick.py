"""Pick: choose a grasp and a place to stand for it, reach from above or through the front, close, lift, carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import (
    Array,
    Box,
    FailureReason,
    Goal,
    Observation,
    Pose,
    Pose2,
    Solid,
    Subtask,
    Surface,
    rotation_z,
)
from skills.classical.free_spots import half_depth
from skills.classical.grasp_candidates import DOWN, Grasp, Tool, grasps, palm_touches, touches
from skills.classical.overhang import drawings, find_pinch_grasps, level_grasp, lies_flat
from skills.classical.plate_grasps import blocked, find_scoop_grasps
from skills.classical.pull_over_edge import draw
from skills.motion.arm_path_search import ArmSpace
from skills.motion.collision import FREE, TOUCH, Solids, without
from skills.motion.held_object import Hand
from skills.motion.manipulation import AROUND, AWAY, Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, gripper_rotation, wrap
from skills.motion.standing_places import Option, StandingPlace, same_place

HOVER = 0.13
"""Distance (m) before the grasp where the straight approach begins."""

LIFT = 0.12

APPROACH = 0.15
"""Speed (m/s) of the hand towards an object."""

FAILED_BEFORE = 1.0
"""Cost of a grasp similar to one that closed on nothing in an earlier attempt, or of a base placement that failed."""

MOUNTED = 1.0
"""Cost per rad by which the hand of an arm without a base does not point straight down: it works over a table."""

DRAWS = 3
"""Maximum number of pulls of an object towards an edge: the fingers slip on it."""

SEEN_AGAIN = 1.0
"""Seconds after which the new pose of a moved object has been observed."""

SLIPS = 2
"""Slips out of the hand after which the skill reports that the hand cannot hold the object."""

PUSHED = 0.5
"""Cost of a grasp for which a finger pushes the contents of the object aside."""

SUNK = 0.012
"""Minimum depth (m) below an object's upper edge of the underside of its contents; what stands on top of it is
higher."""

RIM = 0.02
"""Margin (m) all round by which contents are smaller than the object, so that a finger fits over its rim: not a bowl in
a bowl."""

BESIDE = 0.1
"""Distance (m) around an object within which the fingers may hit its neighbours."""

TURNED = (0.0, 0.5, -0.5, 1.0, -1.0, 1.57, -1.57)
"""Angles (rad) by which the hand may be turned when it carries an object level, best first."""

STEEP = -0.999
"""Vertical component of the unit vector along the fingers below which they point straight down."""

GENTLY = 0.25
"""Speed (m/s) of the base while the held object has contents."""

SLIDING = 0.06
"""Speed (m/s) of a finger that slides under a rim."""

SLIDES_FROM = 0.06
"""Additional height (m) from which the hand descends beside a plate."""

FLATTEST_HAND = 0.5
"""Minimum pitch (rad) of a hand that holds a plate: a flatter hand is below the plate and cannot set it down."""

LOW = 0.65
"""Height (m) below which the arm approaches from further above, over chair backs and arm rests."""


class Pick(Manipulation):
    """Grasps a loose object and ends with the object over the robot's own base."""

    name = "classical/pick"
    actions = ("Pick",)

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics, hand)
        self._failed_grasps: list[Grasp] = []
        self._failed_bases: list[Pose2] = []
        self._slip_count = 0
        self._draw_count = 0
        self._target = ""
        self._contents: list[Box] = []
        self._parts_before_lift: tuple[Solid, ...] = ()

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().start(subtask, goal, observation)
        self.revise(goal)

    def revise(self, goal: Goal) -> None:
        self._contents = contents(goal)
        self.goal = without(goal, self._contents)

    def routine(self) -> Motion:
        if self.goal.name != self._target:
            self._target, self._failed_grasps, self._failed_bases, self._slip_count, self._draw_count = (
                self.goal.name,
                [],
                [],
                0,
                0,
            )
        if self.seen.body.holding:  # an object that the inventory does not list
            yield from self.release()
        grasp, standing = (yield from self._find_grasp()) or self._give_up()
        yield from self.come_to(standing)
        grasp, joints = self._regrasp_from_current_base(grasp, standing)
        self._failed_grasps.append(grasp)  # removed once the object is in the hand
        pre_grasp, lifted = self._pre_grasp(grasp), self._lift_pose(grasp)
        yield from self.together(self.reach(joints[0]), self.gripper(grasp.opening), self.look_at(self._box().center))
        if self._compartment() is not None and grasp.straight_down:
            yield from self.line(lifted, speed=APPROACH)
        if grasp.under:
            self._parts_before_lift = self.goal.parts
            yield from self.line(grasp.beside, speed=APPROACH)
        yield from self.line(grasp.pose, speed=SLIDING if grasp.under else APPROACH)
        yield from self.squeeze()
        outside = Pose(pre_grasp.position + np.array([0, 0, 0.03]), pre_grasp.rotation)
        if not self.seen.body.holding:
            yield from self.release()
            yield from self.withdraw(*((grasp.beside, pre_grasp) if grasp.under else (pre_grasp,)))
            raise Stuck(FailureReason.CLOSED_ON_NOTHING)
        self._failed_grasps.pop()
        if grasp.under:
            self.hand.take(self._box(), self.gripper_pose(), grasp.pitch, grasp.roll)
        else:
            self.hand.take(*level_grasp(self._box(), grasp, self.gripper_pose()), grasp.pitch)
        yield from self.withdraw(lifted, *((outside,) if self._compartment() is not None else ()))
        if grasp.under:
            yield from self._hold_level(grasp)
        if self._contents or grasp.under:
            self.hand.loose = bool(self._contents)
            yield from self._leave_level()
        else:
            yield from self.leave()
        if not self.seen.body.holding:
            self._failed_grasps.append(grasp)
            self._slip_count += 1
            if self._slip_count >= SLIPS:
                raise NotRetryable(FailureReason.CANNOT_HOLD, why="it has slipped out of the hand twice")
            raise Stuck(FailureReason.SLIPPED)
        self._slip_count = 0

    def _find_grasp(self) -> Motion:
        """Choose a grasp; an object that cannot be grasped where it lies is first pulled over the edge of its surface,
        where the fingers fit above and below it. Returns the grasp and the standing place for it, or None."""
        best = self._best_grasp()
        max_draws = 0 if self.fixed else DRAWS
        while (
            best is None
            and self._draw_count < max_draws
            and not standing_on(self.goal)
            and (surface := self._surface())
        ):
            if self._grasps() and not lies_flat(self.goal.parts):
                break
            self._draw_count += 1
            ways = drawings(self._box(), surface, (*self.goal.obstacles, *self.goal.solids))
            was_drawn = yield from draw(self, ways, self._compartment() is not None)
            if not was_drawn:
                break
            yield from self.wait(SEEN_AGAIN)
            best = self._best_grasp()
        return best

    def _hold_level(self, grasp: Grasp) -> Motion:
        """Pitch the hand up by the angle at which a held plate hangs down, if its parts are known."""
        if not self.goal.parts or not self._parts_before_lift:
            return
        yield from self.wait(SEEN_AGAIN)
        plate_normal = (self.goal.parts[0].pose.rotation @ self._parts_before_lift[0].pose.rotation.T)[:, 2]
        sag = float(
            np.arctan2(plate_normal[0] * np.cos(grasp.yaw) + plate_normal[1] * np.sin(grasp.yaw), plate_normal[2])
        )
        pitch = float(np.clip(grasp.pitch - sag, FLATTEST_HAND, grasp.pitch))
        yield from self.withdraw(Pose(self.gripper_pose().position, gripper_rotation(grasp.yaw, pitch, grasp.roll)))
        yield from self.wait(SEEN_AGAIN)
        self.hand.take(self._box(), self.gripper_pose(), pitch, grasp.roll)

    def _leave_level(self) -> Motion:
        """Back away with an object that must not tilt, and bring it in front of the robot without tilting it."""
        room = next((d for d in AWAY if self._clear_behind(d)), 0.0)
        if room:
            yield from self.straight(-room, speed=GENTLY)
        level = self.spec.reach.level
        height = max(float(self.gripper_pose().position[2]), level[2])
        target = self.to_odometry(Pose(np.array([*level[:2], height]), np.eye(3))).position
        space = self.space()
        for bearing in TURNED:
            yaw = self.base.yaw + self.spec.reach.aside + bearing
            pose = Pose(target, gripper_rotation(yaw, self.hand.pitch, self.hand.roll))
            path = self.line_joints(self.q, pose)
            if path is not None and self.clear(space, path, FREE) and all(space.own(q) >= 0.0 for q in path):
                yield from self.along(path, pose, speed=APPROACH)
                break
        self.hand.level = self.q

    def _box(self) -> Box:
        if self.goal.box is None:
            raise Stuck(FailureReason.POSITION_UNKNOWN)
        return self.goal.box

    def _surface(self) -> Surface | None:
        """The supporting surface of the object, if known."""
        return self.goal.surfaces[0] if self.goal.surfaces else None

    def _compartment(self) -> Surface | None:
        """The shelf that the object stands on, if it can only be reached through the front."""
        surface = self._surface()
        return surface if surface is not None and surface.access is not None else None

    def _options(self, chosen: Sequence[Grasp]) -> list[Option]:
        floor = self.reachable_floor()
        options: list[Option] = []
        for grasp in chosen:
            poses = (self._pre_grasp(grasp), grasp.pose, self._lift_pose(grasp))
            approach = None if grasp.pitch > 1.5 else grasp.yaw
            penalty = FAILED_BEFORE * sum(_are_similar(grasp, failed) for failed in self._failed_grasps)
            penalty += MOUNTED * abs(grasp.pitch - DOWN) if self.fixed else 0.0
            for cost, base in self.standings(grasp.pose.position, approach, floor, self.spec.reach.distances):
                back = FAILED_BEFORE * sum(same_place(base, place) for place in self._failed_bases)
                options.append((cost + grasp.cost + penalty + back, base, poses))
        return self.rank(options)

    def _give_up(self) -> NoReturn:
        """Raise NotRetryable, naming the obstacles or the objects on the target that would fall."""
        if on_top := standing_on(self.goal):
            raise NotRetryable(FailureReason.UNDER_OTHERS, blockers=[*on_top])
        with self.temporary_goal(without(self.goal, self.goal.loose)):
            unhindered, fits = self._best_grasp(), bool(self._grasps())
        if unhindered is not None:
            grasp, standing = unhindered
            neighbours = [box for box in self.goal.loose if touches(grasp, [box], self.spec.fingers)]
            raise NotRetryable(FailureReason.OBJECT_BLOCKED, blockers=[*neighbours, *self.blockers(standing)])
        if not fits:
            raise NotRetryable(FailureReason.NO_GRASP)
        raise NotRetryable(FailureReason.NO_PLACE_TO_PICK)

    def _best_grasp(self) -> tuple[Grasp, StandingPlace] | None:
        """Return the best grasp and the standing place for it, or None."""
        if standing_on(self.goal):
            return None
        chosen = self._grasps()
        by_pose = {id(grasp.pose): grasp for grasp in chosen}
        best = self.reachable_standing(self._options(chosen), self._is_free)
        return None if best is None else (by_pose[id(best[1][1])], best[0])

    def space(self, base: Pose2 | None = None, *more: Box | None) -> ArmSpace:
        """Add the target to the obstacles: until it is in the hand a touch would topple it."""
        return super().space(base, *more, None if self.seen.body.holding else self.goal.box)

    def _space_without_target(self, base: Pose2 | None = None) -> ArmSpace:
        """Return the arm's obstacles without the target, for the grasp itself."""
        return super().space(base)

    def _is_free(self, standing: StandingPlace, way: float, at: float) -> bool:
        """Whether the arm can reach the object, grasp and lift it without collision."""
        pre_grasp, grasp, lifted = standing.joints
        space, reaching = self._space_without_target(standing.base), self.joints.between(standing.ready, pre_grasp)
        raising = self.joints.between(lifted, standing.ready)
        target = replace(space, solids=Solids([self._box()]))
        return (
            self.clear(space, (grasp, lifted), at)
            and self.clear(space, reaching, way)
            and (way == AROUND or self.clear(target, reaching, min(0.0, target.clearance(pre_grasp))))
            and (self._compartment() is not None or self.clear(space, raising, TOUCH))
            and self._is_approach_clear(space, standing, at)
        )

    def _is_approach_clear(self, space: ArmSpace, standing: StandingPlace, at: float) -> bool:
        """Whether the hand touches nothing on its straight approach to the object."""
        begin, grasp, lifted = standing.joints
        end = self.kinematics.forward(grasp)
        if self._compartment() is not None and end.rotation[2, 0] < STEEP:  # the hand descends from there
            end = self.kinematics.forward(lifted)
        base = standing.base
        pose = Pose(base.transform(end.position), rotation_z(base.yaw) @ end.rotation)
        path = self.line_joints(begin, pose, base=base, step=0.06)
        return path is not None and self.clear(space, path[:-1], at)

    def _grasps(self) -> list[Grasp]:
        compartment = self._compartment()
        access = None if compartment is None else compartment.access
        room = np.inf if compartment is None else compartment.clearance
        fingers = self.spec.fingers
        tool = Tool(self.spec.gripper_max, fingers)
        chosen = grasps(
            self._box(),
            self.goal.obstacles,
            access,
            room=room,
            parts=self.goal.parts,
            opening=self.spec.gripper_max,
            fingers=fingers,
        )
        surface = self._surface()
        if surface is not None:
            chosen += find_pinch_grasps(self._box(), surface, self.goal.parts, tool)
        # An object that is only guessed to be a plate is grasped otherwise after a failure, if possible.
        if self.goal.parts or not chosen or not any(grasp.under for grasp in self._failed_grasps):
            plate_scoops = find_scoop_grasps(self._box(), self.goal.parts, self.goal.obstacles, access, tool)
            solids = Solids(self.goal.solids)
            chosen += [grasp for grasp in plate_scoops if not blocked((grasp.pose, grasp.beside), solids, fingers)]
        # A finger may push the contents of a bowl aside, or brush the bowl that the object lies in, but at a cost.
        avoided = [*self._contents, *self._around_target()]

        def with_push_cost(grasp: Grasp) -> Grasp:
            pushed = touches(grasp, avoided, fingers) + palm_touches(grasp, avoided, fingers)
            return replace(grasp, cost=grasp.cost + PUSHED * pushed) if pushed else grasp

        return sorted(map(with_push_cost, chosen), key=lambda grasp: grasp.cost)

    def _around_target(self) -> list[Box]:
        """Return solid objects beside the target that rise above its supporting surface."""
        box = self._box()
        foot, reach = float(box.center[2] - box.half[2]) + SUNK, float(np.hypot(*box.half[:2])) + BESIDE
        return [
            solid
            for solid in self.goal.solids
            if solid.center[2] + solid.half[2] > foot and solid.distance(box.center) < reach
        ]

    def _regrasp_from_current_base(self, planned: Grasp, standing: StandingPlace) -> tuple[Grasp, tuple[Array, ...]]:
        """Return the reachable grasp, for the currently observed object, that is most similar to the planned one."""

        def dissimilarity(grasp: Grasp) -> float:
            rotation_distance = float(np.linalg.norm(grasp.pose.rotation - planned.pose.rotation))
            return rotation_distance + 5.0 * float(np.linalg.norm(grasp.pose.position - planned.pose.position))

        for grasp in sorted(self._grasps(), key=dissimilarity)[:12]:
            poses = (self._pre_grasp(grasp), grasp.pose, self._lift_pose(grasp))
            joints = self.joints_from_here(poses, standing, self._is_free)
            if joints is not None:
                return grasp, joints
        self._failed_bases.append(self.base)
        raise Stuck(FailureReason.GRASP_OUT_OF_REACH)

    def _pre_grasp(self, grasp: Grasp) -> Pose:
        compartment = self._compartment()
        if compartment is None and grasp.under:
            return replace(grasp, pose=grasp.beside).retreat_pose(HOVER, SLIDES_FROM)
        if compartment is None and grasp.roll:
            return grasp.retreat_pose(HOVER)
        if compartment is None:
            return grasp.retreat_pose(HOVER, 0.05 if grasp.pose.position[2] > LOW else 0.20)
        assert compartment.access is not None
        inside = float((compartment.center[:2] - grasp.pose.position[:2]) @ compartment.access)
        depth = half_depth(compartment) + inside + 0.10
        # Along the hand's own direction, or a finger would run into the object from the side.
        back = compartment.access if grasp.pitch >= DOWN else -np.array([np.cos(grasp.yaw), np.sin(grasp.yaw)])
        way = np.array([*back, 0.0]) * max(depth, HOVER) / max(float(back @ compartment.access), 0.6)
        return Pose(grasp.pose.position + way + np.array([0, 0, grasp.over]), grasp.pose.rotation)

    def _lift_pose(self, grasp: Grasp) -> Pose:
        height = LIFT if self._compartment() is None else grasp.over
        return Pose(grasp.pose.position + np.array([0, 0, height]), grasp.pose.rotation)


def _are_similar(first: Grasp, other: Grasp) -> bool:
    """Whether two grasps come from about the same direction."""
    return abs(wrap(first.yaw - other.yaw)) < 0.25 and abs(first.pitch - other.pitch) < 0.2


def contents(goal: Goal) -> list[Box]:
    """Return the contents of the target that leave its rim free, such as fruit in a bowl: they are lifted with it."""
    box = goal.box
    if box is None:
        return []
    low, high = box.center[2] - box.half[2] - SUNK, box.center[2] + box.half[2] - SUNK
    widest = float(box.half[:2].min()) - RIM
    return [
        item
        for item in goal.loose
        if box.distance(item.center) == 0.0
        and low < item.center[2] - item.half[2] < high
        and item.half[:2].max() < widest
    ]


def standing_on(goal: Goal) -> list[Box]:
    """Return the objects on top of the target, which would fall when it is lifted."""
    box = goal.box
    if box is None:
        return []
    top = box.center[2] + box.half[2]
    return [
        item
        for item in goal.loose
        if box.distance(item.center) == 0.0 and abs(item.center[2] - item.half[2] - top) < SUNK
    ]

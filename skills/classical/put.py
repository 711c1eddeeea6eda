"""Put: choose a free spot, stand where it can be reached, lower, let go, withdraw."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, FailureReason, Goal, Pose, Pose2, Surface, rotation_z
from homie.kernel.types.failure_reasons import MOST_NAMED
from skills.classical.free_spots import half_depth, places
from skills.classical.grasp_candidates import ROOM_ABOVE, THROUGH_FRONT
from skills.classical.pick import APPROACH, LOW
from skills.classical.plate_grasps import blocked
from skills.motion.collision import Solids, without
from skills.motion.held_object import NOTHING, Hand
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, gripper_rotation
from skills.motion.standing_places import Option, StandingPlace, same_place

HOVER = 0.14
MAX_SPOTS = 30

LEVEL_HANDS, STEEP_HANDS = (0.6, 0.3, 0.1), (1.2, 1.5, 0.9)
"""Pitches of the hand (rad) that fit into a compartment, and over a rim."""

FALLS = (0.0, 0.06, 0.12)
"""Heights (m) above the surface at which the object may be released: the hand itself does not fit into a basin or a
drawer."""

ASTRAY = 0.035
"""Tolerated position error (m) of the hand: the object touches down a little earlier or later than estimated."""

SPOT = 0.01
"""Half size (m) up to which a surface is a single spot: the middle of a bowl or of another object."""

MOST_MOVED = 0.06
"""Maximum correction (m) of that spot by a closer look; a larger one means that another object was seen."""

BESIDE_CONTENTS = 0.025
"""Distance (m) by which the fingers open to release an object that has contents."""

BELOW_RIM, FROM_RIM = 0.05, 0.06
"""Distance (m) by which the fingers open to release a plate, with one of them under its rim, and by which the hand
retreats level before it rises."""

BY_RIM = 0.02
"""Lateral offset (m) from the middle of the hand from which an object counts as held by its rim."""

OUT_OF_RIM = 0.07
"""Height (m) at which a raised finger is out of a bowl."""

HAND_TURNS = tuple(float(turn) for turn in np.pi / 6 * np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6]))
TURNED_HAND = 0.1
"""Angles (rad) by which the hand of an arm without a base may be turned from straight ahead, and their cost per rad."""

HEADROOM = 0.03
"""Free height (m) over an object in a compartment that it takes to set it down."""

COMFORTABLE_GAP, LARGEST_GAP = 0.65, 0.9
"""Distances (m) from a spot to the nearest floor that the robot can stand on: easily reached, and reached at all."""


class Put(Manipulation):
    """Sets down the held object on a surface, in an open container or in a bowl."""

    name = "classical/put"
    actions = ("Put",)

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics, hand)
        self._failed_bases: list[Pose2] = []
        self._target = ""

    def routine(self) -> Motion:
        if self.goal.name != self._target:
            self._target, self._failed_bases = self.goal.name, []
        if not self.seen.body.holding:
            raise Stuck(FailureReason.HAND_EMPTY)
        if not self.goal.surfaces:
            raise Stuck(FailureReason.NO_SURFACE)
        if self.goal.held is not None:
            self.hand.correct(self.goal.held, self.gripper_pose())
        standing, poses = self._choose()
        planned_goal = self.goal
        yield from self.come_to(standing)
        poses, planned_goal = self._follow_target(poses, planned_goal), self.goal
        poses, joints = self._poses_from_current_base(poses, standing)
        self._failed_bases.append(self.base)  # removed on success
        # An object with contents moves in a straight line, which keeps it level; a path in joint space would tilt it.
        approach = self.reach(joints[0]) if not self.hand.loose else self.line(poses[0], speed=APPROACH)
        yield from self.together(approach, self.look_at(poses[1].position))
        if not self.seen.body.holding:
            raise Stuck(FailureReason.LOST_ON_THE_WAY)
        poses = self._follow_target(poses, planned_goal)
        for pose in poses[1:-1]:
            yield from self.line(pose, speed=APPROACH)
            if np.linalg.norm(self.gripper_pose().position - pose.position) > ASTRAY:
                raise Stuck(FailureReason.HAND_STOPPED)
        self._failed_bases.pop()
        # Opened wide, the finger inside a bowl would push its contents out.
        yield from self.release(self._release_distance())
        inside = np.linalg.norm(poses[0].position[:2] - poses[1].position[:2]) > 0.25
        yield from self.withdraw(poses[-1], *(poses[:1] if inside or self.hand.roll else ()))
        yield from self.leave()

    def _release_distance(self) -> float:
        """Return the distance (m) by which the fingers open to release the object."""
        if self.hand.roll:
            return BELOW_RIM
        return BESIDE_CONTENTS if self.hand.loose else np.inf

    def _choose(self) -> tuple[StandingPlace, Sequence[Pose]]:
        """Choose the standing place and the spot. Raises NotRetryable naming the obstacles."""
        chosen = self.reachable_standing(self._options(), self._is_free)
        if chosen is not None:
            return chosen
        goal = self.goal
        fits = [surface for surface in goal.surfaces if self._fits_under(surface)]
        if not fits:
            raise NotRetryable(FailureReason.TOO_TALL)
        with self.temporary_goal(without(goal, goal.loose)):
            unhindered = self.reachable_standing(self._options(), self._is_free)
        if unhindered is None:
            raise NotRetryable(FailureReason.NO_SPOT_FOR_ARM)
        blocking = [box for box in goal.loose if any(_lies_on(box, surface) for surface in fits)]
        is_full = not any(places(surface, goal.obstacles, self.hand) for surface in fits)
        if is_full and len(blocking) > MOST_NAMED:
            raise NotRetryable(FailureReason.SURFACE_FULL, count=len(blocking))
        blockers = self.blockers(unhindered[0])
        raise NotRetryable(FailureReason.NO_SPOT_FOR_ARM, blockers=blocking if is_full else blockers or blocking)

    def _fits_under(self, surface: Surface) -> bool:
        """Whether the held object fits on a surface under what is above it, also once a drawer is shut again."""
        height = 2 * self.hand.half[2]
        return height + HEADROOM <= surface.clearance and height <= surface.lid

    def _poses_from_current_base(
        self, planned: Sequence[Pose], standing: StandingPlace
    ) -> tuple[Sequence[Pose], tuple[Array, ...]]:
        """Return the planned poses if they can be reached from the current base pose, else the best that can."""
        alternatives = (poses for _, _, poses in self._options())
        for poses in itertools.islice(itertools.chain([planned], alternatives), 80):
            joints = self.joints_from_here(poses, standing, self._is_free)
            if joints is not None:
                return poses, joints
        raise Stuck(FailureReason.SPOTS_OUT_OF_REACH)

    def _follow_target(self, poses: Sequence[Pose], planned: Goal) -> Sequence[Pose]:
        """Shift the poses over an object to where it is seen now, with the head over it: from below its upper edge its
        depth is a guess. Poses on furniture stay as planned."""
        if planned.surfaces[0].half_x > SPOT or not self.goal.surfaces:
            return poses
        displacement = self.goal.surfaces[0].center - planned.surfaces[0].center
        if np.linalg.norm(displacement) > MOST_MOVED:
            return poses
        return tuple(Pose(pose.position + displacement, pose.rotation) for pose in poses)

    def _is_free(self, standing: StandingPlace, way: float, at: float) -> bool:
        space = self.space(standing.base)
        loaded = self.joints.between(standing.ready, standing.joints[0])
        if not (self.clear(space, loaded, way) and self.clear(replace(space, held=NOTHING), standing.joints, at)):
            return False
        return not self.hand.roll or self._has_straight_path(standing)

    def _has_straight_path(self, standing: StandingPlace) -> bool:
        """Whether the arm can move the hand straight from pose to pose: a wrist turned aside soon reaches its limit."""
        base = standing.base
        for begin, end in itertools.pairwise(standing.joints):
            end_pose = self.kinematics.forward(end)
            pose = Pose(base.transform(end_pose.position), rotation_z(base.yaw) @ end_pose.rotation)
            if self.line_joints(begin, pose, base=base) is None:
                return False
        return True

    def _options(self) -> Iterator[Option]:
        """Yield base poses and gripper poses, cheapest first; gripper poses are computed lazily, as most are never
        needed."""
        floor, reach = self.reachable_floor(), self.spec.reach
        options: list[tuple[float, Pose2, Callable[[], tuple[Pose, ...]]]] = []
        solids = Solids(self.goal.solids)
        for rank, surface in enumerate(self.goal.surfaces):
            if not self._fits_under(surface):
                continue
            enclosed = surface.access is not None
            tilts = [
                tilt for tilt in self.hand.tilts(LEVEL_HANDS if enclosed else STEEP_HANDS) if _fits(surface, tilt[0])
            ]
            drops = FALLS[:1] if enclosed else FALLS
            points = [
                (cost + 2.0 * max(0.0, gap - COMFORTABLE_GAP), spot)
                for cost, spot in places(surface, self.goal.obstacles, self.hand)
                if (gap := 0.0 if floor is None else floor.gap(spot)) < LARGEST_GAP
            ]
            for spot_cost, spot in sorted(points, key=lambda pair: pair[0])[:MAX_SPOTS]:
                for yaw, yaw_cost in self._yaws(surface, spot):
                    standings = self.standings(spot, yaw, floor, reach.spots, (0.0, 0.4, -0.4))
                    for (cost, base), (pitch, tilt_cost), drop in itertools.product(standings[:8], tilts, drops):
                        inward = base.yaw + reach.aside if yaw is None else yaw
                        poses = partial(self._poses, surface, spot, inward, pitch, drop)
                        if self.hand.roll and blocked(poses()[1:], solids, self.spec.fingers):
                            continue
                        cost += sum(same_place(base, place) for place in self._failed_bases)
                        total = cost + spot_cost + yaw_cost + tilt_cost + 8.0 * drop + 0.2 * rank
                        options.append((total, base, poses))
        for total, base, target_poses in self.rank(options):
            yield total, base, target_poses()

    def _yaws(self, surface: Surface, spot: Array) -> list[tuple[float | None, float]]:
        """Return directions to reach in, with their costs: through the front of a compartment, else where the robot
        faces (None); an arm that cannot turn may turn its hand instead."""
        if surface.access is None and self.fixed:
            base_yaw = float(np.arctan2(*(spot[:2] - self.base.xy)[::-1]))
            return [(base_yaw + turn, TURNED_HAND * abs(turn)) for turn in HAND_TURNS]
        if surface.access is None:
            return [(None, 0.0)]
        inward = float(np.arctan2(-surface.access[1], -surface.access[0]))
        return [(inward, 0.0), (inward + 0.35, 0.2), (inward - 0.35, 0.2)]

    def _poses(self, surface: Surface, spot: Array, yaw: float, pitch: float, drop: float) -> tuple[Pose, ...]:
        """Return gripper poses before, over, at the spot, and withdrawn (odometry frame)."""
        hand = self.hand
        rotation = gripper_rotation(yaw, pitch, hand.roll)
        lateral = (rotation @ hand.center) * np.array([1.0, 1.0, 0.0])
        at = spot + np.array([0.0, 0.0, hand.drop_at(pitch) + 0.012 + drop]) - lateral
        retreat, by_rim = -rotation[:, 0], not hand.roll and abs(hand.center[1]) > BY_RIM
        level = -FROM_RIM * np.array([np.cos(yaw), np.sin(yaw), 0.0])
        if surface.access is None:
            hover = at + np.array([0.0, 0.0, HOVER if at[2] > LOW else 2 * HOVER])
            # Along the fingers, beside which the object stands; a finger inside a rim goes up.
            retreat_offset = 0.03 * retreat + np.array([0.0, 0.0, 0.13])
            withdrawn = at + (level if hand.roll else retreat_offset if by_rim else 0.13 * retreat)
            return (Pose(hover, rotation), Pose(at, rotation), Pose(withdrawn, rotation))
        way = np.array([*surface.access, 0.0])
        exit_distance = float((surface.center[:2] - spot[:2]) @ surface.access) + half_depth(surface) + 0.14
        raised = at + np.array([0.0, 0.0, 0.05])
        approach_point = raised + exit_distance * way
        # The finger inside a rim would draw the bowl out with it.
        withdrawn = at + (np.array([0.0, 0.0, OUT_OF_RIM]) if by_rim else 0.12 * way + np.array([0.0, 0.0, 0.02]))
        if hand.roll:
            withdrawn = at + level
        return tuple(Pose(point, rotation) for point in (approach_point, raised, at, withdrawn))


def _fits(surface: Surface, pitch: float) -> bool:
    """Whether the hand fits onto a surface at a pitch: pointing down it does not fit between two boards."""
    return surface.access is None or pitch <= max(THROUGH_FRONT) or surface.clearance >= ROOM_ABOVE


def _lies_on(box: Box, surface: Surface) -> bool:
    """Whether an object stands on a surface."""
    bottom = float(box.center[2] - box.half[2])
    return surface.plate.distance(box.center) == 0.0 and abs(bottom - float(surface.center[2])) < 0.05

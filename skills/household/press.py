"""Turn on and Turn off: the closed hand presses the switch."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array, Articulation, FailureReason, Pose
from skills.motion.collision import TOUCH, without
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, gripper_rotation
from skills.motion.standing_places import Option, StandingPlace

BEFORE = 0.1
"""Distance (m) before the switch from which the hand presses in a straight line."""

PAST = 0.012
"""Distance (m) by which the target of the fingertips is past the front of the switch: its travel of 8 mm, and the
compliance of the arm against its spring."""

PITCHES = (0.0, 0.4, 0.8, 1.1, -0.4)
"""Pitches (rad) of the fingers below the horizon, best first: at a lamp's foot on a desk a level hand has no room."""

SLANTS = (0.0, 0.35, -0.35, 0.7, -0.7)
"""Angles (rad) between the fingers and the direction in which the switch moves."""

ASKEW = 0.3
"""Cost per radian of the hand's misalignment: equal to the cost per radian of the base in `base_candidates`."""

GENTLE = 0.06
"""Speed (m/s) of a press: a faster one is over between two observations of the switch."""

DOWN = 0.15
"""Seconds for which the switch is held down."""

PRESSING = TOUCH - 0.02
"""Clearance (m) from which a hand at its switch collides with nothing else: the pressed switch counts as solid."""


class Press(Manipulation):
    """Presses the switch of the goal's target, once.

    The skill cannot see whether a device is on. A press toggles it; the result is checked by the success check of the
    attempt, and another attempt presses again.
    """

    name = "chores/press"
    actions = ("Turn on", "Turn off")

    def routine(self) -> Motion:
        if not self.goal.articulations:
            raise NotRetryable(FailureReason.SWITCH_NOT_SEEN)
        switch = self.goal.articulations[0]
        standing, planned_poses = self._choose(switch)
        yield from self.come_to(standing)
        pre_press, at = planned_poses[:2]
        joints = self.joints_from_here((pre_press, at), standing, self._is_free)
        if joints is None:
            raise Stuck(FailureReason.SWITCH_OUT_OF_REACH)
        yield from self.together(self.reach(joints[0]), self.gripper(0.0), self.look_at(switch.handle))
        yield from self.line(at, speed=GENTLE)
        yield from self.wait(DOWN)
        yield from self.withdraw(pre_press)
        yield from self.together(self.leave(), self.look_at(switch.handle))

    def _choose(self, switch: Articulation) -> tuple[StandingPlace, tuple[Pose, ...]]:
        """Choose the standing place and the press. Raises NotRetryable naming the obstacles."""
        chosen = self.reachable_standing(self._options(switch), self._is_free)
        if chosen is None:
            with self.temporary_goal(without(self.goal, self.goal.loose)):
                unhindered = self.reachable_standing(self._options(switch), self._is_free)
            blocked = None if unhindered is None else self.blockers(unhindered[0])
            raise NotRetryable(FailureReason.NO_PLACE_TO_PRESS, blockers=blocked)
        return chosen[0], tuple(chosen[1])

    def _options(self, switch: Articulation) -> list[Option]:
        floor = self.reachable_floor()
        inward = float(np.arctan2(-switch.outward[1], -switch.outward[0]))
        options: list[Option] = []
        for slant in SLANTS:
            base_poses = self.standings(switch.handle, inward + slant, floor, self.spec.reach.switches)
            for pitch in PITCHES:
                poses = press_poses(switch, inward + slant, pitch, self.spec.fingers.reach)
                misalignment_cost = ASKEW * (abs(pitch) + abs(slant))
                options += [(cost + misalignment_cost, base, poses) for cost, base in base_poses]
        return self.rank(options)

    def _is_free(self, standing: StandingPlace, way: float, at: float) -> bool:
        space = self.space(standing.base)
        approach_path = self.joints.between(standing.ready, standing.joints[0])
        return self.clear(space, approach_path, way) and self.clear(space, standing.joints, min(at, PRESSING))


def press_poses(switch: Articulation, yaw: float, pitch: float, fingers: float) -> tuple[Pose, Pose]:
    """Return the hand poses before a switch and at the end of the press (odometry frame), with fingertips `fingers` m
    ahead of the gripper frame."""
    rotation = gripper_rotation(yaw, pitch)
    tips: Array = switch.handle + (switch.range - PAST) * switch.outward
    at = tips - fingers * rotation[:, 0]
    return Pose(at + BEFORE * switch.outward, rotation), Pose(at, rotation)

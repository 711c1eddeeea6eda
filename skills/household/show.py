"""Show: the held object is held up in front of a person's face for a while."""

from __future__ import annotations

import itertools

import numpy as np

from homie.kernel.types import Array, FailureReason, Pose
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, NotRetryable, Stuck, gripper_rotation
from skills.motion.standing_places import Option, Reachable, StandingPlace, base_candidates, cheapest

FACE = 0.12
"""Distance (m) from the top of a person's head down to between the eyes."""
AHEAD = (0.6, 0.7, 0.5, 0.8)
"""Distances (m) in front of the face at which the object is held up, best first: nearer would be unpleasant."""
BELOW = (0.2, 0.3, 0.4, 0.1)
"""Distances (m) below the eyes, best first: at eye height the object hides the robot, and the arm hardly gets there."""
SLANTS = (0.0, 0.35, -0.35)
"""Angles (rad) between the hand and the direction to the face."""
STANDS = (0.72, 0.64, 0.8, 0.56, 0.88)
"""Distances (m) from the middle of the base to the hand, best first."""
LESS_LIKED = 0.3
"""Cost of each next entry of these lists."""
BEFORE = 0.1
"""Distance (m) further back from which the hand approaches in a straight line."""
GENTLE = 0.15
"""Speed (m/s) of that approach."""
WHILE = 1.6
"""Seconds for which the object is held there: looking at it takes one."""


class Show(Manipulation):
    """Holds up the held object where a person looks. Whether the person has seen it is checked by the success check."""

    name = "people/show"
    actions = ("Show",)

    def routine(self) -> Motion:
        if not self.seen.body.holding:
            raise Stuck(FailureReason.HAND_EMPTY)
        if self.goal.box is None or self.goal.front is None:
            raise Stuck(FailureReason.GAZE_UNKNOWN)
        chosen = self.reachable_standing(self._options(), self._is_free)
        if chosen is None:
            raise NotRetryable(FailureReason.NO_PLACE_TO_SHOW)
        standing, poses = chosen
        yield from self.come_to(standing)
        joints = self.joints_from_here(poses, standing, self._is_free)
        if joints is None:
            raise Stuck(FailureReason.CANNOT_SHOW_FROM_HERE)
        yield from self.together(self.reach(joints[0]), self.look_at(self._face()))
        yield from self.line(poses[1], speed=GENTLE)
        yield from self.wait(WHILE)
        yield from self.withdraw(poses[0])
        yield from self.leave()

    def _face(self) -> Array:
        """Return the point (3,) between the eyes."""
        box = self.goal.box
        assert box is not None
        face: Array = box.center + np.array([0.0, 0.0, box.half[2] - FACE])
        return face

    def _options(self) -> list[Option]:
        reachable = Reachable.of(self.costs, self.base)
        front = float(self.goal.front or 0.0)
        forward = np.array([np.cos(front), np.sin(front), 0.0])
        options: list[Option] = []
        for (distance, gap), (low, drop), (bearing, slant) in itertools.product(
            enumerate(AHEAD), enumerate(BELOW), enumerate(SLANTS)
        ):
            yaw = front + np.pi + slant
            rotation = gripper_rotation(yaw, 0.0)
            point = self._face() + gap * forward - np.array([0.0, 0.0, drop])
            raised, at = (Pose(point - back * rotation[:, 0], rotation) for back in (BEFORE, 0.0))
            base_poses = base_candidates(at.position, yaw, self.base, reachable, distances=STANDS)
            options += [
                (cost + LESS_LIKED * (distance + low + bearing), base, (raised, at)) for cost, base in base_poses[:8]
            ]
        return cheapest(options)

    def _is_free(self, standing: StandingPlace, way: float, at: float) -> bool:
        space = self.space(standing.base)
        approach_path = self.joints.between(standing.ready, standing.joints[0])
        return self.clear(space, approach_path, way) and self.clear(space, standing.joints, at)

"""Follow: the robot drives behind a walking person until the person has stopped."""

from __future__ import annotations

import itertools

import numpy as np

from homie.kernel.types import Array, Command, FailureReason
from skills.motion.base_path_planning import plan_path
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, Stuck, wrap
from skills.motion.standing_places import Reachable

BEHIND = 1.5
"""Following distance (m) behind a person."""
NEAREST, FURTHEST = 1.0, 1.75
"""Range of distances (m) to the person within which the robot stays where it is."""
IN_THE_WAY = 1.2
"""Bearing (rad) from a person's facing direction within which the robot is in the person's way."""
ASIDE = (0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5)
"""Bearings (rad) relative to straight behind a person, best first."""
AGAIN = 0.4
"""Replanning interval (s): within it a person walks 20 cm."""
STEP = 0.05
"""Displacement (m) from which a person counts as still walking."""
RESTS = 4.0
"""Seconds of standing after which a person counts as having arrived: a turn to the next waypoint takes two."""
FACING = 0.3
"""Heading error (rad) to a person from which the robot turns to the person."""


class Follow(MobileSkill):
    """Keeps 1 to 1.75 m behind a person, and ends when the person has stood still for a while."""

    name = "people/follow"
    actions = ("Follow",)
    max_seconds = 120.0

    def routine(self) -> Motion:
        yield from self.tuck()
        rest_seconds, last_position = 0.0, self._person()
        while rest_seconds < RESTS:
            if np.linalg.norm(self._person() - last_position) > STEP:
                rest_seconds, last_position = 0.0, self._person()
            if self._is_well_placed():
                rest_seconds += self.spec.period
                yield from self._look()
            else:
                yield from self._drive_behind()

    def _person(self) -> Array:
        """Return the position (2,) of the person."""
        return self.goal.position[:2]

    def _is_well_placed(self) -> bool:
        """Whether the robot is behind or beside the person, at the right distance."""
        offset = self.base.xy - self._person()
        bearing = abs(wrap(float(np.arctan2(offset[1], offset[0])) - float(self.goal.front or 0.0)))
        return bool(NEAREST <= np.hypot(*offset) <= FURTHEST and bearing > IN_THE_WAY)

    def _look(self) -> Motion:
        """Stand still for one control period, or turn to the person."""
        heading = float(np.arctan2(*(self._person() - self.base.xy)[::-1]))
        if abs(wrap(heading - self.base.yaw)) > FACING:
            yield from self.turn(heading)
        else:
            yield Command()

    def _drive_behind(self) -> Motion:
        """Drive towards the following position for one replanning interval."""
        reachable = Reachable.of(self.costs, self.base)
        back = float(self.goal.front or 0.0) + np.pi
        for bearing in ASIDE:
            point = self._person() + BEHIND * np.array([np.cos(back + bearing), np.sin(back + bearing)])
            path = plan_path(self.costs, self.base.xy, point) if reachable(point) else None
            if path is not None:
                yield from itertools.islice(self.follow(path), round(AGAIN / self.spec.period))
                return
        raise Stuck(FailureReason.NO_PATH)

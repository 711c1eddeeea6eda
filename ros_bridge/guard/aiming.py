"""Streamed joint targets: the guard moves a set point towards the newest target as fast as the joint limits allow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, short_way
from ros_bridge.profiles.parts import Group

LIFE = 0.25
"""Seconds for which a target is pursued without being repeated, as for a velocity."""
LEAD = 0.3
"""Seconds at full speed by which the set point may lead the measured joints: a controller lags by a tenth of a second
and more, and the set point of a blocked joint must not wind up."""


class Aiming:
    """The moving set point of one joint group.

    Args:
        group: The group with its limits.
        start: Current joint positions (n,).
    """

    def __init__(self, group: Group, start: Array) -> None:
        self._speeds = np.array([joint.velocity for joint in group.joints])
        self._accelerations = np.array([joint.acceleration for joint in group.joints])
        self._turning = np.array([math.isinf(joint.limits[1]) for joint in group.joints])
        self.point = np.array(start, dtype=float)
        """Current joint targets (n,)."""
        self._speed = np.zeros(len(self.point))
        self._goal = self.point.copy()
        self._updated_at = -math.inf

    def aim(self, positions: Sequence[float], now: float) -> None:
        """Set the target positions (n,) from time `now` (s) on; joints without limits take the short way round."""
        goal = np.array(positions, dtype=float)
        self._goal = np.where(self._turning, short_way(goal, self.point), goal)
        self._updated_at = now

    def over(self, now: float) -> bool:
        """Whether the set point rests and no new target has arrived."""
        return now - self._updated_at > LIFE and not self._speed.any()

    def step(self, measured: Array, now: float, elapsed: float) -> Array:
        """Return the set point (n,) after `elapsed` seconds; without further targets it comes to rest."""
        gain = self._accelerations * elapsed
        if now - self._updated_at > LIFE:  # the nearest position at which it can stop, in whole steps
            remaining_speed = np.maximum(np.abs(self._speed) - gain, 0.0)
            self._goal = self.point + self._speed * remaining_speed / (2 * self._accelerations)
        way = self._goal - self.point
        # The largest speed from which it can still stop at the goal, in whole steps.
        braking = np.sqrt(gain**2 / 4 + 2 * self._accelerations * np.abs(way)) - gain / 2
        largest = np.minimum(self._speeds, np.maximum(braking, 0.0))
        rate = np.clip(way / max(elapsed, 1e-6), -largest, largest)
        self._speed = np.clip(rate, self._speed - gain, self._speed + gain)
        lookahead = LEAD * self._speeds
        self.point = np.clip(self.point + self._speed * elapsed, measured - lookahead, measured + lookahead)
        return self.point

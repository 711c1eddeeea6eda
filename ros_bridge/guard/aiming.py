"""Joints that get a target every period: the guard moves a set point there, as fast as the joints may."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, short_way
from ros_bridge.profiles.parts import Group

LIFE = 0.25
"""Seconds that an aim is gone for without being said again, as long as a velocity lives."""
LEAD = 0.3
"""Seconds at full speed by which the set point may be ahead of the measured joints: a controller lags by a tenth of a
second and more, and a joint that something blocks must not wind up."""


class Aiming:
    """The set point of one group on its way.

    Args:
        group: Its limits.
        start: Where the joints (n,) are.
    """

    def __init__(self, group: Group, start: Array) -> None:
        self._speeds = np.array([joint.velocity for joint in group.joints])
        self._accelerations = np.array([joint.acceleration for joint in group.joints])
        self._turning = np.array([math.isinf(joint.limits[1]) for joint in group.joints])
        self.point = np.array(start, dtype=float)
        """The current targets (n,) of the joints."""
        self._speed = np.zeros(len(self.point))
        self._goal = self.point.copy()
        self._said_at = -math.inf

    def aim(self, positions: Sequence[float], now: float) -> None:
        """Go for these positions (n,) from now (s) on; joints without end take the short way round."""
        goal = np.array(positions, dtype=float)
        self._goal = np.where(self._turning, short_way(goal, self.point), goal)
        self._said_at = now

    def over(self, now: float) -> bool:
        """Whether the set point rests and nothing new is said."""
        return now - self._said_at > LIFE and not self._speed.any()

    def step(self, measured: Array, now: float, elapsed: float) -> Array:
        """The set point (n,) after `elapsed` seconds; without further targets it comes to rest."""
        gain = self._accelerations * elapsed
        if now - self._said_at > LIFE:  # the nearest place in which it can come to rest, in whole steps
            remaining_speed = np.maximum(np.abs(self._speed) - gain, 0.0)
            self._goal = self.point + self._speed * remaining_speed / (2 * self._accelerations)
        way = self._goal - self.point
        # The speed from which it still comes to rest at the goal in whole steps.
        braking = np.sqrt(gain**2 / 4 + 2 * self._accelerations * np.abs(way)) - gain / 2
        largest = np.minimum(self._speeds, np.maximum(braking, 0.0))
        rate = np.clip(way / max(elapsed, 1e-6), -largest, largest)
        self._speed = np.clip(rate, self._speed - gain, self._speed + gain)
        lookahead = LEAD * self._speeds
        self.point = np.clip(self.point + self._speed * elapsed, measured - lookahead, measured + lookahead)
        return self.point

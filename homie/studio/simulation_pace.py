"""Pacing of a simulation against the wall clock."""

from __future__ import annotations

import time

LATE = 0.25
"""Lag behind the clock above which lost time is not caught up, s: a slow policy must not be followed by a rush."""


class Pace:
    """Keeps robot time from running ahead of the clock.

    Args:
        speed: Robot seconds per second; 0 for no limit.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._anchor: tuple[float, float] | None = None

    def keep(self, stamp: float) -> None:
        """Sleep until the clock has reached robot time `stamp` (s)."""
        if self._speed <= 0.0:
            return
        now = time.monotonic()
        clock, robot = self._anchor or (now, stamp)
        wait = clock + (stamp - robot) / self._speed - now
        if self._anchor is None or wait < -LATE or stamp < robot:
            self._anchor = now, stamp
        elif wait > 0.0:
            time.sleep(wait)

    def rest(self) -> None:
        """Reset the reference after a pause of robot time."""
        self._anchor = None

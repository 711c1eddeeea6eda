"""Whether a base that a policy drives is blocked."""

from __future__ import annotations

import math

from homie.kernel.types import Pose2, wrapped

STILL = 0.02
"""Metres or radians: a base that moves no further is where it was."""
SECONDS = 4.0
"""After so long a base that is driven and stays where it was is blocked: 16 decisions of NoMaD, 30 of M3 on a Fetch.
Not tuned."""
SLOWEST = 0.05
"""Speeds (m/s and rad/s) from which on a base is driven."""


class BlockedBase:
    """Watches a base: a policy that sees nothing of what its robot touches would press on."""

    def __init__(self, base: Pose2, stamp: float) -> None:
        self._base, self._stamp = base, stamp

    def is_blocked(self, base: Pose2, stamp: float, forward: float, turning: float) -> bool:
        """Whether the base has been driven for some seconds and has not moved.

        Args:
            base: Where it is now.
            stamp: s.
            forward, turning: The velocity (m/s, rad/s) that it has been commanded.
        """
        has_moved = math.hypot(base.x - self._base.x, base.y - self._base.y) > STILL
        has_turned = abs(wrapped(base.yaw - self._base.yaw)) > STILL
        if has_moved or has_turned or max(abs(forward), abs(turning)) < SLOWEST:
            self._base, self._stamp = base, stamp
        return stamp - self._stamp >= SECONDS

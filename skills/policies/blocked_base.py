"""Detection of a blocked base while a policy drives it."""

from __future__ import annotations

import math

from homie.kernel.types import Pose2, wrap_angles

STILL = 0.02
"""Displacement (m or rad) up to which a base counts as not having moved."""
SECONDS = 4.0
"""Seconds after which a base that is commanded to move and does not is blocked: 16 decisions of NoMaD, 30 of M3 on a
Fetch. Not tuned."""
SLOWEST = 0.05
"""Commanded speeds (m/s and rad/s) from which a base counts as driven."""


class BlockedBase:
    """Watches for a blocked base: a policy that does not sense contact would press on."""

    def __init__(self, base: Pose2, stamp: float) -> None:
        self._base, self._stamp = base, stamp

    def is_blocked(self, base: Pose2, stamp: float, forward: float, turning: float) -> bool:
        """Return whether the base has been driven for some seconds without moving.

        Args:
            base: Current base pose.
            stamp: Current time, s.
            forward, turning: The commanded velocity (m/s, rad/s).
        """
        has_moved = math.hypot(base.x - self._base.x, base.y - self._base.y) > STILL
        has_turned = abs(wrap_angles(base.yaw - self._base.yaw)) > STILL
        if has_moved or has_turned or max(abs(forward), abs(turning)) < SLOWEST:
            self._base, self._stamp = base, stamp
        return stamp - self._stamp >= SECONDS

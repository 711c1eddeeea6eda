"""What was refused, counted, and logged now and then."""

from __future__ import annotations

import logging
import time

log = logging.getLogger("homie.ros_bridge")

ONCE_IN = 5.0
"""Seconds between two log lines about the same place: a flood of bad messages must not become a flood of lines."""


class Refusals:
    """Counts what was refused, and logs it at most every ONCE_IN seconds."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self._logged: dict[str, float] = {}

    def add(self, place: str, reason: object) -> None:
        """One more on a topic, a service or of a sort of command, and why."""
        self.counts[place] = self.counts.get(place, 0) + 1
        if time.monotonic() - self._logged.get(place, -ONCE_IN) >= ONCE_IN:
            self._logged[place] = time.monotonic()
            log.warning("Refused on %s (%d so far): %s", place, self.counts[place], reason)

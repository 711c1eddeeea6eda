"""Refused messages: counted, logged at intervals, and reported when something is missing."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from typing import TypeVar

from homie.kernel.errors import MissingPart

log = logging.getLogger("homie.ros_bridge")
CreatedT = TypeVar("CreatedT")

ONCE_IN = 5.0
"""Seconds between two log lines about the same place: a flood of bad messages must not become a flood of lines."""
CONTRADICT = "contradict each other"
"""Phrase on two publishers of a topic."""
MOST_SORTS = 1000
"""Number of distinct faults that are counted: names come from the network."""
_NUMBER = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?|nan|inf")


class Refusals:
    """Counts refusals, and logs them at most every ONCE_IN seconds."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self._logged: dict[str, float] = {}

    def add(self, place: str, reason: object) -> None:
        """Count a refusal on a topic, a service or of a sort of command, with its reason."""
        self.counts[place] = self.counts.get(place, 0) + 1
        if time.monotonic() - self._logged.get(place, -ONCE_IN) >= ONCE_IN:
            self._logged[place] = time.monotonic()
            log.warning("Refused on %s (%d so far): %s", place, self.counts[place], reason)


class Faults:
    """Faults of the newest messages about subjects, such as a topic or a joint. Each sort of fault is logged once, with
    the numbers of its first message."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}
        self._logged: set[tuple[str, str]] = set()

    def add(self, subject: str, reason: object) -> None:
        """Record that the newest message about a subject is refused, and why."""
        if subject in self._current or len(self._current) < MOST_SORTS:
            self._current[subject] = str(reason)
        self._log("Refused: %s: %s", subject, str(reason))

    def mention(self, subject: str, text: str) -> None:
        """Log, once, an oddity of a subject that is no reason for a refusal."""
        self._log("%s: %s", subject, text)

    def _log(self, form: str, subject: str, text: str) -> None:
        sort = (subject, _NUMBER.sub("#", text))
        if sort not in self._logged and len(self._logged) < MOST_SORTS:
            self._logged.add(sort)
            log.warning(form, subject, text)

    def clear(self, subject: str) -> None:
        """Record that the newest message about a subject is valid."""
        self._current.pop(subject, None)

    def why(self, subject: str) -> str:
        """Return the fault of the newest message about a subject; "" if there is none."""
        return self._current.get(subject, "")


def create_if_known(name: str, factory: Callable[[], CreatedT]) -> CreatedT | None:
    """Return what `factory` creates for a name on the network; None, with a warning, where this ROS 2 installation
    lacks its messages: few have those of MoveIt and Nav2."""
    try:
        return factory()
    except MissingPart as error:
        log.warning("Left out: %s. %s", name, error)
        return None

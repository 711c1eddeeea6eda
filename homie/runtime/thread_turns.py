"""Callers in several threads take turns at one robot, and a stop reaches the one whose turn it is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from homie.kernel.errors import Stopped
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import Event, PeriodPassed, PlannerAsked

STOPPED = "Stopped by a call of stop()."


class Turns(EpisodeListener):
    """Who moves the robot. A listener of what it does: that is where a stop takes effect."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._stops = 0
        self._seen = 0
        """The stops that had been asked for when the present turn was asked for."""

    def look(self) -> AbstractContextManager[bool]:
        """A turn that moves nothing: it only waits for others."""
        return self._lock

    @property
    def stops(self) -> int:
        """How often `stop` was called."""
        return self._stops

    @contextmanager
    def move(self, since: int | None = None) -> Iterator[None]:
        """A turn that may move the robot.

        Args:
            since: The `stops` when it was asked for; None for now.

        Raises:
            Stopped: `stop` was called after that.
        """
        stop_count = self._stops if since is None else since
        with self._lock:
            if stop_count != self._stops:
                raise Stopped(STOPPED)
            previous, self._seen = self._seen, stop_count
            try:
                yield
            finally:
                self._seen = previous

    def stop(self) -> None:
        """End the present turn, and all that were asked for before this call. Returns at once, from any thread."""
        self._stops += 1

    def on(self, event: Event) -> None:
        """Raises Stopped, which ends an attempt at a subtask, and an episode before its planner is asked again."""
        if isinstance(event, PeriodPassed | PlannerAsked) and self._seen != self._stops:
            raise Stopped(STOPPED)

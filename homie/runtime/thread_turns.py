"""Mutual exclusion of threads that use one robot, with a stop that interrupts the current user."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from homie.kernel.errors import Stopped
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import Event, PeriodPassed, PlannerAsked

STOPPED = "Stopped by a call of stop()."


class Turns(EpisodeListener):
    """Turns of several threads at one robot. As a listener of episodes it makes a stop take effect."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._stops = 0
        self._stops_at_request = 0
        """Number of stops when the current turn was requested."""

    def look(self) -> AbstractContextManager[bool]:
        """Return a context for a turn without motion: it waits for others, and a stop does not affect it."""
        return self._lock

    @property
    def stops(self) -> int:
        """Number of calls of `stop`."""
        return self._stops

    @contextmanager
    def move(self, since: int | None = None) -> Iterator[None]:
        """Context for a turn that may move the robot.

        Args:
            since: Value of `stops` when the turn was requested; None for now.

        Raises:
            Stopped: `stop` was called after the request.
        """
        stop_count = self._stops if since is None else since
        with self._lock:
            if stop_count != self._stops:
                raise Stopped(STOPPED)
            previous, self._stops_at_request = self._stops_at_request, stop_count
            try:
                yield
            finally:
                self._stops_at_request = previous

    def stop(self) -> None:
        """End the current turn, and all turns requested before this call. Returns at once; callable from any thread."""
        self._stops += 1

    def on(self, event: Event) -> None:
        """Raise Stopped after a stop: it ends the attempt at a subtask, or the episode before the next planner call."""
        if isinstance(event, PeriodPassed | PlannerAsked) and self._stops_at_request != self._stops:
            raise Stopped(STOPPED)

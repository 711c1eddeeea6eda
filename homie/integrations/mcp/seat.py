"""Exclusive control of the robot: one client at a time, until it reports, leaves, or is idle for too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its unique key, and the name that it gives itself."""

    key: str
    name: str


class Seat:
    """Lock held by the one client that may move the robot.

    Args:
        patience: Seconds after which an idle client loses it to the next.
        clock: Returns the time in s.
    """

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience, self._clock = patience, clock
        self._holder: Client | None = None
        self._last_call = 0.0
        self._busy = 0

    @property
    def holder(self) -> Client | None:
        """Client that holds it, None if it is free."""
        idle = not self._busy and self._clock() - self._last_call > self._patience
        return None if idle else self._holder

    def take(self, client: Client) -> Client | None:
        """Take it if it is free or already the client's. Returns the holder otherwise."""
        holder = self.holder
        if holder is not None and holder.key != client.key:
            return holder
        self._holder, self._last_call = client, self._clock()
        return None

    def begin(self) -> None:
        """Mark the beginning of a call by the holder."""
        self._busy += 1

    def end(self) -> None:
        """Mark the end of the call."""
        self._busy -= 1
        self._last_call = self._clock()

    def leave(self, key: str) -> bool:
        """Release it because a client leaves. Returns whether the client was the holder."""
        if self._holder is None or self._holder.key != key:
            return False
        self._holder = None
        return True

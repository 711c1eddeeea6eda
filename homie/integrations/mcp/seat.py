"""Who holds the robot: one client at a time, until it reports, leaves, or asks for nothing for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Client:
    """A client: what tells it from others, and the name that it gives itself."""

    key: str
    name: str


class Seat:
    """The place of the one client that may move the robot.

    Args:
        patience: Seconds after which a client that asks for nothing loses it to the next.
        clock: Seconds.
    """

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience, self._clock = patience, clock
        self._holder: Client | None = None
        self._last = 0.0
        self._busy = 0

    @property
    def holder(self) -> Client | None:
        """Who has it, None if it is free."""
        idle = not self._busy and self._clock() - self._last > self._patience
        return None if idle else self._holder

    def take(self, client: Client) -> Client | None:
        """Take it, if it is free or the client's own. Returns the one that has it otherwise."""
        holder = self.holder
        if holder is not None and holder.key != client.key:
            return holder
        self._holder, self._last = client, self._clock()
        return None

    def begin(self) -> None:
        """A call of the holder begins."""
        self._busy += 1

    def end(self) -> None:
        """It is over."""
        self._busy -= 1
        self._last = self._clock()

    def leave(self, key: str) -> bool:
        """A client lets go of it, or has gone. Whether it was the holder."""
        if self._holder is None or self._holder.key != key:
            return False
        self._holder = None
        return True

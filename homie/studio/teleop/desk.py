"""Where orders lie until the robot's thread takes them, and where the person's hand is. For several threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from homie.studio.teleop.orders import Order
from homie.studio.teleop.stick import RELEASED, Stick

STICK_SECONDS = 0.4
"""Seconds without a message after which control is released: a lost connection must not drive on."""


class Desk:
    """Orders in their order, and stops; the stick as it was last held.

    A stop ends what was asked for before it. It knows its place among the orders, so that it does not end one that a
    person gives after it: such an order is handed out when the robot's thread has heeded the stop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._changed = threading.Condition()
        self._orders: deque[tuple[int, Order]] = deque()
        self._asked = 0
        self._stop: int | None = None
        self._stick, self._held = RELEASED, -STICK_SECONDS
        self._clock = clock

    def order(self, order: Order) -> None:
        """Ask for something, after all that was asked for before."""
        with self._changed:
            self._asked += 1
            self._orders.append((self._asked, order))
            self._changed.notify_all()

    def interrupt(self, order: Order) -> None:
        """Ask for something that a running subtask must not delay: it is stopped."""
        with self._changed:
            self.stop()
            self.order(order)

    def stop(self) -> None:
        """Stop whatever the robot does, now: a skill that runs, and the hand."""
        with self._changed:
            self.hold(RELEASED)
            self._asked += 1
            self._stop = self._asked

    def hold(self, stick: Stick) -> None:
        """The hand is there now. It has to be said again at least every `STICK_SECONDS`."""
        with self._changed:
            self._stick, self._held = stick, self._clock()

    # ------------------------------------------------------------ for the robot's thread

    def next(self, seconds: float = 0.0) -> Order | None:
        """The next order; None if none comes in so many seconds, or if a stop that came before it is not heeded yet."""
        with self._changed:
            if not self._changed.wait_for(self._ready, timeout=seconds):
                return None
            return self._orders.popleft()[1]

    def stopped(self) -> bool:
        """Whether a stop was asked for since the last call: whoever asks heeds it."""
        with self._changed:
            asked, self._stop = self._stop is not None, None
            return asked

    @property
    def stick(self) -> Stick:
        """The stick, released if there was no message for `STICK_SECONDS`."""
        with self._changed:
            return self._stick if self._clock() - self._held <= STICK_SECONDS else RELEASED

    def _ready(self) -> bool:
        return bool(self._orders) and (self._stop is None or self._orders[0][0] < self._stop)

"""Where orders lie until the robot's thread takes them, and where the person's hand is. For several threads."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from homie.teleop.orders import Order
from homie.teleop.stick import RELEASED, Stick

STICK_SECONDS = 0.4
"""Seconds after which a hand that was not heard of again has let go: a lost connection must not drive on."""


class Desk:
    """Orders in their order; a stop, which comes before all of them; the stick as it was last held."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._stick, self._held = RELEASED, -STICK_SECONDS
        self._clock = clock

    def order(self, order: Order) -> None:
        """Ask for something, after all that was asked for before."""
        self._orders.put(order)

    def interrupt(self, order: Order) -> None:
        """Ask for something that a running subtask must not delay: it is stopped."""
        self.stop()
        self._orders.put(order)

    def stop(self) -> None:
        """Stop whatever the robot does, now: a skill that runs, and the hand."""
        self.hold(RELEASED)
        self._stop.set()

    def hold(self, stick: Stick) -> None:
        """The hand is there now. It has to be said again at least every `STICK_SECONDS`."""
        with self._lock:
            self._stick, self._held = stick, self._clock()

    # ------------------------------------------------------------ for the robot's thread

    def next(self, seconds: float = 0.0) -> Order | None:
        """The next order; None if none comes in so many seconds."""
        try:
            return self._orders.get(timeout=seconds) if seconds > 0.0 else self._orders.get_nowait()
        except queue.Empty:
            return None

    def stopped(self) -> bool:
        """Whether a stop was asked for since the last call."""
        asked = self._stop.is_set()
        self._stop.clear()
        return asked

    @property
    def stick(self) -> Stick:
        """Where the hand is, let go if nothing was heard of it for `STICK_SECONDS`."""
        with self._lock:
            return self._stick if self._clock() - self._held <= STICK_SECONDS else RELEASED

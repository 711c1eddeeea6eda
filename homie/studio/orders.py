"""What a person asks for: orders, which the robot's thread carries out one after another; the desk
where they lie until then, with the person's stick. For several threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from homie.data.recording import notes
from homie.kernel.types import Subtask
from homie.studio.inspection import Thing
from homie.studio.teleop_commands import RELEASED, Stick


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out a subtask.

    Attributes:
        analysis: Why, in the words that a planner should use.
        model: The skill set, "" for any.
    """

    subtask: Subtask
    analysis: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Begin an episode, from the start of the scene.

    Args:
        task: The instruction.
        planner: Who decides, as NAME or NAME:ARGUMENT; "" for the person.
        record: Whether it is recorded.
    """

    task: str
    planner: str = ""
    record: bool = True


@dataclass(frozen=True, slots=True)
class Finish:
    """End the episode.

    Attributes:
        mark: Whether it went well, "" for nobody says.
        discard: It is not to be used.
    """

    mark: Literal["", "success", "failure"] = ""
    discard: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """The person takes over from the planner."""


@dataclass(frozen=True, slots=True)
class Give:
    """The planner goes on."""


@dataclass(frozen=True, slots=True)
class Say:
    """A note on the episode that goes on (`homie.data.recording.notes`)."""

    note: notes.Note


@dataclass(frozen=True, slots=True)
class Look:
    """What is there, and what can be done with it.

    Args:
        camera: The view to look at, "" where a name is asked for.
        answer: Called with it in the robot's thread (`homie.studio.inspection.Thing`).
        pixel: Shares of width and height, from the upper left corner: only what is at that place.
        words: The name that is asked for.
    """

    camera: str
    answer: Callable[[list[Thing]], None] = field(repr=False)
    pixel: tuple[float, float] | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """Hold the stick so for some seconds of robot time, at most a minute."""

    stick: Stick
    seconds: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A line (`homie.studio.typed_orders`), read when its turn has come: what it means depends on what goes on then."""

    line: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop the robot and end.

    Attributes:
        input_ended: The person's input has ended, and nobody asked for it.
    """

    input_ended: bool = False


Order: TypeAlias = Do | Begin | Finish | Move | Take | Give | Say | Look | Typed | Quit


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
        self._order_count = 0
        self._stop: int | None = None
        self._stick, self._held = RELEASED, -STICK_SECONDS
        self._clock = clock

    def order(self, order: Order) -> None:
        """Ask for something, after all that was asked for before."""
        with self._changed:
            self._order_count += 1
            self._orders.append((self._order_count, order))
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
            self._order_count += 1
            self._stop = self._order_count

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
            is_stopped, self._stop = self._stop is not None, None
            return is_stopped

    @property
    def stick(self) -> Stick:
        """The stick, released if there was no message for `STICK_SECONDS`."""
        with self._changed:
            return self._stick if self._clock() - self._held <= STICK_SECONDS else RELEASED

    def _ready(self) -> bool:
        return bool(self._orders) and (self._stop is None or self._orders[0][0] < self._stop)

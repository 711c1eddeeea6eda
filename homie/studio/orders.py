"""Orders of a person, carried out one after another by the robot's thread, and the thread-safe desk that queues them
and holds the current stick deflections."""

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
        analysis: The reason, as a planner should word it.
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
        planner: The planner in charge, as NAME or NAME:ARGUMENT; "" for the person.
        record: Whether to record the episode.
    """

    task: str
    planner: str = ""
    record: bool = True


@dataclass(frozen=True, slots=True)
class Finish:
    """End the episode.

    Attributes:
        mark: The person's verdict, "" for none.
        discard: Whether to exclude the recording from use.
    """

    mark: Literal["", "success", "failure"] = ""
    discard: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """Take over from the planner."""


@dataclass(frozen=True, slots=True)
class Give:
    """Hand control back to the planner."""


@dataclass(frozen=True, slots=True)
class Say:
    """Add a note to the current or latest recording (`homie.data.recording.notes`)."""

    note: notes.Note


@dataclass(frozen=True, slots=True)
class Look:
    """Request objects and their possible subtasks (`homie.studio.inspection.Thing`).

    Args:
        camera: The view, "" for a request by name.
        answer: Called with the objects in the robot's thread.
        pixel: Only objects at this point, as fractions of width and height from the upper left corner.
        words: The requested name.
    """

    camera: str
    answer: Callable[[list[Thing]], None] = field(repr=False)
    pixel: tuple[float, float] | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """Hold the stick at these deflections for some seconds of robot time, at most a minute."""

    stick: Stick
    seconds: float


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A typed line (`homie.studio.typed_orders`), parsed when its turn comes, as its meaning depends on the state."""

    line: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop the robot and end the operation.

    Attributes:
        input_ended: Whether the reason is the end of the input instead of a request.
    """

    input_ended: bool = False


Order: TypeAlias = Do | Begin | Finish | Move | Take | Give | Say | Look | TypedLine | Quit


STICK_SECONDS = 0.4
"""Seconds without a message after which the stick counts as released, so that a lost connection stops the robot."""


class Desk:
    """Queue of orders and stops, and the current stick deflections.

    A stop ends everything requested before it. It has a position in the queue so that it does not end a later order,
    which becomes available after the robot's thread has handled the stop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._changed = threading.Condition()
        self._orders: deque[tuple[int, Order]] = deque()
        self._order_count = 0
        self._stop: int | None = None
        self._stick, self._stick_time = RELEASED, -STICK_SECONDS
        self._clock = clock

    def order(self, order: Order) -> None:
        """Append an order to the queue."""
        with self._changed:
            self._order_count += 1
            self._orders.append((self._order_count, order))
            self._changed.notify_all()

    def interrupt(self, order: Order) -> None:
        """Stop the running subtask, then queue an order that must not wait for it."""
        with self._changed:
            self.stop()
            self.order(order)

    def stop(self) -> None:
        """Stop the robot now: a running skill as well as manual control."""
        with self._changed:
            self.hold(RELEASED)
            self._order_count += 1
            self._stop = self._order_count

    def hold(self, stick: Stick) -> None:
        """Set the stick deflections; to be repeated at least every `STICK_SECONDS`."""
        with self._changed:
            self._stick, self._stick_time = stick, self._clock()

    # ------------------------------------------------------------ for the robot's thread

    def next(self, seconds: float = 0.0) -> Order | None:
        """Return the next order; None after `seconds` without one, or if a stop before it was not handled yet."""
        with self._changed:
            if not self._changed.wait_for(self._ready, timeout=seconds):
                return None
            return self._orders.popleft()[1]

    def stopped(self) -> bool:
        """Return whether a stop was requested since the last call, and clear it: the caller must handle it."""
        with self._changed:
            is_stopped, self._stop = self._stop is not None, None
            return is_stopped

    @property
    def stick(self) -> Stick:
        """The current stick, released if it was not renewed for `STICK_SECONDS`."""
        with self._changed:
            return self._stick if self._clock() - self._stick_time <= STICK_SECONDS else RELEASED

    def _ready(self) -> bool:
        return bool(self._orders) and (self._stop is None or self._orders[0][0] < self._stop)

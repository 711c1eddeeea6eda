"""Exclusive controls: one page at a time may drive the robot, while its picture is fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from homie.studio import messages as page_messages
from homie.studio.orders import Begin, Desk, Do, Finish, Give, Take, TypedLine
from homie.studio.teleop_commands import RELEASED, Stick
from homie.studio.typed_orders import STOP, urgent

TAKEN = "Somebody else has the controls: wait until they release them."
NOT_HELD = "You only watch: take the controls first."


class Painted(Protocol):
    """A page that shows pictures."""

    painted: float
    """When the displayed picture was taken, s of the monotonic clock."""


class PageControls:
    """Lets one page at a time drive, in the server's thread.

    Args:
        desk: Receives the orders.
        stale: Age of the picture above which the controls are locked, s.
        clock: s, monotonic.
    """

    def __init__(self, desk: Desk, *, stale: float, clock: Callable[[], float]) -> None:
        self._desk, self._stale, self._clock = desk, stale, clock
        self.driver: Painted | None = None
        """The page with the controls."""

    def take(self, page: Painted, *, hold: bool) -> bool:
        """Give a page the controls or release them; return whether that changes anything. Raises BadInput if another
        page has them."""
        if hold and self.driver not in (None, page):
            raise BadInput(TAKEN)
        if not hold and self.driver is not page:
            return False
        self.driver = page if hold else None
        self._desk.hold(RELEASED)
        return True

    def drive(self, page: Painted, message: page_messages.Message) -> None:
        """Handle a message that needs the controls. Raises BadInput if the page lacks them or its picture is stale."""
        if self.driver is not page:
            raise BadInput(TAKEN if self.driver is not None else NOT_HELD)
        age = self._clock() - page.painted
        if age > self._stale:
            self._desk.hold(RELEASED)
            raise BadInput(f"The picture is {age:.1f} s old: the controls are locked until it is fresh.")
        desk = self._desk
        match message:
            case page_messages.Held():
                desk.hold(
                    Stick(
                        drive=message.drive,
                        turn=message.turn,
                        reach=message.reach,
                        wrist=message.wrist,
                        grip=message.grip,
                        joints=message.joints,
                    )
                )
            case page_messages.Line(text=text):
                if text.strip().lower() == STOP:
                    desk.stop()
                elif urgent(text):
                    desk.interrupt(TypedLine(text))
                elif text.strip():
                    desk.order(TypedLine(text))
            case page_messages.DoIt():
                subtask = Subtask(message.action, message.target, message.destination)
                desk.order(Do(subtask, message.analysis.strip(), message.model))
            case page_messages.Start():
                desk.order(Begin(task=message.task, planner=message.planner.strip(), record=message.record))
            case page_messages.End():
                desk.interrupt(TypedLine("again") if message.again else Finish(message.mark, message.discard))
            case page_messages.Charge(person=person):
                desk.interrupt(Take()) if person else desk.order(Give())

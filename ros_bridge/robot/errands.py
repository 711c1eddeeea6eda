"""What the robot does by itself, watched through its guard."""

from __future__ import annotations

from concurrent.futures import Future

from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.types import Outcome
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.messages import Ended


class GuardedErrand:
    """Something that the robot's own software does (`homie.kernel.interfaces.Errand`).

    Args:
        link: The guard that it went through.
        ended: How it ends.
        who: Who does it, for the reason: `the robot's navigation`.
    """

    def __init__(self, link: GuardLink, ended: Future[Ended], who: str) -> None:
        self._link, self._ended, self._who = link, ended, who

    @property
    def outcome(self) -> Outcome:
        if not self._ended.done():
            return Outcome.RUNNING
        if self._ended.exception() is not None:
            return Outcome.FAILED
        ends = {"succeeded": Outcome.SUCCEEDED, "cancelled": Outcome.STOPPED}
        return ends.get(self._ended.result().outcome, Outcome.FAILED)

    @property
    def reason(self) -> str:
        if not self._ended.done():
            return ""
        error = self._ended.exception()
        if isinstance(error, CommandRefused):
            return f"Command refused: {error}"
        if error is not None:
            return f"{self._who} is lost: {error}"
        ended = self._ended.result()
        if ended.outcome == "succeeded":
            return ""
        why = ended.text or (f"error {ended.code}" if ended.code else "")
        return f"{self._who} was {ended.outcome}" + (f": {why}" if why else "")

    def cancel(self) -> None:
        if not self._ended.done():
            try:
                self._link.cancel(self._ended)
            except RobotFault:
                return  # the guard is gone, and has stopped the robot

"""What the robot does by itself, watched through its guard."""

from __future__ import annotations

from concurrent.futures import Future

from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.types import Outcome
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.messages import Ended


class Drive:
    """A drive of the robot's own navigation (`homie.kernel.interfaces.Errand`)."""

    def __init__(self, link: GuardLink, ended: Future[Ended]) -> None:
        self._link, self._ended = link, ended

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
            return f"the robot's navigation is lost: {error}"
        ended = self._ended.result()
        if ended.outcome == "succeeded":
            return ""
        why = ended.text or (f"error {ended.code}" if ended.code else "")
        return f"the robot's navigation was {ended.outcome}" + (f": {why}" if why else "")

    def cancel(self) -> None:
        if not self._ended.done():
            try:
                self._link.cancel(self._ended)
            except RobotFault:
                return  # the guard is gone, and has stopped the robot

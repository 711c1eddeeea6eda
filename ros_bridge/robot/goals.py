"""Goals of the robot's own software, monitored through its guard."""

from __future__ import annotations

from concurrent.futures import Future

from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.types import Failure, FailureReason, Outcome
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.messages import CommandEnded
from ros_bridge.guard.moveit import OUT_OF_REACH

NAVIGATION_FAILS = FailureReason.NAVIGATION_FAILED
ARM_PLANNER_FAILS = (FailureReason.ARM_PLANNER_FAILED, FailureReason.PLANNED_END_OUT_OF_REACH)


class GuardedGoal:
    """A goal of the robot's own software (`homie.kernel.interfaces.GoalHandle`).

    Args:
        link: The guard that forwarded it.
        ended: Future of its result.
        fails: Failure reason if it does not succeed.
        out_of_reach: Failure reason at a MoveIt code of an unreachable goal; None: `fails`.
    """

    def __init__(
        self,
        link: GuardLink,
        ended: Future[CommandEnded],
        fails: FailureReason,
        out_of_reach: FailureReason | None = None,
    ) -> None:
        self._link, self._ended = link, ended
        self._fails, self._out_of_reach = fails, out_of_reach

    @property
    def outcome(self) -> Outcome:
        if not self._ended.done():
            return Outcome.RUNNING
        if self._ended.exception() is not None:
            return Outcome.FAILED
        outcomes = {"succeeded": Outcome.SUCCEEDED, "cancelled": Outcome.STOPPED}
        return outcomes.get(self._ended.result().outcome, Outcome.FAILED)

    @property
    def failure(self) -> str:
        if not self._ended.done():
            return ""
        error = self._ended.exception()
        if isinstance(error, CommandRefused):
            return Failure(FailureReason.COMMAND_REFUSED, why=error)
        if error is not None:
            return Failure(self._fails, how=f"is lost: {error}")
        result = self._ended.result()
        if result.outcome == "succeeded":
            return ""
        reason = result.text or (f"error {result.code}" if result.code else "")
        if self._out_of_reach is not None and result.code in OUT_OF_REACH:
            return Failure(self._out_of_reach, outcome=result.outcome, why=reason)
        return Failure(self._fails, how=f"was {result.outcome}" + (f": {reason}" if reason else ""))

    def cancel(self) -> None:
        if not self._ended.done():
            try:
                self._link.cancel(self._ended)
            except RobotFault:
                return  # the guard is gone, and has stopped the robot

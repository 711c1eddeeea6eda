"""The fingers of a served robot, moved by gripper commands or by trajectories, as its profile says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from homie.kernel.types import GripperState
from ros_bridge.profiles.parts import Gripper
from ros_bridge.served_trajectory import Error, NoTrajectory, points_of
from ros_bridge.transport.actions import Outcome, ServedGoal, Status

GRIP_SECONDS = 3.0
"""Timeout (s) for the fingers to arrive or to meet an object."""
STILL = 0.002
"""Speed (m/s) below which fingers have stopped."""
ARRIVED = 0.003
"""Tolerance (m) of a reached opening."""


class ServedFingers:
    """Executes goals of a gripper; the loop that moves the robot brings its fingers to `opening`.

    Args:
        gripper: Defines the positions in its goals.
        period: Control period, s; the fingers are checked every second one.
        state: Returns the state of the fingers.
        seconds: Returns the time of the robot, s.
    """

    def __init__(
        self, gripper: Gripper, period: float, state: Callable[[], GripperState], seconds: Callable[[], float]
    ) -> None:
        self._gripper, self._period, self._state, self._seconds = gripper, period, state, seconds
        self.opening: float | None = None
        """The target opening, m; None before the first goal."""

    def execute(self, goal: ServedGoal) -> Outcome:
        """Execute a goal of the type that the profile says, in the goal's own thread."""
        return self._execute_trajectory(goal) if self._gripper.trajectory else self._execute_command(goal)

    def _execute_command(self, goal: ServedGoal) -> Outcome:
        position = float(goal.message.command.position)
        opening = self._gripper.gap_of(position)
        if not math.isfinite(opening):
            return Outcome(Status.ABORTED)
        is_reached, at = self._bring(opening, goal)
        position = position if is_reached else self._gripper.command_position(at)
        result = {"position": position, "stalled": not is_reached, "reached_goal": is_reached}
        return Outcome(Status.CANCELED if goal.cancelled.is_set() else Status.SUCCEEDED, result)

    def _execute_trajectory(self, goal: ServedGoal) -> Outcome:
        """Execute the last point of a trajectory."""
        try:
            _, positions = points_of(goal.message.trajectory, self._gripper.joints)
        except NoTrajectory as error:
            return Outcome(Status.ABORTED, {"error_code": int(error.code), "error_string": str(error)})
        is_reached, at = self._bring(self._gripper.measured(positions[-1].tolist()), goal)
        if goal.cancelled.is_set():
            return Outcome(Status.CANCELED, {"error_string": "cancelled"})
        if is_reached:
            return Outcome(Status.SUCCEEDED)
        text = f"the fingers are {at:.3f} m apart"
        return Outcome(Status.ABORTED, {"error_code": int(Error.GOAL_TOLERANCE_VIOLATED), "error_string": text})

    def _bring(self, opening: float, goal: ServedGoal) -> tuple[bool, float]:
        """Wait until the fingers reach an opening (m) or an object; return whether they reached it, and their
        opening."""
        self.opening = target = float(np.clip(opening, 0.0, self._gripper.width))
        end = self._seconds() + GRIP_SECONDS
        is_reached, state = False, self._state()
        while not goal.cancelled.wait(2 * self._period) and self._seconds() < end and not is_reached:
            state = self._state()
            is_reached = abs(state.opening - target) <= ARRIVED
            if state.holding and abs(state.speed) < STILL:
                break
        return is_reached, state.opening

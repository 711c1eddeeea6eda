"""Execution of a joint trajectory as by a controller: its current targets, and its result."""

from __future__ import annotations

import enum
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.types import Array
from ros_bridge.transport.actions import Outcome, Status
from ros_bridge.transport.interface import Message
from ros_bridge.transport.stamps import seconds

TOLERANCE = 0.02
"""Tolerance (rad or m) of the last point of a successful trajectory."""
PATIENCE = 2.0
"""Seconds after its last point until a trajectory outside the tolerance is aborted, if the goal says nothing."""


class Error(enum.IntEnum):
    """Error codes of `control_msgs/action/FollowJointTrajectory`."""

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    GOAL_TOLERANCE_VIOLATED = -5


class NoTrajectory(Exception):
    """A trajectory that a controller refuses, with the error code and the reason."""

    def __init__(self, code: Error, text: str) -> None:
        super().__init__(text)
        self.code = code


def points_of(trajectory: Message, names: Sequence[str]) -> tuple[Array, Array]:
    """Return times (n,) and positions (n, joints), in the order of `names`, of a `trajectory_msgs/msg/JointTrajectory`.

    Raises:
        NoTrajectory: It is of other joints, has no points, is not finite, or its times do not increase.
    """
    named = list(trajectory.joint_names)
    if sorted(named) != sorted(names):
        raise NoTrajectory(Error.INVALID_JOINTS, "other joints")
    times = np.array([seconds(point.time_from_start) for point in trajectory.points])
    rows = [np.asarray(point.positions, dtype=float) for point in trajectory.points]
    is_complete = bool(rows) and all(len(row) == len(named) and np.isfinite(row).all() for row in rows)
    if not is_complete or times[0] < 0 or np.any(np.diff(times) <= 0):
        raise NoTrajectory(Error.INVALID_GOAL, "points must have all joints and rising times")
    return np.maximum(times, 1e-3), np.array(rows)[:, [named.index(name) for name in names]]


@dataclass(slots=True, eq=False)
class Following:
    """A trajectory in execution.

    Attributes:
        began: Start, s, on the same clock as `now`. times (n,) are relative to it, positions (n + 1, joints) begin with
            the start.
        ended: Set together with `outcome`.
    """

    began: float
    times: Array
    positions: Array
    patience: float = PATIENCE
    ended: threading.Event = field(default_factory=threading.Event)
    outcome: Outcome = field(default_factory=lambda: Outcome(Status.ABORTED))

    def target(self, now: float) -> Array:
        """Return the current targets of the joints (n,), interpolated linearly between the points."""
        knots = np.concatenate([[0.0], self.times])
        return np.array([np.interp(now - self.began, knots, column) for column in self.positions.T])

    def judge(self, now: float, measured: Array) -> bool:
        """Return whether it has ended by itself: arrived, or aborted."""
        overtime = now - self.began - float(self.times[-1])
        if overtime < 0:
            return False
        off = float(np.max(np.abs(measured - self.positions[-1])))
        if off <= TOLERANCE:
            self.end(Status.SUCCEEDED, Error.SUCCESSFUL)
        elif overtime > self.patience:
            self.end(Status.ABORTED, Error.GOAL_TOLERANCE_VIOLATED, f"{off:.3f} off the last point")
        else:
            return False
        return True

    def end(self, status: Status, code: Error, text: str = "") -> None:
        """End it with a result."""
        self.outcome = Outcome(status, {"error_code": int(code), "error_string": text})
        self.ended.set()

"""A joint trajectory as a controller follows it: where its joints should be now, and how it ends."""

from __future__ import annotations

import enum
import threading
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.types import Array
from ros_bridge.transport.actions import Outcome, Status

TOLERANCE = 0.02
"""rad or m from the last point within which a trajectory has succeeded."""
PATIENCE = 2.0
"""Seconds after its last point until one that is further away is given up, if the goal says nothing."""


class Error(enum.IntEnum):
    """Error codes of `control_msgs/action/FollowJointTrajectory`."""

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    GOAL_TOLERANCE_VIOLATED = -5


@dataclass(slots=True, eq=False)
class Following:
    """A trajectory under way.

    began: seconds, of the same clock as `now`. times (n,) from then, positions (n + 1, joints) beginning with where the
    joints were. ended: set together with `outcome`.
    """

    began: float
    times: Array
    positions: Array
    patience: float = PATIENCE
    ended: threading.Event = field(default_factory=threading.Event)
    outcome: Outcome = field(default_factory=lambda: Outcome(Status.ABORTED))

    def target(self, now: float) -> Array:
        """Where the joints (n,) should be now: on straight ways between the points."""
        knots = np.concatenate([[0.0], self.times])
        return np.array([np.interp(now - self.began, knots, column) for column in self.positions.T])

    def judge(self, now: float, measured: Array) -> bool:
        """Whether it has ended, by itself: arrived, or given up."""
        over = now - self.began - float(self.times[-1])
        if over < 0:
            return False
        off = float(np.max(np.abs(measured - self.positions[-1])))
        if off <= TOLERANCE:
            self.end(Status.SUCCEEDED, Error.SUCCESSFUL)
        elif over > self.patience:
            self.end(Status.ABORTED, Error.GOAL_TOLERANCE_VIOLATED, f"{off:.3f} off the last point")
        else:
            return False
        return True

    def end(self, status: Status, code: Error, text: str = "") -> None:
        """End it with this result."""
        self.outcome = Outcome(status, {"error_code": int(code), "error_string": text})
        self.ended.set()

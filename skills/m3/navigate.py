"""M3's Go to: one of twenty velocities per decision, one of which stops.

choose among the collision-free classes (guard.py) --> blocked? back off along the path, reset the policy, choose again
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Command, Failure, FailureReason, Goal, Observation, Outcome, Pose2, Subtask
from homie.kernel.world import thresholds
from skills.m3.guard import Guard
from skills.m3.layout import ANGULAR, LINEAR, STOP
from skills.m3.skill import M3Skill
from skills.policies.blocked_base import BlockedBase
from skills.policies.policy import Named, Policy, Value

RECOVERIES = 4
"""Maximum number of recoveries of a blocked base per attempt."""
AROUND, DECISIONS = 0.15, 40
"""Displacement (m) that a base must reach within so many decisions, otherwise it only turns to and fro; half a turn
takes 32."""
BACK, BACK_SPEED, BACK_SECONDS = 0.4, 0.3, 4.0
"""Distance (m) along the path that it came, speed (m/s), and timeout (s) of a recovery."""
ARM_SECONDS = 2.0
"""Seconds for the arm, which may have been pushed aside, to return to its rest posture."""
BESIDE = 0.1
"""Distance (m) from a waypoint of that path within which the next one is targeted."""


class Navigate(M3Skill):
    """Stops when the network decides to and the base is at its goal, when the base stays blocked, or after 500
    decisions."""

    actions = ("Go to",)
    networks = ("navigate",)
    decisions = 500
    fastest = (max(LINEAR), max(ANGULAR), 0.0)
    spare_seconds = 1.0 + RECOVERIES * (BACK_SECONDS + ARM_SECONDS)

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(policy, spec, kinematics)
        self._travelled_path: deque[Pose2] = deque(maxlen=self.decisions)
        """Base poses on the path to here, of earlier attempts too."""

    def choose(self, goal: Goal) -> str:
        return "navigate"

    def target(self) -> Array:
        return self.goal.position

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().begin(subtask, goal, observation)
        self._blocked = BlockedBase(observation.body.base, observation.stamp)
        self._guard = Guard(self.spec.footprint_radius)
        base = observation.body.base
        if (
            self._travelled_path
            and np.hypot(self._travelled_path[-1].x - base.x, self._travelled_path[-1].y - base.y) > BESIDE
        ):
            self._travelled_path.clear()  # something else has moved the base since
        self._anchor, self._anchor_decision = base, 0
        self._recoveries = 0

    def judge(self) -> None:
        """Back off where the base is blocked; after the last recovery fail, unless the base has reached its goal."""
        base, stamp = self.seen.body.base, self.seen.stamp
        self._travelled_path.append(base)
        if np.hypot(base.x - self._anchor.x, base.y - self._anchor.y) > AROUND:
            self._anchor, self._anchor_decision = base, self.decided
        forward, turning = self.held.get("base") or (0.0, 0.0)
        blocked = self._blocked.is_blocked(base, stamp, forward, turning)
        if not blocked and self.decided - self._anchor_decision < DECISIONS:
            return
        if self._goal_failure() is None:
            self.finish(Outcome.SUCCEEDED, "the policy came as near as it could")
        elif self._recoveries == RECOVERIES:
            self.finish(Outcome.FAILED, Failure(FailureReason.WAY_BLOCKED))
        else:
            self._recoveries += 1
            self.busy = self._back_off()

    def obey(self, action: Value) -> None:
        index = int(action)
        if index == STOP:
            goal_failure = self._goal_failure()
            self.finish(Outcome.FAILED, goal_failure) if goal_failure else self.finish(
                Outcome.SUCCEEDED, "the policy stopped"
            )
        linear, angular = LINEAR[index // len(ANGULAR)], ANGULAR[index % len(ANGULAR)]
        self.held = self.spec.drive(linear * self.slowness, angular * self.slowness)

    def _inputs(self) -> Named:
        arm, radii = self.kinematics.link_points(self.q), self.kinematics.point_radii
        allowed = self._guard.allowed_classes(self.seen.body.base, arm, radii, self.goal.grid)
        allowed[STOP] = self._goal_failure() is None
        return {**super()._inputs(), "allowed": allowed}

    def _goal_failure(self) -> Failure | None:
        """Return why Go to may not end here; None in the room, or within reach of the target, as far as the robot
        knows."""
        base = self.seen.body.base
        if self.goal.room is not None:
            x0, y0, x1, y1 = self.goal.room
            inside = x0 <= base.x <= x1 and y0 <= base.y <= y1
            return None if inside else Failure(FailureReason.OUTSIDE_ROOM)
        box, grid = self.goal.box, self.goal.grid
        if box is None:
            distance = float(np.hypot(*(self.goal.position[:2] - base.xy)))
        else:  # the box of a counter is its top, which is above the base's origin
            distance = math.hypot(box.distance(base.xy), max(0.0, box.center[2] - box.half[2]))
        walled = box is not None and grid is not None and bool(grid.walled(base.xy[None], box).any())
        return (
            Failure(FailureReason.STOPPED_SHORT, metres=distance)
            if walled or not thresholds.within_reach(distance)
            else None
        )

    def _back_off(self) -> Iterator[Command]:
        """Drive back along the path, else fold the arm; bring it back, and reset the policy."""
        start, self.held = self.seen.body.base, Command()
        for _ in range(round(BACK_SECONDS / self.spec.period)):
            base = self.seen.body.base
            while (
                self._travelled_path
                and np.hypot(self._travelled_path[-1].x - base.x, self._travelled_path[-1].y - base.y) < BESIDE
            ):
                self._travelled_path.pop()
            if not self._travelled_path or np.hypot(base.x - start.x, base.y - start.y) > BACK:
                break
            forward, left, _ = base.inverse(np.array([self._travelled_path[-1].x, self._travelled_path[-1].y, 0.0]))
            heading_error = math.atan2(-left, -forward)  # heading error of the base's back
            speed = -BACK_SPEED * max(0.0, math.cos(heading_error))
            yield self.spec.drive(speed, float(np.clip(2.0 * heading_error, -1.0, 1.0)))
        base = self.seen.body.base
        if np.hypot(base.x - start.x, base.y - start.y) < BESIDE:
            yield from self._to_posture(self._folded)  # an obstacle that holds the base may hold the arm
        self._blocked = BlockedBase(self.seen.body.base, self.seen.stamp)
        self._anchor, self._anchor_decision = self.seen.body.base, self.decided
        yield from self.move_to_rest()
        self.policy.reset({"skill": self.network})

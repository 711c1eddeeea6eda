"""M3's Go to: one of twenty velocities per decision, one of which means to stop."""

from __future__ import annotations

from homie.kernel.types import Array, Failure, FailureReason, Goal, Observation, Outcome, Subtask
from homie.kernel.world import thresholds
from skills.m3.layout import ANGULAR, LINEAR, STOP
from skills.m3.skill import M3Skill
from skills.policies.blocked_base import BlockedBase
from skills.policies.policy import Value


class Navigate(M3Skill):
    """Stops when the network says so, where the base is blocked, or after 500 decisions."""

    actions = ("Go to",)
    networks = ("navigate",)
    decisions = 500
    fastest = (max(LINEAR), max(ANGULAR), 0.0)
    spare_seconds = 1.0

    def choose(self, goal: Goal) -> str:
        return "navigate"

    def target(self) -> Array:
        return self.goal.position

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().begin(subtask, goal, observation)
        self._blocked = BlockedBase(observation.body.base, observation.stamp)

    def judge(self) -> None:
        """Fail where the base is blocked. Gu et al. let it slide along what it touches; a robot must not press on."""
        forward, turning = self.held.get("base") or (0.0, 0.0)
        if self._blocked.is_blocked(self.seen.body.base, self.seen.stamp, forward, turning):
            self.finish(Outcome.FAILED, Failure(FailureReason.WAY_BLOCKED))

    def obey(self, action: Value) -> None:
        index = int(action)
        if index == STOP:
            self._stopped()
        linear, angular = LINEAR[index // len(ANGULAR)], ANGULAR[index % len(ANGULAR)]
        self.held = self.spec.drive(linear * self.slowness, angular * self.slowness)

    def _stopped(self) -> None:
        base = self.seen.body.base
        if self.goal.room is not None:
            x0, y0, x1, y1 = self.goal.room
            if not (x0 <= base.x <= x1 and y0 <= base.y <= y1):
                self.finish(Outcome.FAILED, Failure(FailureReason.OUTSIDE_ROOM))
                return
        else:
            box = self.goal.box
            away = box.distance(base.xy) if box is not None else _distance(self.goal.position, base.xy)
            if not thresholds.within_reach(away):
                self.finish(Outcome.FAILED, Failure(FailureReason.STOPPED_SHORT, metres=away))
                return
        self.finish(Outcome.SUCCEEDED, "the policy stopped")


def _distance(point: Array, xy: Array) -> float:
    return float(((point[:2] - xy) ** 2).sum() ** 0.5)

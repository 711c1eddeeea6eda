"""NoMaD's Go to: along a topological map, towards a goal image, or exploring."""

from __future__ import annotations

import json

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import VIEWS, FailureReason, Goal, Observation, Subtask
from skills.motion.motions import Motion, Stuck
from skills.nomad.goal import NomadGoal, adapt
from skills.nomad.steering import STEERING_RATE, TIMEOUT, velocities
from skills.policies.blocked_base import BlockedBase
from skills.policies.policy import Policy, PolicyFailed, Value
from skills.policies.routine import EPSILON, PolicyRoutine

CAMERA = VIEWS[0]


class NomadGoTo(PolicyRoutine):
    """Folds the arm, turns towards the goal image if there is one, and follows NoMaD until it reports the goal
    reached."""

    name = "nomad/go_to"
    actions = ("Go to",)
    cameras = VIEWS
    max_seconds = 180.0

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(policy, spec, kinematics)
        self.interval = 1.0 / float(_number(policy.facts["rate"]))
        self.explore_seconds = float(_number(policy.facts["explore_seconds"]))
        self.names: dict[str, list[int]] = json.loads(str(policy.facts["names"]))

    def aim(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.to = adapt(subtask, goal, observation, self.names)
        if self.is_exploring and not self.explore_seconds:
            raise PolicyFailed(FailureReason.TARGET_NOT_FOUND)

    @property
    def is_exploring(self) -> bool:
        """Whether the attempt has no goal, so that NoMaD explores."""
        return not self.to.nodes and self.to.picture is None

    def routine(self) -> Motion:
        yield from self.tuck()
        if self.to.picture is not None:
            yield from self.turn(self.to.heading)
        self.policy.reset(_goal_fields(self.to))
        yield from self.drive()

    def drive(self) -> Motion:
        """Decide at NoMaD's rate and steer at the rate of its controller until the goal is reached."""
        start = steering_stamp = self.seen.stamp
        decision_stamp, waypoint, velocity = -np.inf, (0.0, 0.0), (0.0, 0.0)
        blocked = BlockedBase(self.base, start)
        self.ask(CAMERA, start)
        while True:
            stamp = self.seen.stamp
            if (frame := self.answer()) is not None:
                self.ask(CAMERA, max(self.due + self.interval, stamp))
                decision = self.policy.step({"picture": frame.rgb})
                if decision["ready"]:
                    if decision["reached"]:
                        return
                    forward, left = np.asarray(decision["waypoint"]).tolist()
                    decision_stamp, waypoint = stamp, (forward, left)
            if self.is_exploring and stamp - start > self.explore_seconds:
                raise Stuck(FailureReason.EXPLORED, seconds=self.explore_seconds)
            if blocked.is_blocked(self.base, stamp, *velocity):
                raise Stuck(FailureReason.WAY_BLOCKED)
            if stamp >= steering_stamp - EPSILON:
                steering_stamp = max(steering_stamp + 1.0 / STEERING_RATE, stamp)
                velocity = velocities(waypoint) if stamp - decision_stamp <= TIMEOUT else (0.0, 0.0)
            yield self.spec.drive(*velocity)


def _goal_fields(goal: NomadGoal) -> dict[str, Value]:
    """Return the goal in the form that the policy takes."""
    if goal.nodes:
        return {"nodes": np.array(goal.nodes, dtype=np.int64)}
    return {} if goal.picture is None else {"picture": goal.picture}


def _number(value: Value) -> float:
    assert isinstance(value, (int, float))
    return float(value)

"""A skill that samples its success, then sets the state of the simulated world."""

from __future__ import annotations

from homie.kernel.actions import ActionTable
from homie.kernel.interfaces import Rearrangeable
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Goal, Observation, Outcome, Subtask
from skills.attempts import AttemptSkill
from skills.ideal_places import places
from skills.ideal_reliability import SuccessSampler

SETTLES = 0.2
"""Seconds for a released object to come to rest: into a bowl it falls a few centimetres."""
SET = "set in the world, without motion"
"""The reason of an attempt that succeeded, for the record."""


class IdealSkill(AttemptSkill):
    """One attempt is one sample and one change of the world.

    After a Put the skill stands still for a moment, so that the outcome is judged by the resting pose of the object.

    Args:
        table: The actions that the skill performs.
    """

    name = "ideal"

    def __init__(self, robot: Rearrangeable, spec: RobotSpec, rng: SuccessSampler, table: ActionTable) -> None:
        self._robot, self._spec, self._rng, self._table = robot, spec, rng, table
        self.actions = tuple(table)
        self._renew(Outcome.FAILED)
        self._settle_until = 0.0

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        action = self._table[subtask.action]
        self._renew(Outcome.FAILED)
        if not self._rng.succeeds(action.name):
            self._reason = f"failed at random: {self._rng.describe_chance(action.name)}"
            if self._rng.loses(action.name):
                self._reason += self._drop()
            return
        stay = action.result != "reached"
        standing_places = places(goal, observation.body.base, self._spec, stay=stay)
        problem = self._robot.set_outcome(action, goal, standing_places)
        self._reason, self._retryable = problem or SET, not problem
        if not problem:
            self._settle_until = observation.stamp + (SETTLES if action.inventory == "gives" else 0.0)
            self._outcome = Outcome.RUNNING if action.inventory == "gives" else Outcome.SUCCEEDED

    def _drop(self) -> str:
        problem = self._robot.drop()
        return f"; it could not be dropped: {problem}" if problem else "; it lies on the floor"

    def act(self, observation: Observation) -> Command:
        if observation.stamp >= self._settle_until:
            self._outcome = Outcome.SUCCEEDED
        return Command()

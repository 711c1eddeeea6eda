"""Heat, Cool, Wash, Fill: the thing is where it happens, and the robot waits until it has."""

from __future__ import annotations

from homie.kernel.types import Command, Goal, Observation, Outcome, Subtask
from homie.kernel.world.household_verbs import VERBS
from skills.attempts import AttemptSkill

SPARE = 1.0
"""Seconds that it waits longer than it takes."""


class Attend(AttemptSkill):
    """Stands still for as long as the rule of a verb takes. What has come of it, who judges the attempt looks at."""

    name = "chores/attend"
    actions = tuple(name for name, verb in VERBS.items() if verb.rule is not None and verb.rule.at)

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._renew()
        rule = VERBS[subtask.action].rule
        self._until = observation.stamp + SPARE + (0.0 if rule is None else rule.seconds)

    def act(self, observation: Observation) -> Command:
        if observation.stamp >= self._until:
            self._outcome = Outcome.SUCCEEDED
        return Command()

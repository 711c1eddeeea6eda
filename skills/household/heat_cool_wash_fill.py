"""Heat, Cool, Wash, Fill: the object is already in place, and the robot waits until the process is complete."""

from __future__ import annotations

from homie.kernel.types import Command, Goal, Observation, Outcome, Subtask
from homie.kernel.world.household_verbs import VERBS
from skills.attempts import AttemptSkill

SPARE = 1.0
"""Additional waiting time, s."""


class Attend(AttemptSkill):
    """Stands still for as long as the rule of a verb takes. The result is checked by the success check of the
    attempt."""

    name = "chores/attend"
    actions = tuple(name for name, verb in VERBS.items() if verb.rule is not None and verb.rule.at)

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._renew()
        rule = VERBS[subtask.action].rule
        self._end_stamp = observation.stamp + SPARE + (0.0 if rule is None else rule.seconds)

    def act(self, observation: Observation) -> Command:
        if observation.stamp >= self._end_stamp:
            self._outcome = Outcome.SUCCEEDED
        return Command()

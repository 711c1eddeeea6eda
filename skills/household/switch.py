"""Turn on and Turn off, by a button or a knob."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Goal, Observation, Outcome, Subtask
from skills.household.press import Press
from skills.household.turn import Turn
from skills.motion.held_object import Hand


class Switch(Skill):
    """Presses a button (a slide), or turns a knob (a hinge)."""

    name = "chores/switch"
    actions = Press.actions
    max_seconds = max(Press.max_seconds, Turn.max_seconds)

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        self._press, self._turn = Press(spec, kinematics, hand), Turn(spec, kinematics, hand)
        self._skill: Press | Turn = self._press

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        knob = any(part.kind == "hinge" for part in goal.articulations)
        self._skill = self._turn if knob else self._press
        self.name = self._skill.name
        self._skill.start(subtask, goal, observation)

    def revise(self, goal: Goal) -> None:
        self._skill.revise(goal)

    def act(self, observation: Observation) -> Command:
        return self._skill.act(observation)

    @property
    def outcome(self) -> Outcome:
        return self._skill.outcome

    @property
    def reason(self) -> str:
        return self._skill.reason

    @property
    def about(self) -> tuple[str, ...]:
        return self._skill.about

    @property
    def retryable(self) -> bool:
        return self._skill.retryable

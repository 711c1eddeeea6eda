"""Third-party package that adds an action, dusting the box with the held object, without changes to Homie.

homie run "dust the box" --skills tiny,homie_dust:Dusting ...
"""

from __future__ import annotations

from typing import ClassVar

from error_detection import paper_order
from homie.kernel.actions import Action
from homie.kernel.interfaces import CheckQuestion, ErrorCheck, Skill, SkillSet
from homie.kernel.types import Check, Command, ErrorCode, Outcome

DUST = Action(name="Dust", words=("brush",), hand="full", near=True, result="reached")


def boxes_only(question: CheckQuestion) -> Check:
    """Return error L4 for dusting anything but a box."""
    if question.action != DUST or question.entity == "box":
        return Check("dusting")
    return Check("dusting", ErrorCode.L4, f"Can not dust {question.subtask.target}! Please choose another object")


order = (*paper_order, boxes_only)


class Dust(Skill):
    """Skill that moves to and fro for two seconds."""

    name, actions = "dusting/dust", (DUST.name,)

    def start(self, subtask, goal, observation):
        self._began = self._now = observation.stamp

    def act(self, observation):
        self._now = observation.stamp
        return Command(base=(0.1 if round(2 * self._now) % 2 else -0.1, 0.0))

    @property
    def outcome(self):
        return Outcome.SUCCEEDED if self._now - self._began > 2.0 else Outcome.RUNNING


class Dusting(SkillSet):
    """The skill set behind `--skills homie_dust:Dusting`."""

    name = "dusting"
    actions = (DUST.name,)
    own_actions: ClassVar[tuple[Action, ...]] = (DUST,)
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (boxes_only,)

    def skills(self, spec, kinematics):
        return [Dust()]

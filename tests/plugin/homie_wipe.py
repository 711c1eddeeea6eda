"""A third-party package with an action of its own: what is held wipes the box. It touches no file of Homie.

homie run "wipe the box" --skills tiny,homie_wipe:Wiping --check-order homie_wipe:order ...
"""

from __future__ import annotations

from typing import ClassVar

from error_detection import paper_order
from homie.kernel.interfaces import CheckQuestion, Skill, SkillSet
from homie.kernel.types import Check, Command, ErrorCode, Outcome
from homie.kernel.vocabulary.actions import Action

WIPE = Action(name="Wipe", words=("scrub",), hand="full", near=True, result="reached")


def boxes_only(question: CheckQuestion) -> Check:
    """L4 for wiping anything but a box."""
    if question.action != WIPE or question.entity == "box":
        return Check("wiping")
    return Check("wiping", ErrorCode.L4, f"Can not wipe {question.subtask.target}! Please choose another object")


order = (*paper_order, boxes_only)


class Wipe(Skill):
    """To and fro for two seconds."""

    name, actions = "wiping/wipe", (WIPE.name,)

    def start(self, subtask, goal, observation):
        self._began = self._now = observation.stamp

    def act(self, observation):
        self._now = observation.stamp
        return Command(base=(0.1 if round(2 * self._now) % 2 else -0.1, 0.0))

    @property
    def outcome(self):
        return Outcome.SUCCEEDED if self._now - self._began > 2.0 else Outcome.RUNNING


class Wiping(SkillSet):
    """The skill set behind `--skills homie_wipe:Wiping`."""

    name = "wiping"
    actions = (WIPE.name,)
    own_actions: ClassVar[tuple[Action, ...]] = (WIPE,)

    def skills(self, spec, kinematics):
        return [Wipe()]

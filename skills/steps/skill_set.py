"""The skill set `steps`."""

from __future__ import annotations

from typing import ClassVar

from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.vocabulary.actions import Action
from skills.steps.actions import SMALL
from skills.steps.step import Step


class Steps(SkillSet):
    """Small moves, turns and nods."""

    name = "steps"
    actions = tuple(SMALL)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(Action(name=name, arguments=()) for name in SMALL)
    about = "takes small steps, turns and nods"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'steps'", "base", "head")
        return [Step(spec, kinematics)]

"""`--skills classical,chores` and `--skills ideal,ideal-chores`: the verbs of a household."""

from __future__ import annotations

from typing import ClassVar

from homie.kernel.interfaces import ErrorCheck, Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.vocabulary.actions import Action, ActionTable
from homie.kernel.world.household import VERBS
from skills.chores.attend import Attend
from skills.chores.checks import household
from skills.chores.press import Press
from skills.classical.hand import Hand
from skills.ideal.skill_set import Ideal

ROWS: ActionTable = {name: verb.action for name, verb in VERBS.items()}


class Chores(SkillSet):
    """Verbs of a household by motion: the hand presses switches, and waits for what takes time."""

    name = "chores"
    actions = (*Press.actions, *Attend.actions)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS[action] for action in actions)
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (household,)
    about = "turns things on and off by their switches, washes, fills, heats and cools"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'chores'", "base", "arm", "gripper", postures=True)
        return [Press(spec, kinematics, Hand()), Attend()]


class IdealChores(Ideal):
    """All verbs of a household, set in a simulated world."""

    name = "ideal-chores"
    table: ClassVar[ActionTable] = ROWS
    actions = tuple(ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (household,)
    about = "turns things on and off, slices, washes, wipes, fills, pours, heats and cools"

"""`--skills classical,people` and `--skills ideal,ideal-people`: what is done with people."""

from __future__ import annotations

from typing import ClassVar

from homie.kernel.interfaces import ErrorCheck, Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.vocabulary.actions import Action, ActionTable
from homie.kernel.world.household import PERSON_VERBS
from skills.classical.hand import Hand
from skills.ideal.skill_set import Ideal
from skills.people.checks import people
from skills.people.follow import Follow
from skills.people.hand_over import HandOver
from skills.people.show import Show

ROWS: ActionTable = {name: verb.action for name, verb in PERSON_VERBS.items()}
ABOUT = "hands things over to people, shows them things and follows them"


class People(SkillSet):
    """What is done with people, by motion."""

    name = "people"
    actions = tuple(ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (people,)
    about = ABOUT

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'people'", "base", "arm", "gripper", postures=True)
        hand = Hand()
        return [HandOver(spec, kinematics, hand), Show(spec, kinematics, hand), Follow(spec, kinematics, hand)]


class IdealPeople(Ideal):
    """What is done with people, set in a simulated world."""

    name = "ideal-people"
    table: ClassVar[ActionTable] = ROWS
    actions = tuple(ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (people,)
    about = ABOUT

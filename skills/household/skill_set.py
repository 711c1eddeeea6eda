"""Skill sets of household verbs, `--skills classical,chores` and `--skills ideal,ideal-chores`, and of interaction with
people, `--skills classical,people` and `--skills ideal,ideal-people`."""

from __future__ import annotations

from typing import ClassVar

from homie.kernel.actions import Action, ActionTable
from homie.kernel.interfaces import ErrorCheck, Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS, doings
from skills.household.follow import Follow
from skills.household.hand_over import HandOver
from skills.household.heat_cool_wash_fill import Attend
from skills.household.show import Show
from skills.household.switch import Switch
from skills.household.verb_requirements import household, people
from skills.ideal_skill_set import Ideal
from skills.motion.held_object import Hand

ROWS: ActionTable = {name: verb.action for name, verb in VERBS.items()}
PERSON_ROWS: ActionTable = {name: verb.action for name, verb in PERSON_VERBS.items()}
PEOPLE_ABOUT = "hands things over to people, shows them things and follows them"


class Chores(SkillSet):
    """Verbs of a household by motion: the hand presses and turns switches, and waits for what takes time.

    An arm without a base only switches."""

    name = "chores"
    actions = (*Switch.actions, *Attend.actions)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS[action] for action in actions)
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (household,)
    about = f"turns things on and off by their switches, {doings(Attend.actions)}"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'chores'", "arm", "gripper", postures=True)
        switch = Switch(spec, kinematics, Hand())
        return [switch] if spec.first("base") is None else [switch, Attend()]


class IdealChores(Ideal):
    """All verbs of a household, set in a simulated world."""

    name = "ideal-chores"
    table: ClassVar[ActionTable] = ROWS
    actions = tuple(ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (household,)
    about = f"turns things on and off, {doings(ROWS)}"


class People(SkillSet):
    """What is done with people, by motion."""

    name = "people"
    actions = tuple(PERSON_ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(PERSON_ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (people,)
    about = PEOPLE_ABOUT

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'people'", "base", "arm", "gripper", postures=True)
        hand = Hand()
        return [HandOver(spec, kinematics, hand), Show(spec, kinematics, hand), Follow(spec, kinematics, hand)]


class IdealPeople(Ideal):
    """What is done with people, set in a simulated world."""

    name = "ideal-people"
    table: ClassVar[ActionTable] = PERSON_ROWS
    actions = tuple(PERSON_ROWS)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(PERSON_ROWS.values())
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = (people,)
    about = PEOPLE_ABOUT

"""The skill set `classical`."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from skills.classical.goto import GoTo
from skills.classical.openclose import Close, Open
from skills.classical.pick import Pick
from skills.classical.put import Put
from skills.motion.held_object import Hand


class Classical(SkillSet):
    """The classical skills; they share what is known of the thing in the hand. An arm without a base does not drive."""

    name = "classical"
    actions = ("Go to", "Pick", "Put", "Open", "Close")
    about = "drives and moves the arm along planned ways"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'classical'", "arm", "gripper", postures=True)
        hand = Hand()
        moves = () if spec.first("base") is None else (GoTo,)
        return [kind(spec, kinematics, hand) for kind in (*moves, Pick, Put, Open, Close)]

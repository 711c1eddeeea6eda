"""Classical skills: closed-loop controllers for Go to, Pick, Put, Open and Close on the robot interface."""

from __future__ import annotations

from homie.interfaces import Kinematics, RobotSpec, Skill
from skills.classical.goto import GoTo
from skills.classical.hand import Hand
from skills.classical.openclose import Close, Open
from skills.classical.pick import Pick
from skills.classical.put import Put


def skills(spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
    """One set of classical skills for a robot; they share what is known of the thing in the hand."""
    hand = Hand()
    return [
        GoTo(spec, kinematics),
        Pick(spec, kinematics, hand),
        Put(spec, kinematics, hand),
        Open(spec, kinematics, hand),
        Close(spec, kinematics, hand),
    ]

"""The skill set `classical`."""

from __future__ import annotations

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, RobotSpec, Skill, SkillSet
from skills.classical.goto import GoTo
from skills.classical.hand import Hand
from skills.classical.openclose import Close, Open
from skills.classical.pick import Pick
from skills.classical.put import Put


class Classical(SkillSet):
    """The classical skills; they share what is known of the thing in the hand."""

    name = "classical"
    actions = ("Go to", "Pick", "Put", "Open", "Close")
    about = "drives and moves the arm along planned ways"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise BadInput(f"The skill set 'classical' takes no argument (got '{argument}').")

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        if spec.max_linear <= 0.0:
            raise BadInput(f"The skill set 'classical' drives about, which {spec.name} cannot: use --skills arm.")
        if not spec.ready:
            raise BadInput(
                "The skill set 'classical' reaches out from a raised posture (`RobotSpec.ready`), which "
                f"{spec.name} has not: give skills of its own with --skills."
            )
        hand = Hand()
        return [
            GoTo(spec, kinematics, hand),
            Pick(spec, kinematics, hand),
            Put(spec, kinematics, hand),
            Open(spec, kinematics, hand),
            Close(spec, kinematics, hand),
        ]

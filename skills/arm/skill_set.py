"""The skill set `arm`."""

from __future__ import annotations

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, RobotSpec, Skill, SkillSet
from skills.arm.move import Move


class Arm(SkillSet):
    """Motion planning to poses of the tool, for an arm on a table."""

    name = "arm"
    actions = ("Move",)
    about = "moves the gripper along planned ways"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise BadInput(f"The skill set 'arm' takes no argument (got '{argument}').")

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        if spec.max_linear > 0.0:
            raise BadInput(f"The skill set 'arm' moves an arm on a table, not {spec.name}: use --robot franka.")
        return [Move(spec, kinematics)]

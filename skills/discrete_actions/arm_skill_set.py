"""The skill set `arm`."""

from __future__ import annotations

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from skills.discrete_actions.arm_move import Move


class Arm(SkillSet):
    """Motion planning to poses of the tool, for an arm on a table."""

    name = "arm"
    actions = ("Move",)
    about = "moves the gripper along planned ways"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'arm'", "arm", "gripper")
        if spec.first("base") is not None:
            raise BadInput(f"The skill set 'arm' moves an arm on a table, not {spec.name}: use --robot franka.")
        return [Move(spec, kinematics)]

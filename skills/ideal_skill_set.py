"""`--skills ideal[:FILE]`: a subtask whose preconditions hold takes effect at once, in a simulated world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from homie.kernel.actions import HOUSEHOLD, ActionTable
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Rearrangeable, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from skills.ideal_reliability import SuccessSampler, read_reliability
from skills.ideal_skill import IdealSkill


class Ideal(SkillSet):
    """Skills that cannot fail but as a file of reliabilities says: to compare planners apart from skills.

    The argument is such a file (`skills.ideal_reliability`), or the name of one that comes with Homie: `emmoe`.
    """

    name = "ideal"
    table: ClassVar[ActionTable] = {action.name: action for action in HOUSEHOLD if action.name != "End"}
    """The actions that the set performs."""
    actions: ClassVar[tuple[str, ...]] = tuple(table)
    about = "does what it is told"  # codespell:ignore
    note = "privileged: sets the simulated world, nothing moves"

    def __init__(self, argument: str = "") -> None:
        """Raises BadInput for a file that cannot be read."""
        super().__init__()
        self.reliability, self._sha256 = read_reliability(argument)
        self._robot: Rearrangeable | None = None
        self._seed = 0

    def bind(self, robot: Robot) -> None:
        """Store the robot whose world is set. Raises BadInput for a robot whose world cannot be set."""
        self._robot = settable(robot, self.name)

    def reset(self, *, seed: int) -> None:
        self._seed = seed

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        assert self._robot is not None, "bind has set it"
        spec.require(f"The skill set '{self.name}'", "base", "arm", "gripper", postures=True)
        return [IdealSkill(self._robot, spec, SuccessSampler(self.reliability, self._seed), self.table)]

    def describe(self) -> Mapping[str, object]:
        file = {"sha256": self._sha256, **self.reliability.model_dump(mode="json")} if self._sha256 else {}
        return {"privileged": True, "reliability": file}


def settable(robot: Robot, skill_set: str) -> Rearrangeable:
    """Return the robot, whose world a skill set (by its name) is to set. Raises BadInput if it cannot be set."""
    if not isinstance(robot, Rearrangeable):
        raise BadInput(
            f"The skill set '{skill_set}' sets a simulated world, and that of the {robot.spec.name} cannot be set: "
            "choose others by --skills."
        )
    return robot

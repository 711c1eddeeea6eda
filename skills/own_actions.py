"""`--skills own`: every action is delegated to the robot, which carries it out by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from homie.kernel.actions import ACTIONS
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Performer, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Goal, Observation, Outcome, Subtask


class OwnSkillSet(SkillSet):
    """What the robot does by itself. Raises BadInput for an argument."""

    name = "own"
    actions: ClassVar[tuple[str, ...]] = tuple(action for action in ACTIONS if action != "End")
    about = "does whole actions by itself"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise BadInput(f"The skill set 'own' takes no argument (got '{argument}').")
        self._robot: Performer | None = None
        self._available: tuple[str, ...] = ()

    def bind(self, robot: Robot) -> None:
        """Store the robot that performs the actions. Raises BadInput for a robot that performs none by itself."""
        if not isinstance(robot, Performer):
            raise BadInput(
                f"The {robot.spec.name} carries out no whole actions by itself: choose skills for it by --skills."
            )
        self._robot = robot
        self._available = tuple(action for action in robot.actions if action != "End") or self.actions

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        assert self._robot is not None, "bind has set it"
        return [OwnSkill(self._robot, self._available)]


class OwnSkill(Skill):
    """Sends one request to the robot; its answer is the outcome."""

    name = "own"

    def __init__(self, robot: Performer, actions: tuple[str, ...]) -> None:
        self.actions = actions
        self._robot = robot
        self._refusal = ""

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._refusal = self._robot.perform(subtask, goal.name)

    def act(self, observation: Observation) -> Command:
        return Command()

    @property
    def outcome(self) -> Outcome:
        return Outcome.FAILED if self._refusal else Outcome.SUCCEEDED

    @property
    def reason(self) -> str:
        return self._refusal

    @property
    def retryable(self) -> bool:
        return False

    @property
    def feedback_message(self) -> str:
        return self._refusal

"""The contracts of skills and skill sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from homie.kernel.actions import Action
from homie.kernel.interfaces.checks import ErrorCheck
from homie.kernel.interfaces.kinematics import Kinematics
from homie.kernel.interfaces.parts import Configurable
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.deprecated_imports import renamed_members
from homie.kernel.types import (
    Command,
    Goal,
    Observation,
    Outcome,
    Subtask,
)

OLD_NAMES = {
    "complaint": "feedback_message",  # codespell:ignore
    "looks": "required_cameras",
    "hopeless": "not retryable",  # codespell:ignore
}
"""Members of skills by the names that they had in version 0.1."""


class Skill(ABC):
    """A low-level policy bound to some actions. Stateful between `start` and the end of the attempt.

    `act` is called once per control period with a fresh observation; it returns the next command, and `outcome` says
    whether it goes on. The observation of `start` has the pictures of `cameras`, that of an `act` those of
    `required_cameras`: a policy that decides at 4 Hz wants none in between. A skill never sees world state; what it may
    know is in the goal.
    """

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, OLD_NAMES)

    name: str = ""
    actions: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    max_seconds: float = 60.0
    deliberates: bool = False
    """Whether an `act` with `required_cameras` may take longer than a control period: networks do."""

    @abstractmethod
    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Begin an attempt.

        Args:
            subtask: What is to be done, in the planner's words.
            goal: What it is done to, in the odometry frame: position, box, surfaces, free floor.
            observation: Now, with the pictures of `cameras`.

        Raises:
            TargetLost: The goal is nothing that this skill can begin with; the attempt has failed.
        """

    def revise(self, goal: Goal) -> None:
        """Take a better goal while running: the locator has seen more. Ignoring it is allowed."""

    def required_cameras(self) -> tuple[str, ...]:
        """The cameras whose pictures the next `act` wants."""
        return self.cameras

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """The command of the next control period.

        Args:
            observation: Now, with the pictures of the cameras that `required_cameras` named.

        Returns:
            Targets of the groups that are to move; a group that is left out holds.

        Raises:
            TargetLost: What the subtask is about is not where it was; the attempt has failed.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """RUNNING until the attempt is over."""

    @property
    def reason(self) -> str:
        """Why the attempt ended as it did: a `homie.kernel.types.Failure`, for which planners get advice, or a text for
        the record alone."""
        return ""

    @property
    def about(self) -> tuple[str, ...]:
        """The entities that blocked the skill, by name: what has to be moved away first. Where `reason` names them, a
        planner gets the names that it knows (`WorldModel.called`)."""
        return ()

    @property
    def retryable(self) -> bool:
        """Whether another attempt may go better with the world as it is; none is made where it is False."""
        return True

    @property
    def feedback_message(self) -> str:
        """Feedback sentence for a failed subtask; empty to use the default E1 message, or the advice for its `reason`
        (`error_detection.failure_advice`)."""
        return ""


class SkillSet(Configurable, ABC):
    """The skills of one low-level model, as `--skills` names it; to a planner its `name` is a model to choose.

    It is made once for all episodes of a process: networks are loaded then. What is of one episode is in the skills,
    which `skills` makes anew for each. Its argument is that of `--skills NAME:ARGUMENT`, its settings those of
    `--skill-option NAME.SETTING=VALUE`. The argument of a learned model is its checkpoint. Without one the constructor
    raises MissingCheckpoint, and `classical` may be the fallback for its `actions`.
    """

    word = "skill set"
    actions: ClassVar[tuple[str, ...]] = ()
    """What the set can do, known without a checkpoint."""
    meant_for: ClassVar[tuple[str, ...]] = ()
    """Those of its actions that a planner should choose it for, where other sets have them too (EMMOE, table E2)."""
    about: ClassVar[str] = ""
    """What it is good at, for planners: the rest of a sentence that begins with its name, such as `goes to rooms`."""
    own_actions: ClassVar[tuple[Action, ...]] = ()
    """Properties of the actions that only this skill set has (`Action(name="Wait", arguments=())`). One that is not
    here takes a target and asks for nothing."""
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = ()
    """What its own actions ask for that the table has no column for. They are asked after the checks of the run."""

    def reset(self, *, seed: int) -> None:
        """An episode begins; `skills` is asked next. What is sampled in it follows from the seed."""

    @abstractmethod
    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """New skills for a robot, which know of no earlier episode.

        Args:
            spec: The groups, limits and speeds of the robot.
            kinematics: Of its arm.

        Returns:
            The skills; together they have the actions of the set.

        Raises:
            BadInput: They cannot move this robot; the sentence names the group that is missing (`RobotSpec.require`).
        """

    def describe(self) -> Mapping[str, object]:
        """What decides its actions (hashes of its files, settings), JSON-ready, without secrets; as for planners."""
        return {}

    def close(self) -> None:
        """Release what it holds. Idempotent."""

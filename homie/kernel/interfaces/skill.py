"""Interfaces of skills and skill sets."""

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
"""Members of skills by their names in version 0.1."""


class Skill(ABC):
    """Low-level policy for some actions. Stateful between `start` and the end of the attempt.

    `act` is called once per control period with a new observation and returns the next command; `outcome` says whether
    the attempt continues. The observation of `start` has the pictures of `cameras`, that of `act` those of
    `required_cameras`: a policy that decides at 4 Hz needs none in between. A skill never sees world state; all that it
    may know is in the goal.
    """

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, OLD_NAMES)

    name: str = ""
    actions: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    max_seconds: float = 60.0
    deliberates: bool = False
    """Whether an `act` with pictures of `required_cameras` may take longer than a control period, as for networks."""

    @abstractmethod
    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Begin an attempt.

        Args:
            subtask: The subtask in the planner's words.
            goal: Its target in the odometry frame: position, box, surfaces, free floor.
            observation: The current observation, with the pictures of `cameras`.

        Raises:
            TargetLost: The skill cannot start with this goal; the attempt has failed.
        """

    def revise(self, goal: Goal) -> None:
        """Update the goal of the running attempt after new observations of the locator. May be ignored."""

    def required_cameras(self) -> tuple[str, ...]:
        """Return the cameras whose pictures the next `act` needs."""
        return self.cameras

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """Return the command for the next control period.

        Args:
            observation: The current observation, with the pictures of the cameras returned by `required_cameras`.

        Returns:
            Targets of the groups that are to move; a group without a target holds its position.

        Raises:
            TargetLost: The target is no longer where it was; the attempt has failed.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """State of the attempt: RUNNING until it is over."""

    @property
    def reason(self) -> str:
        """Why the attempt ended: a `homie.kernel.types.Failure`, for which planners get advice, or a text that is only
        recorded."""
        return ""

    @property
    def about(self) -> tuple[str, ...]:
        """Names of the entities that blocked the skill and have to be moved away first. If `reason` contains them, a
        planner gets its own names for them (`WorldModel.called`)."""
        return ()

    @property
    def retryable(self) -> bool:
        """Whether another attempt may succeed in the same state of the world; if False, there is no retry."""
        return True

    @property
    def feedback_message(self) -> str:
        """Feedback sentence for a failed subtask; empty for the default E1 message, or the advice for its `reason`
        (`error_detection.failure_advice`)."""
        return ""


class SkillSet(Configurable, ABC):
    """The skills of one low-level model, selected by `--skills`; planners choose it as a model by its `name`.

    It is constructed once for all episodes of a process and loads networks then. State of an episode is in the skills,
    which `skills` creates anew for each. Its argument comes from `--skills NAME:ARGUMENT`, its settings from
    `--skill-option NAME.SETTING=VALUE`. The argument of a learned model is its checkpoint. Without one the constructor
    raises MissingCheckpoint, and `classical` may be the fallback for its `actions`.
    """

    word = "skill set"
    actions: ClassVar[tuple[str, ...]] = ()
    """Actions of its skills, known without a checkpoint."""
    meant_for: ClassVar[tuple[str, ...]] = ()
    """Actions for which a planner should prefer this set to others that have them too (EMMOE, table E2)."""
    about: ClassVar[str] = ""
    """Its strength, for planners: the rest of a sentence that begins with its name, such as `goes to rooms`."""
    own_actions: ClassVar[tuple[Action, ...]] = ()
    """Properties of the actions that only this skill set has (`Action(name="Wait", arguments=())`). An undeclared
    action takes a target and has no preconditions."""
    own_checks: ClassVar[tuple[ErrorCheck, ...]] = ()
    """Preconditions of its own actions that the action table cannot express. Run after the checks of the run."""

    def reset(self, *, seed: int) -> None:
        """Start an episode; `skills` is called next. The seed determines everything that is sampled in it."""

    @abstractmethod
    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """Create new skills for a robot, without state of earlier episodes.

        Args:
            spec: The groups, limits and speeds of the robot.
            kinematics: Kinematics of its arm.

        Returns:
            The skills; together they have the actions of the set.

        Raises:
            BadInput: They cannot move this robot; the message names the missing group (`RobotSpec.require`).
        """

    def describe(self) -> Mapping[str, object]:
        """Return what determines its behaviour (hashes of files, settings), JSON-serializable, without secrets; see
        `Planner.describe`."""
        return {}

    def close(self) -> None:
        """Release its resources. Idempotent."""

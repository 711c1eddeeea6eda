"""What a robot can be asked to do by itself, by software of its own, while a skill waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types import Array, Box, Outcome, Pose2


class GoalHandle(Protocol):
    """Something that a robot does by itself, until it is over. Stopping the robot ends it, too."""

    @property
    def outcome(self) -> Outcome:
        """RUNNING until it is over; STOPPED where it was cancelled."""

    @property
    def failure(self) -> str:
        """Why it did not succeed, a `Failure` where planners get advice; "" where it did."""

    def cancel(self) -> None:
        """End it early; its outcome says when that has happened. Does nothing once it is over."""


@runtime_checkable
class Navigator(Protocol):
    """A robot that finds its own way, as one that runs Nav2. The skill set `nav2` asks it."""

    def navigate(self, place: Pose2) -> GoalHandle:
        """Drive to a place in the odometry frame (m, rad), around what the robot's own software knows of.

        Raises CommandRefused where it may not move. Until it is over no velocity is taken.
        """


@runtime_checkable
class ArmPlanner(Protocol):
    """A robot that finds the ways of its arm and moves along them by itself, as one that runs MoveIt. The skill set
    `moveit` asks it."""

    def check_planner(self) -> None:
        """Raises BadInput for a robot whose planner is not named, or does not move the whole chain
        (`homie.kernel.robot.body.RobotSpec.chain`)."""

    def reach(self, joints: Array, around: Sequence[Box], held: Array) -> GoalHandle:
        """Bring torso and arm to joint positions.

        Args:
            joints: Of the chain (n,), rad and m.
            around: What the arm keeps out of, in the odometry frame, in addition to what the robot's own software
                knows.
            held: Balls (n, 4) that stand for the held object: centre in the gripper frame and radius, m.

        Raises:
            CommandRefused: It may not move. Until it is over nothing that moves the base or the chain is taken.
        """


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"Errand": "GoalHandle"})

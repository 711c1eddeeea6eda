"""Motions that a skill delegates to the robot's own software (Nav2, MoveIt), waiting for the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types import Array, Box, Outcome, Pose2


class GoalHandle(Protocol):
    """Handle of a motion that the robot's own software executes. Stopping the robot ends the motion, too."""

    @property
    def outcome(self) -> Outcome:
        """RUNNING until it is over; STOPPED if it was cancelled."""

    @property
    def failure(self) -> str:
        """Why it failed, as a `Failure` if planners get advice for it; "" if it succeeded."""

    def cancel(self) -> None:
        """Request its end; `outcome` changes once it has ended. Does nothing once it is over."""


@runtime_checkable
class Navigator(Protocol):
    """Robot with its own navigation software, such as Nav2. Used by the skill set `nav2`."""

    def navigate(self, place: Pose2) -> GoalHandle:
        """Drive to a pose in the odometry frame (m, rad), avoiding the obstacles known to the robot's own software.

        Raises CommandRefused if the robot may not move. Velocity commands are refused until the motion is over.
        """


@runtime_checkable
class ArmPlanner(Protocol):
    """Robot with its own motion planner for the arm, such as MoveIt. Used by the skill set `moveit`."""

    def check_planner(self) -> None:
        """Raises BadInput if the robot's planner is not configured, or does not move the whole chain
        (`homie.kernel.robot.body.RobotSpec.chain`)."""

    def reach(self, joints: Array, around: Sequence[Box], held: Array) -> GoalHandle:
        """Move torso and arm to joint positions. Commands for base and chain are refused until the motion is over.

        Args:
            joints: Joint positions of the chain (n,), rad and m.
            around: Boxes that the arm avoids, in the odometry frame, besides the obstacles known to the robot's own
                software.
            held: Spheres (n, 4) that approximate the held object: centre in the gripper frame and radius, m.

        Raises:
            CommandRefused: The robot may not move.
        """


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"Errand": "GoalHandle"})

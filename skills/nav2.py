"""`--skills nav2`: Go to, driven by the robot's own navigation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Navigator, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Outcome, Pose2
from skills.classical.goto import GoTo
from skills.motion.motions import Motion, Stuck


class Nav2(SkillSet):
    """Goes where the classical Go to would stand, on a way that the robot finds by itself."""

    name = "nav2"
    actions: ClassVar[tuple[str, ...]] = ("Go to",)
    meant_for: ClassVar[tuple[str, ...]] = ("Go to",)
    about = "drives by the robot's own navigation"

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self._robot: Navigator | None = None

    def bind(self, robot: Robot) -> None:
        """Store the robot whose navigation is used. Raises BadInput for a robot without one."""
        if not isinstance(robot, Navigator):
            raise BadInput(
                f"The {robot.spec.name} has no navigation of its own that could be asked: --skills nav2 is for robots "
                "on a ROS 2 network (--robot ros:PROFILE). Choose others by --skills."
            )
        self._robot = robot

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        assert self._robot is not None, "bind has set it"
        spec.require("The skill set 'nav2'", "base")
        return [DelegatedGoTo(spec, kinematics, self._robot)]


class DelegatedGoTo(GoTo):
    """Chooses the standing place, and lets the robot drive there."""

    name = "nav2/go_to"
    max_seconds = 180.0
    """Three minutes: Nav2 clears its maps and waits for people before it gives up."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, robot: Navigator) -> None:
        super().__init__(spec, kinematics)
        self._robot = robot

    def _drive(self, target: Array, yaw: float | None, tolerance: float) -> Motion:
        """Wait until the robot has arrived. Raises Stuck if it gives up."""
        facing = float(np.arctan2(*(target[:2] - self.base.xy)[::-1])) if yaw is None else yaw
        goal_handle = self._robot.navigate(Pose2(float(target[0]), float(target[1]), facing))
        try:
            while goal_handle.outcome is Outcome.RUNNING:
                yield from self.wait(self.spec.period)
        finally:
            goal_handle.cancel()
        if goal_handle.outcome is not Outcome.SUCCEEDED:
            raise Stuck(goal_handle.failure)

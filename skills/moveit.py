"""`--skills moveit`: Pick, Put, Open and Close with free arm motions done by the robot's own planner.

The skills are the classical ones: they choose where to stand, the grasp and the postures, and drive. Free arm motions,
to a raised posture, to the start of a straight motion, or back to the body, are planned and executed by the robot's own
software. Straight motions, the moving of handles and the fingers stay with the classical skills.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import ArmPlanner, Kinematics, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Outcome, Pose2
from skills.classical.openclose import Close, Open
from skills.classical.pick import Pick
from skills.classical.put import Put
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand
from skills.motion.motions import Motion, Stuck

STANDS, STOPPING = 0.01, 2.0
"""Speed (m/s, rad/s) below which the base counts as standing, and timeout (s) until it does: the obstacles for the arm
are expressed relative to the standing base."""


class MoveIt(SkillSet):
    """Picks, puts, opens and closes as the classical skills, the arm moved freely by the robot's own planner."""

    name = "moveit"
    actions: ClassVar[tuple[str, ...]] = ("Pick", "Put", "Open", "Close")
    meant_for: ClassVar[tuple[str, ...]] = actions
    about = "moves the arm on ways that the robot's own planner finds"

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self._robot: ArmPlanner | None = None

    def bind(self, robot: Robot) -> None:
        """Store the robot whose planner is used. Raises BadInput for a robot without one."""
        if not isinstance(robot, ArmPlanner):
            raise BadInput(
                f"The {robot.spec.name} has no planner of its own that could be asked: --skills moveit is for robots "
                "on a ROS 2 network (--robot ros:PROFILE). Choose others by --skills."
            )
        robot.check_planner()
        self._robot = robot

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        assert self._robot is not None, "bind has set it"
        spec.require("The skill set 'moveit'", "base", "arm", "gripper", postures=True)
        hand = Hand()
        kinds = (PlannedPick, PlannedPut, PlannedOpen, PlannedClose)
        return [kind(spec, kinematics, hand, self._robot) for kind in kinds]


class PlannedSkill(MobileSkill):
    """A skill whose free arm motions are done by the robot's own planner."""

    max_seconds = 240.0
    """Twice that of the classical skills: the robot stands while it plans, and arm and base move in turns."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand, robot: ArmPlanner) -> None:
        super().__init__(spec, kinematics, hand)
        self._robot = robot

    def way_to(self, posture: Array, base: Pose2 | None = None) -> list[Array] | None:
        """Return None: paths are the planner's, so the arm cannot follow one while the robot drives."""
        return None

    def reach(self, posture: Array, otherwise: Stuck | None = None) -> Motion:
        """Wait until the arm has reached a posture. Raises Stuck if the robot gives up."""
        waited = 0.0
        while max(map(abs, self.seen.body.base_velocity)) > STANDS and waited < STOPPING:
            yield from self.wait(self.spec.period)
            waited += self.spec.period
        goal_handle = self._robot.reach(self.chain.nearest(posture, self.q), self.space().solids.boxes, self.held)
        try:
            while goal_handle.outcome is Outcome.RUNNING:
                yield from self.wait(self.spec.period)
        finally:
            goal_handle.cancel()
        if goal_handle.outcome is not Outcome.SUCCEEDED:
            raise Stuck(goal_handle.failure)


class PlannedPick(PlannedSkill, Pick):
    """Pick, the arm moved freely by the robot's own planner."""

    name = "moveit/pick"


class PlannedPut(PlannedSkill, Put):
    """Put, the arm moved freely by the robot's own planner."""

    name = "moveit/put"


class PlannedOpen(PlannedSkill, Open):
    """Open, the arm moved freely by the robot's own planner."""

    name = "moveit/open"


class PlannedClose(PlannedSkill, Close):
    """Close, the arm moved freely by the robot's own planner."""

    name = "moveit/close"

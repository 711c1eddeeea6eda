"""A move by motion: the base drives a straight line, turns in place, or tilts its head."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot import graph_moves
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Pose2
from skills.discrete_actions.graph_move_results import MoveRefused, Traveller
from skills.discrete_actions.step import step_start
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable


class DrivenMove(MobileSkill):
    """One move. The straight line has to be free when the move begins; obstacles that appear on it are handled as in Go
    to. The move begins where the last one was meant to end: a degree more or less decides whether a point that is 30
    degrees off is faced."""

    name = "graph/move"
    actions = graph_moves.MOVES

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, traveller: Traveller) -> None:
        super().__init__(spec, kinematics)
        self._traveller = traveller
        self._intended_pose: Pose2 | None = None

    @property
    def feedback_message(self) -> str:
        """Reason of a failure, for the planner."""
        return f"Unable to {self.subtask.action.lower()}, {self.reason}" if self.reason else ""

    @property
    def _here(self) -> Pose2:
        """Start pose of the move."""
        return step_start(self.base, self._intended_pose)

    def routine(self) -> Motion:
        traveller = self._traveller
        try:
            match self.subtask.action:
                case graph_moves.FORWARD:
                    way = traveller.way(self._here, self.goal.grid)
                    yield from self.tuck()
                    for pose in way:
                        yield from self.navigate(pose.xy, pose.yaw)
                    self._intended_pose = way[-1]
                case graph_moves.TURN_LEFT | graph_moves.TURN_RIGHT:
                    heading = traveller.headings(self.subtask.action, self._here)[0]
                    yield from self.tuck()
                    yield from self.turn(heading.yaw)
                    self._intended_pose = heading
                case _:
                    traveller.tilt = traveller.look(self.subtask.action)
        except MoveRefused as refused:
            raise NotRetryable(str(refused)) from refused
        yield from self.look_at(traveller.gaze(self.base, traveller.tilt))

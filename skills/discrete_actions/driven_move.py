"""A move by motion: the base drives the straight way, turns on the spot, tilts its head."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot import graph_moves
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Pose2
from skills.discrete_actions.graph_move_results import Refused, Traveller
from skills.discrete_actions.step import begun
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable


class DrivenMove(MobileSkill):
    """One move. The way has to be free in a straight line when it begins; what the base does about what it meets on it
    is as in Go to. It begins where the last one was meant to end: a degree more or less decides whether a point that is
    30 degrees off is faced."""

    name = "graph/move"
    actions = graph_moves.MOVES

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, traveller: Traveller) -> None:
        super().__init__(spec, kinematics)
        self._traveller = traveller
        self._meant: Pose2 | None = None

    @property
    def feedback_message(self) -> str:
        """Why it has failed, for the planner."""
        return f"Unable to {self.subtask.action.lower()}, {self.reason}" if self.reason else ""

    @property
    def _here(self) -> Pose2:
        """Where the move begins."""
        return begun(self.base, self._meant)

    def routine(self) -> Motion:
        traveller = self._traveller
        try:
            match self.subtask.action:
                case graph_moves.FORWARD:
                    way = traveller.way(self._here, self.goal.grid)
                    yield from self.tuck()
                    for pose in way:
                        yield from self.navigate(pose.xy, pose.yaw)
                    self._meant = way[-1]
                case graph_moves.TURN_LEFT | graph_moves.TURN_RIGHT:
                    heading = traveller.headings(self.subtask.action, self._here)[0]
                    yield from self.tuck()
                    yield from self.turn(heading.yaw)
                    self._meant = heading
                case _:
                    traveller.tilt = traveller.look(self.subtask.action)
        except Refused as refused:
            raise NotRetryable(str(refused)) from refused
        yield from self.look_at(traveller.gaze(self.base, traveller.tilt))

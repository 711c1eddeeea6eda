"""A move by motion: the base drives the straight way, turns on the spot, tilts its head."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.vocabulary import moves
from skills.classical.driving import MobileSkill
from skills.classical.motion import Hopeless, Motion
from skills.graph.going import Refused, Traveller


class DrivenMove(MobileSkill):
    """One move. The way has to be free in a straight line when it begins; what the base does about what it meets on it
    is as in Go to."""

    name = "graph/move"
    actions = moves.MOVES

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, traveller: Traveller) -> None:
        super().__init__(spec, kinematics)
        self._traveller = traveller

    @property
    def complaint(self) -> str:
        """Why it has failed, for the planner."""
        return f"Unable to {self.subtask.action.lower()}, {self.reason}" if self.reason else ""

    def routine(self) -> Motion:
        traveller = self._traveller
        try:
            match self.subtask.action:
                case moves.FORWARD:
                    way = traveller.way(self.base, self.goal.grid)
                    yield from self.tuck()
                    for pose in way:
                        yield from self.navigate(pose.xy, pose.yaw)
                case moves.TURN_LEFT | moves.TURN_RIGHT:
                    yaw = traveller.headings(self.subtask.action, self.base)[0].yaw
                    yield from self.tuck()
                    yield from self.turn(yaw)
                case _:
                    traveller.tilt = traveller.look(self.subtask.action)
        except Refused as refused:
            raise Hopeless(str(refused)) from refused
        yield from self.look_at(traveller.gaze(self.base, traveller.tilt))

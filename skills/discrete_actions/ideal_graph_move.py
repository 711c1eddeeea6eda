"""A move that is set in the simulated world: the robot is placed at its end, or stays where it was."""

from __future__ import annotations

from collections.abc import Sequence

from homie.kernel.interfaces import Rearrangeable
from homie.kernel.robot import graph_moves
from homie.kernel.types import Command, Goal, Observation, Outcome, Pose2, Subtask
from skills.attempts import AttemptSkill
from skills.discrete_actions.graph_move_results import MoveRefused, Traveller
from skills.discrete_actions.step import IN_THE_WAY
from skills.discrete_actions.survey import GO_TO
from skills.ideal_skill import SET


class IdealMove(AttemptSkill):
    """One instantaneous move."""

    name = "ideal-graph/move"
    actions = graph_moves.MOVES

    def __init__(self, robot: Rearrangeable, traveller: Traveller) -> None:
        self._robot, self._traveller = robot, traveller
        self._action = ""
        self._renew(Outcome.FAILED)

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._renew(Outcome.FAILED)
        self._action = subtask.action
        base, traveller = observation.body.base, self._traveller
        places: Sequence[Pose2] = [base]
        tilt = traveller.tilt
        try:
            match subtask.action:
                case graph_moves.FORWARD:
                    places = traveller.way(base, goal.grid)[-1:]
                case graph_moves.TURN_LEFT | graph_moves.TURN_RIGHT:
                    places = traveller.headings(subtask.action, base)
                case _:
                    tilt = traveller.look(subtask.action)
            self._place_robot(places, tilt)
        except MoveRefused as refused:
            self._reason, self._retryable = str(refused), False
            return
        traveller.tilt = tilt
        self._reason, self._outcome = SET, Outcome.SUCCEEDED

    def _place_robot(self, places: Sequence[Pose2], tilt: float) -> None:
        """Place the robot at the first collision-free pose, its head ahead and tilted. Raises Refused."""
        for pose in places:
            point = (pose.x, pose.y, pose.x, pose.y)
            goal = Goal("", "", self._traveller.gaze(pose, tilt), room=point)
            if not self._robot.set_outcome(GO_TO, goal, [pose]):
                return
        raise MoveRefused(IN_THE_WAY)

    def act(self, observation: Observation) -> Command:
        return Command()

    @property
    def feedback_message(self) -> str:
        """Reason of a failure, for the planner."""
        return f"Unable to {self._action.lower()}, {self._reason}" if self._outcome is Outcome.FAILED else ""

"""`--skills graph` and `--skills ideal-graph`: moves on a home's navigation graph; `--skills steps`: small ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from homie.kernel.actions import Action
from homie.kernel.interfaces import Kinematics, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.robot.graph_moves import MOVES, ROWS
from skills.discrete_actions.charting import chart
from skills.discrete_actions.driven_move import DrivenMove
from skills.discrete_actions.graph_move_results import Traveller
from skills.discrete_actions.ideal_graph_move import IdealMove
from skills.discrete_actions.step import Step
from skills.discrete_actions.step_actions import SMALL
from skills.discrete_actions.survey import survey
from skills.ideal_skill_set import settable


class Moves(SkillSet):
    """Moves between the points of a home's graph, by motion. The graph is that of the episode's start."""

    name = "graph"
    actions = MOVES
    own_actions: ClassVar[tuple[Action, ...]] = tuple(ROWS.values())
    about = "moves on a graph of points, turns and looks up and down"
    note = "privileged: knows the home's map, and where everything is at the start"

    def __init__(self, argument: str = "") -> None:
        """Raises BadInput for any argument."""
        super().__init__(argument)
        self._robot: Robot | None = None

    def bind(self, robot: Robot) -> None:
        """Store the robot whose home has a graph."""
        self._robot = robot

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        return [DrivenMove(spec, kinematics, self._traveller(spec))]

    def _traveller(self, spec: RobotSpec) -> Traveller:
        """Return the robot on its graph. Raises BadInput for a robot that cannot move on one."""
        spec.require(f"The skill set '{self.name}'", "base", "head", "arm", "gripper", postures=True)
        assert self._robot is not None, "bind has set it"
        return traveller(self._robot)

    def describe(self) -> Mapping[str, object]:
        return {"privileged": True}


class IdealGraph(Moves):
    """Moves between the points of a home's graph, set in a simulated world."""

    name = "ideal-graph"
    note = "privileged: knows the home's map and sets the simulated world, nothing moves"

    def bind(self, robot: Robot) -> None:
        """Store the robot whose world is set. Raises BadInput for a robot whose world cannot be set."""
        settable(robot, self.name)
        super().bind(robot)

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        graph_traveller = self._traveller(spec)
        assert self._robot is not None, "bind has set it"
        return [IdealMove(settable(self._robot, self.name), graph_traveller)]


def traveller(robot: Robot) -> Traveller:
    """Return a robot on the graph of its home, in their current state. Raises BadInput if no graph can be made."""
    head = robot.spec.head
    assert head is not None, "the skill set has seen to it"
    return Traveller(chart(survey(robot)), robot.spec, float(head.measured(robot.observe().body)[1]))


class Steps(SkillSet):
    """Small moves, turns and nods."""

    name = "steps"
    actions = tuple(SMALL)
    own_actions: ClassVar[tuple[Action, ...]] = tuple(Action(name=name, arguments=()) for name in SMALL)
    about = "takes small steps, turns and nods"

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("The skill set 'steps'", "base", "head")
        return [Step(spec, kinematics)]

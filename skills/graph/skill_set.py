"""`--skills ideal-graph`: moves on the navigation graph of a home."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Rearrangeable, Robot, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.vocabulary.actions import Action
from homie.kernel.vocabulary.moves import MOVES
from skills.graph.charting import chart
from skills.graph.going import Traveller
from skills.graph.ideal import IdealMove
from skills.graph.survey import survey


class IdealGraph(SkillSet):
    """Moves between the points of a home's graph, set in a simulated world. The graph is that of the episode's start."""

    name = "ideal-graph"
    actions = MOVES
    own_actions: ClassVar[tuple[Action, ...]] = tuple(Action(name=name, arguments=()) for name in MOVES)
    about = "moves on a graph of points, turns and looks up and down"
    note = "privileged: knows the home's map and sets the simulated world, nothing moves"

    def __init__(self, argument: str = "") -> None:
        """Raises BadInput for an argument, of which it has none."""
        super().__init__(argument)
        self._robot: Robot | None = None

    def enter(self, robot: Robot) -> None:
        """Take the robot whose world is set. Raises BadInput for one whose cannot be."""
        if not isinstance(robot, Rearrangeable):
            raise BadInput(
                f"The skill set '{self.name}' sets a simulated world, and that of the {robot.spec.name} cannot be set: "
                "choose others by --skills."
            )
        self._robot = robot

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require(f"The skill set '{self.name}'", "base", "head", "arm", "gripper", postures=True)
        robot = self._robot
        assert isinstance(robot, Robot) and isinstance(robot, Rearrangeable), "it has entered one"
        return [IdealMove(robot, spec, traveller(robot))]

    def describe(self) -> Mapping[str, object]:
        return {"privileged": True}


def traveller(robot: Robot) -> Traveller:
    """A robot on the graph of its home, as both are now. Raises BadInput where no graph can be made."""
    head = robot.spec.head
    assert head is not None, "the skill set has seen to it"
    return Traveller(chart(survey(robot)), robot.spec, float(head.measured(robot.observe().body)[1]))

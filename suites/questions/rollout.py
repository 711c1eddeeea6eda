"""Executes plans in the world of their question, by ideal skills or by motion, and evaluates the goal.

There is no supervision: a plan ends at its first step that fails, as later steps depend on it. A condition of the goal
is reached if it holds at the end and did not hold all the time, so that doing nothing scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import degrees
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from homie.kernel.options import OpenOptions
from homie.kernel.registry import NO_OBJECTS
from homie.kernel.types import Subtask
from homie.kernel.world.conditions import Condition, conjuncts, parse_condition
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.assembly import choose
from homie.runtime.open_session import Session
from suites.questions.question import PlanTask

How: TypeAlias = Literal["ideal", "classical"]
"""Skill sets: the state is set, or the robot moves in MuJoCo."""
OBJECTS = 16
"""Number of loose objects in a house: enough to choose from, with room to put something down."""
PICTURES = "64x64"
"""Picture size in pixels for worlds whose pictures no planner uses: they are taken before every subtask."""


class PlanResult(BaseModel):
    """Result of executing a plan.

    Attributes:
        reached, conditions: Numbers of conditions of the goal: reached, and in total.
        done: Whether all steps were executed and the goal holds.
        steps: Number of steps executed without a failure.
        why: Why the first failed step failed, in words; "" if none failed.
    """

    model_config = ConfigDict(frozen=True)

    reached: int
    conditions: int
    done: bool
    steps: int
    why: str = ""

    @property
    def completion(self) -> float:
        """The share of the conditions that were reached, 0..1."""
        return self.reached / self.conditions


def scene_options(scene: Mapping[str, Any], skills: str, picture_size: str) -> OpenOptions:
    """The options to open the world of a scene, as a suite file writes it. Raises BadInput."""
    return OpenOptions.build(**scene, skills=skills, picture_size=picture_size)


def open_scene(scene: Mapping[str, Any], skills: str, picture_size: str) -> Session:
    """Open the world of a scene. Raises BadInput."""
    options = scene_options(scene, skills, picture_size)
    return Session(options, choose(options, NO_OBJECTS))


def carry_out(task: PlanTask, plan: Sequence[Subtask], how: How) -> PlanResult:
    """Execute a plan from the start of its task's world.

    Raises:
        BadInput: there is no such world.
        InfrastructureError: the simulator failed.
    """
    goal = parse_condition(task.goal)
    with open_scene(task.scene, how, PICTURES) as session:
        return run_plan(session, goal, plan)


def run_plan(session: Session, goal: Condition, plan: Sequence[Subtask]) -> PlanResult:
    """Execute a plan in a world from its current state. Raises InfrastructureError."""
    conditions = conjuncts(goal)
    state = session.world_state()
    missing = [not condition.holds(state) for condition in conditions]
    steps, why = 0, ""
    for number, subtask in enumerate(plan, 1):
        why = _problem(session, subtask)
        state = session.world_state()
        missing = [was or not condition.holds(state) for was, condition in zip(missing, conditions, strict=True)]
        if why:
            why = f"{number}: {subtask} {why}"
            break
        steps += 1
    reached = sum(was and condition.holds(state) for was, condition in zip(missing, conditions, strict=True))
    return PlanResult(
        reached=reached, conditions=len(conditions), done=not why and goal.holds(state), steps=steps, why=why
    )


def _problem(session: Session, subtask: Subtask) -> str:
    """Execute a subtask; why it failed, in words, "" if it succeeded."""
    if subtask.action not in session.actions:
        return "is no step that the robot can take"  # codespell:ignore
    feedback = session.call(subtask.action, subtask.target, subtask.destination).feedback
    return "" if feedback.ok else f"failed: {feedback.message}"


def start_of(state: WorldSnapshot) -> str:
    """The robot's pose in the format of a scene: X,Y,DEGREES."""
    robot = state.robot
    assert robot.x is not None and robot.y is not None and robot.yaw is not None, "simulated robots know where they are"
    return f"{robot.x:.3f},{robot.y:.3f},{degrees(robot.yaw):.1f}"

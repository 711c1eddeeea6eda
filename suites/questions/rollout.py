"""Plans carried out in the world of their question, by ideal skills or by motion, and what has come of them.

Nobody watches: the plan ends at its first step that fails, as the next one counts on it. A condition of the goal is
reached if it holds at the end and did not always hold, so that doing nothing is worth nothing.
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
"""Loose things of a house: enough to choose from, and room to put something down."""
PICTURES = "64x64"
"""Pixels of the pictures in a world that no planner looks at: they are taken before every subtask."""


class Carried(BaseModel):
    """What came of a plan.

    Attributes:
        reached, conditions: Of the goal.
        done: Whether the goal holds, all steps were carried out.
        steps: Carried out without a failure.
        why: The first failed step failed, in words; "" where none did.
    """

    model_config = ConfigDict(frozen=True)

    reached: int
    conditions: int
    done: bool
    steps: int
    why: str = ""

    @property
    def completion(self) -> float:
        """The share of the conditions that it has reached, 0..1."""
        return self.reached / self.conditions


def scene_options(scene: Mapping[str, Any], skills: str, picture_size: str) -> OpenOptions:
    """The options of the world of a scene, as a suite file writes it. Raises BadInput."""
    return OpenOptions.build(**scene, skills=skills, picture_size=picture_size)


def opened(scene: Mapping[str, Any], skills: str, picture_size: str) -> Session:
    """The world of a scene. Raises BadInput."""
    options = scene_options(scene, skills, picture_size)
    return Session(options, choose(options, NO_OBJECTS))


def carry_out(task: PlanTask, plan: Sequence[Subtask], how: How) -> Carried:
    """Carry a plan out from the start of its task's world.

    Raises:
        BadInput: there is no such world.
        InfrastructureError: the simulator failed.
    """
    goal = parse_condition(task.goal)
    with opened(task.scene, how, PICTURES) as session:
        return run_plan(session, goal, plan)


def run_plan(session: Session, goal: Condition, plan: Sequence[Subtask]) -> Carried:
    """Carry a plan out in a world as it is now. Raises InfrastructureError."""
    conditions = conjuncts(goal)
    state = session.world_state()
    lacked = [not condition.holds(state) for condition in conditions]
    steps, why = 0, ""
    for number, subtask in enumerate(plan, 1):
        why = _problem(session, subtask)
        state = session.world_state()
        lacked = [was or not condition.holds(state) for was, condition in zip(lacked, conditions, strict=True)]
        if why:
            why = f"{number}: {subtask} {why}"
            break
        steps += 1
    reached = sum(was and condition.holds(state) for was, condition in zip(lacked, conditions, strict=True))
    return Carried(
        reached=reached, conditions=len(conditions), done=not why and goal.holds(state), steps=steps, why=why
    )


def _problem(session: Session, subtask: Subtask) -> str:
    """Carry a subtask out; in words why it could not be, "" if it could."""
    if subtask.action not in session.actions:
        return "is no step that the robot can take"  # codespell:ignore
    feedback = session.call(subtask.action, subtask.target, subtask.destination).feedback
    return "" if feedback.ok else f"failed: {feedback.message}"


def start_of(state: WorldSnapshot) -> str:
    """Where the robot stands, as a scene has it: X,Y,DEGREES."""
    robot = state.robot
    assert robot.x is not None and robot.y is not None and robot.yaw is not None, "simulated robots know where they are"
    return f"{robot.x:.3f},{robot.y:.3f},{degrees(robot.yaw):.1f}"

"""Play a scenario through the public API and judge it by the state of the world, not by what the robot reports."""

from __future__ import annotations

import math
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import homie
from benchmarks.scenario import Scenario, Step
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Command, Execution

SETTLING = 60
"""Control periods for objects to settle after they were turned."""
SHUT, OPEN = 0.06, 0.5
"""Fractions of its range up to which a door counts as closed, and from which as open."""


@dataclass
class Outcome:
    """Outcome of a scenario.

    Attributes:
        failed: Steps with unexpected outcomes.
        wrong: Deviations from the expected final state.
        crash: The exception that ended it.
        seconds: Action and robot time (s) of each subtask.
    """

    steps: int = 0
    failed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    crash: str = ""
    robot_seconds: float = 0.0
    wall_seconds: float = 0.0
    seconds: list[tuple[str, float]] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not (self.failed or self.wrong or self.crash)


def play(scenario: Scenario, targets: str = "background", grasp: str = "weld", shots: Path | None = None) -> Outcome:
    """Play a scenario and judge it.

    Args:
        shots: Folder for a picture after every step.
    """
    result, start = Outcome(), time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "scene.json"
        path.write_text(scenario.scene().dump(), encoding="utf-8")
        try:
            with homie.open(scene=path, targets=targets, grasp=grasp) as session:
                assert isinstance(session.robot, MujocoHome)
                for name, degrees in scenario.turned.items():
                    turn(session.robot, name, degrees)
                for number, step in enumerate(scenario.subtasks(), 1):
                    execution = session.call(*step.do)
                    _record(result, number, step, execution)
                    if shots is not None:
                        homie.runtime.open_session.save_picture(
                            session.film(), shots / f"{number:02d}-{step.do[0].lower()}.png"
                        )
                result.robot_seconds = session.observe().stamp
                result.wrong = _deviations(scenario, session.robot)
        except Exception as error:
            result.crash = f"{type(error).__name__}: {error}"
    result.wall_seconds = time.perf_counter() - start
    return result


def _record(result: Outcome, number: int, step: Step, execution: Execution) -> None:
    result.steps += 1
    feedback = execution.feedback
    result.seconds.append((step.do[0], sum(attempt.robot_seconds for attempt in execution.attempts)))
    if feedback.code == step.code and step.names in feedback.message:
        return
    reasons = "; ".join(dict.fromkeys(attempt.reason for attempt in execution.attempts if attempt.reason))
    outcome = f"{feedback.code} {feedback.message}" if feedback.code else "success"
    result.failed.append(f"{number} [{', '.join(step.do)}]: {outcome}{f' ({reasons})' if reasons else ''}")


def _deviations(scenario: Scenario, robot: MujocoHome) -> list[str]:
    """Describe the deviations from the expected final state."""
    world = robot.world
    wrong = [
        f"{name} is at {place}, not {expected}"
        for name, expected in scenario.at.items()
        if (place := world.place(name).entity) != expected
    ]
    for names, good, word in (
        (scenario.shut, lambda part: part <= SHUT, "shut"),
        (scenario.open, lambda part: part >= OPEN, "open"),
    ):
        for name in names:
            part = max(world.openness(item) for item in world.receptacles[name].articulations)
            if not good(part):
                wrong.append(f"{name} is not {word}: {part:.2f} of its range")
    if scenario.free and robot.grasping.holding:
        wrong.append("the hand is not free")
    return wrong


def turn(robot: MujocoHome, name: str, degrees: float) -> None:
    """Rotate an object in place about a horizontal axis, as if it had rolled, and let it settle."""
    at = int(robot.model.joint(name).qposadr[0])
    quaternion = np.zeros(4)
    axis = np.array([math.cos(0.6), math.sin(0.6), 0.0])
    mujoco.mju_axisAngle2Quat(quaternion, axis, math.radians(degrees))
    mujoco.mju_mulQuat(robot.data.qpos[at + 3 : at + 7], quaternion, robot.data.qpos[at + 3 : at + 7].copy())
    robot.data.qpos[at + 2] += 0.02
    mujoco.mj_forward(robot.model, robot.data)
    for _ in range(SETTLING):
        robot.act(Command())

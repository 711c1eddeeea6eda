"""While a policy decides: hardware stands, a simulation waits, and the record says how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.sampled_tables import generate
from homie.kernel import registry
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Listeners, Skill
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import Command, Decision, Outcome, Subtask

EVERY = 4
"""Control periods of a motion."""
MOVE = Subtask("Move", "[54, 50, 49, 0, 60, 60, 1]")


class Watched(FrankaTable):
    """A robot that keeps its commands, in order."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        super().__init__(generate("pick", 0))

    def _send(self, command):
        self.calls.append("act")
        super()._send(command)

    def _halt(self):
        self.calls.append("stop")
        super()._halt()


class Slow(Skill):
    """Decides every fourth control period, by a picture, and takes its time; three decisions in all."""

    name, actions, cameras, deliberates = "slow/move", ("Move",), ("front",), True

    def start(self, subtask, goal, observation):
        self.acts = 0

    def required_cameras(self):
        return self.cameras if self.acts % EVERY == 0 else ()

    def act(self, observation):
        if self.required_cameras():
            assert "front" in observation.frames
            time.sleep(0.05)
        self.acts += 1
        return Command()

    @property
    def outcome(self):
        return Outcome.SUCCEEDED if self.acts == 3 * EVERY else Outcome.RUNNING


class Glancing(Slow):
    """Looks as often, and is quick."""

    deliberates = False


@pytest.fixture(scope="module")
def robot() -> Iterator[Watched]:
    with Watched() as watched:
        yield watched


def run(robot: Watched, skill: Skill, *, waits: bool):
    robot.waits = waits
    detector, execution = registry.load("detectors", "simulated")(""), registry.load("execution", "emmoe")
    table = SkillTable({"slow": {"Move": skill}})
    executor = Executor(Senses(robot, detector, robot.background()), table, (), execution, actions=("Move", "End"))
    robot.calls.clear()
    return executor.execute(Decision((MOVE,)), MOVE, (), robot.observe(), Listeners())


def test_hardware_is_stopped_after_each_motion_before_the_next_decision(robot):
    run(robot, Slow(), waits=False)
    motion = ["act"] * EVERY
    assert robot.calls == [*motion, "stop", *motion, "stop", *motion, "stop", "act"]


@pytest.mark.parametrize(("skill", "waits"), [(Slow, True), (Glancing, False)])
def test_what_waits_or_is_quick_is_not_stopped(robot, skill, waits):
    run(robot, skill(), waits=waits)
    assert robot.calls == ["act"] * (3 * EVERY + 1)


def test_the_time_of_decisions_is_reported(robot):
    assert run(robot, Slow(), waits=True).skill_seconds > 3 * 0.05

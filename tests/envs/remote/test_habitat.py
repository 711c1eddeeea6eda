"""Habitat: its real environment, PDDL domain and actions, over a simulator of the tests; its own has no wheels.

habitat-lab asks for an older numpy than Homie, so it is behind a robot server with packages of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import homie
from homie.kernel.errors import HomieError
from homie.kernel.options import RunOptions
from homie.kernel.types import Subtask
from homie.runtime.assembly import open_robot
from tests import other_packages

HERE = Path(__file__).parent
ROBOT = f"remote:{HERE / 'simulated_habitat.py'}:HabitatFetch:{HERE / 'habitat_kitchen.yaml'}"


@pytest.fixture
def habitat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started have habitat-lab."""
    variables = other_packages.environment("habitat", "habitat-lab==0.3.320260507", "msgpack==1.1.2")
    monkeypatch.setenv("PYTHONPATH", variables["PYTHONPATH"])


@pytest.mark.slow
@pytest.mark.usefixtures("habitat")
def test_an_instruction_becomes_success_and_refusals_are_those_of_habitat() -> None:
    with homie.open(robot=ROBOT, skills="own") as session:
        before = session.world_state()
        assert before is not None and before.success is False
        assert before.objects["master_chef_can"].position == (-2.0, -1.0, 0.9), "Habitat's y is up, and its z is to us"
        robot = session.robot
        refused = robot.perform(Subtask("Pick", "can"), "master_chef_can")  # type: ignore[attr-defined]
        assert refused == "Habitat refuses pick(goal0|0,robot_0): robot_at(goal0|0,robot_0) is not so."
        for action, target in (("Go to", "fridge"), ("Open", "fridge")):
            assert session.call(action, target).feedback.ok
        unclosed = session.call("Close", "fridge").feedback
        assert unclosed.code == "E1", "habitat-lab says that it is done, and its domain has no way to shut a fridge"
        for action, target in (("Go to", "can"), ("Pick", "can"), ("Go to", "fridge")):
            done = session.call(action, target)
            assert done.feedback.ok, done.feedback.message
        impossible = session.call("Put", "can", "goal").feedback
        assert not impossible.ok, "it stands before the fridge"
        state = session.world_state()
        assert state is not None and state.held == "master_chef_can"
        session.run("put the master chef can on the goal", planner="rule")
        state = session.world_state()
    assert state is not None and state.success is True
    assert (state.objects["master_chef_can"].relation, state.objects["master_chef_can"].at) == ("on", "goal")


def test_a_python_without_habitat_is_reported_in_a_sentence() -> None:
    with pytest.raises(HomieError, match="habitat-sim, by --robot-option python=PATH"):
        open_robot(RunOptions(task="x", robot="habitat:benchmark/rearrange/multi_task/rearrange_easy.yaml"))
    with pytest.raises(HomieError, match="Which task of Habitat"):
        open_robot(RunOptions(task="x", robot="habitat"))

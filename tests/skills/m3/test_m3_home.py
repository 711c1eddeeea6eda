"""M3 in the embedded home, with its physics and cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import m3_checkpoints
from homes import made_with, one_room, play
from m3_checkpoints import MANIPULATION, NAVIGATION
from puppet import Solver

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import action_of
from homie.kernel.interfaces import Skill
from homie.kernel.types import ErrorCode, Outcome, Subtask, Surface
from skills.m3.layout import STOP
from skills.m3.manipulate import Manipulate, Pick, Place
from skills.m3.navigate import Navigate
from skills.m3.skill_set import M3

TABLE = {"name": "table", "kind": "table", "colour": "brown", "x": 3.3, "y": 2.0, "yaw": 3.1416, "width": 0.8}
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "table", "surface": "top", "x": 0.2, "y": 0.0}


def scene(x: float):
    return one_room((TABLE,), (APPLE,), robot=(x, 1.2, 0.3))


@pytest.mark.slow
def test_a_policy_that_knows_what_to_do_fetches_the_apple_through_m3_s_inputs_and_actions():
    """Frames, depth pictures, joint changes and fingers are right, or the apple would stay where it is."""
    with MujocoHome(scene(1.0)) as robot:
        robot.reset(seed=1)
        locator = BackgroundLocator(robot)
        locator.reset(seed=1)
        solver, place = Solver(), robot.world.object_box(robot.world.objects["apple"]).center

        def attempt(skill: Skill, entity: str, **changes: object) -> None:
            observation = robot.observe(skill.cameras)
            subtask = Subtask(skill.actions[0], entity)
            start = observation.stamp
            goal = replace(locator.goal(entity, action_of(subtask.action), observation), **changes)
            skill.start(subtask, goal, observation)
            while skill.outcome is Outcome.RUNNING:
                robot.act(skill.act(observation))
                observation = robot.observe(skill.required_cameras())
                assert observation.stamp - start < skill.max_seconds
            assert skill.outcome is Outcome.SUCCEEDED, skill.reason

        attempt(Navigate(solver, robot.spec, robot.kinematics), "apple")
        depth = solver.inputs[-1]["head_depth"]
        assert 0.05 < np.min(depth[depth > 0]) < 1.0 < np.max(depth) < 5.0
        attempt(Pick(solver, robot.spec, robot.kinematics), "apple")
        assert robot.world.held == "apple"
        hand = solver.inputs[-1]["arm_depth"]
        assert np.min(hand[hand > 0]) < 0.15, "the camera on the hand sees what it holds"
        back = Surface(place + np.array([0.0, 0.0, 0.03]), 0.05, 0.05, 0.0)
        attempt(Place(solver, robot.spec, robot.kinematics), "table", surfaces=(back,))
        assert robot.world.held is None and robot.world.place("apple").entity == "table"


@pytest.mark.slow
def test_the_shipped_network_goes_through_a_door_in_a_house_that_it_has_not_seen():
    with MujocoHome(generate(63_000, rooms=2, objects=8), picture_size=(128, 128)) as robot:
        locator = BackgroundLocator(robot)
        locator.reset(seed=63_000)
        (skill,) = M3().skills(robot.spec, robot.kinematics)
        observation = robot.observe(skill.cameras)
        assert not locator.arrived("chair_1", observation)
        skill.start(Subtask("Go to", "chair_1"), locator.goal("chair_1", action_of("Go to"), observation), observation)
        while skill.outcome is Outcome.RUNNING:
            robot.act(skill.act(observation))
            observation = robot.observe(skill.required_cameras())
        assert (skill.outcome, skill.reason) == (Outcome.SUCCEEDED, "the policy stopped")
        assert locator.arrived("chair_1", observation)


@pytest.mark.slow
def test_an_episode_with_generated_weights_is_run_limited_and_recorded(tmp_path, monkeypatch):
    """Generated weights know nothing: the networks run, the stop rules and limits hold, the record says who ran."""
    folder = tmp_path / "checkpoints"
    m3_checkpoints.stubborn(folder / "navigate.pth", NAVIGATION, STOP)
    for name in ("pick", "place"):
        m3_checkpoints.save(folder / name / "ckpt.10.pth", MANIPULATION)
    monkeypatch.setattr(Manipulate, "decisions", 25)
    script = [{"subtask": f"[{words}]", "model": "M3"} for words in ("Go to, apple", "Pick, apple", "Open, table")]
    records = play(tmp_path, scene(1.9), script, skills=f"m3:{folder},classical", attempts=2)
    drive, picked, opened = (record.execution for record in records[:3])
    assert drive.feedback.ok and [attempt.skill for attempt in drive.attempts] == ["m3/navigate"]
    assert picked.feedback.code is ErrorCode.E1
    assert [attempt.skill for attempt in picked.attempts] == ["m3/pick"] * 2
    assert [attempt.outcome for attempt in picked.attempts] == [Outcome.TIMED_OUT] * 2
    assert all(attempt.reason == "not done after 25 decisions" for attempt in picked.attempts)
    assert opened.feedback.code is not None and not opened.attempts
    run = made_with(tmp_path / "run")
    assert run["skills"]["m3"]["pick"]["checkpoint"].endswith("pick/ckpt.10.pth")

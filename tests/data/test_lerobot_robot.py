"""The distribution for LeRobot (examples/lerobot_robot_homie): Homie's robots as LeRobot drives them.

LeRobot itself is in an environment of its own (docs/testing.md). Here its two base classes are stood in for, in the
shape of LeRobot 0.4 and 0.6; where `HOMIE_LEROBOT_PYTHON` names an environment, a subprocess takes the real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pydantic
import pytest

from homie.data.recording.topics import command_labels, command_of, command_targets
from homie.kernel.errors import BadInput
from homie.kernel.types import Command

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/lerobot_robot_homie"
LEROBOT = os.environ.get("HOMIE_LEROBOT_PYTHON", "")


@pytest.fixture
def plugin(monkeypatch):
    """The distribution around fakes of LeRobot's base classes."""

    class Robot:
        def __init__(self, config):
            self.id = config.id

    @dataclass(kw_only=True)
    class RobotConfig:
        id: str | None = None

        @classmethod
        def register_subclass(cls, name):
            return lambda config: config

    robots = types.ModuleType("lerobot.robots")
    robots.Robot, robots.RobotConfig = Robot, RobotConfig
    monkeypatch.setitem(sys.modules, "lerobot", types.ModuleType("lerobot"))
    monkeypatch.setitem(sys.modules, "lerobot.robots", robots)
    monkeypatch.syspath_prepend(str(FOLDER))
    import lerobot_robot_homie

    yield lerobot_robot_homie
    for name in [name for name in sys.modules if name.startswith("lerobot_robot_homie")]:
        del sys.modules[name]


def robot(plugin, **values):
    return plugin.Homie(plugin.HomieConfig(robot="tiny", views=["front"], fps=10.0, **values))


def test_features_are_what_comes_and_what_is_taken(plugin):
    driven = robot(plugin)
    features, taken = driven.observation_features, driven.action_features
    assert not driven.is_connected, "features are known before the robot is connected"
    driven.connect()
    observation = driven.get_observation()
    assert set(observation) == set(features) and observation["front"].shape == features["front"] == (64, 64, 3)
    assert set(taken) == {"base.linear.vel", "base.angular.vel", "lift.pos", "gripper.pos"}
    before = observation["base.x"]
    sent = driven.send_action({**dict.fromkeys(taken, 0.0), "base.linear.vel": 0.5})
    assert set(sent) == set(taken) and 0.0 < sent["base.linear.vel"] <= 0.5
    assert driven.get_observation()["base.x"] > before
    driven.disconnect()
    driven.disconnect()
    assert not driven.is_connected


def test_what_a_robot_cannot_take_is_a_sentence(plugin):
    driven = robot(plugin)
    driven.connect()
    with pytest.raises(BadInput, match=r"has no wing\.pos"):
        driven.send_action({"wing.pos": 1.0})
    with pytest.raises(BadInput, match=r"no target for base\.angular\.vel of the group base"):
        driven.send_action({"base.linear.vel": 0.1})
    driven.disconnect()


def test_another_arm_moves_it_by_a_file(plugin, tmp_path):
    file = tmp_path / "leader.yaml"
    file.write_text("lift.pos: {from: elbow.pos, scale: 0.001}\ngripper.pos: {value: 0.05}\n")
    driven = robot(plugin, adapter=file)
    driven.connect()
    assert driven.action_features == {"elbow.pos": float}
    for _ in range(20):
        assert driven.send_action({"elbow.pos": 50.0}) == {"elbow.pos": 50.0}
    assert driven.get_observation()["gripper.pos"] == pytest.approx(0.05)
    with pytest.raises(BadInput, match=r"says nothing of elbow\.pos"):
        driven.send_action({"wrist.pos": 1.0})
    driven.disconnect()
    file.write_text("wing.pos: {value: 0.0}\n")
    with pytest.raises(BadInput, match=r"has no wing\.pos"):
        robot(plugin, adapter=file).connect()
    file.write_text("lift.pos: {from: elbow.pos, scale: much}\n")
    with pytest.raises(BadInput, match=r"lift\.pos: write"):
        robot(plugin, adapter=file)


def test_the_example_is_for_the_panda(plugin):
    from lerobot_robot_homie.adapter import read_adapter

    from homie.envs.mujoco.robots.bodies.panda import SPEC

    adapter = read_adapter(FOLDER / "so101_panda.yaml")
    labels = [label for names in command_labels(SPEC).values() for label in names]
    assert sorted(adapter.sources) == sorted(labels)
    for number in (-100.0, 0.0, 100.0):
        command = command_of(adapter.adapted(dict.fromkeys(adapter.names, number)), SPEC)
        for group in SPEC.groups[:-1]:  # the gripper's number is never negative
            within = np.array(command.get(group.name))
            assert np.all(within >= group.limits[:, 0]) and np.all(within <= group.limits[:, 1]), number


def test_a_command_comes_back_from_its_labels():
    from homie.envs.mujoco.robots.bodies.panda import SPEC

    command = Command(arm=(0.1, 0.2, 0.3, -1.0, 0.5, 1.0, 0.7), gripper=0.04)
    assert command_of(command_targets(command, SPEC), SPEC) == Command(arm=command.get("arm"), gripper=(0.04,))


@pytest.mark.skipif(not LEROBOT, reason="HOMIE_LEROBOT_PYTHON names no Python that has lerobot (docs/testing.md)")
def test_lerobot_finds_and_drives_it(tmp_path):
    script = Path(__file__).with_name("with_lerobot_robot.py")
    paths = [str(ROOT), str(FOLDER), str(ROOT / "tests/plugin"), str(Path(pydantic.__file__).parents[1])]
    ran = subprocess.run(
        [LEROBOT, str(script), str(tmp_path / "set"), *paths],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")},
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "recorded 10 frames" in ran.stdout

"""Policies of real skill sets decide the same over the wire as here: same pictures, same commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from homes import SCENES
from live_server import remote, serving

from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import Detector
from homie.kernel.types import Command, Outcome, Subtask
from perception.detectors.simulated import SimulatedDetector
from skills.checkpoints.generate import write_generated
from skills.m3.skill_set import M3
from skills.nomad.skill_set import Nomad
from skills.pixnav.skill_set import PixNav
from skills.policies.policy import Policy, PolicySet

PERIODS = {Nomad: 60, PixNav: 300, M3: 220}
"""Control periods that are compared: PixNav takes many for a decision, M3 brings its arm to the rest first."""
SUBTASK = Subtask("Go to", "fridge")


def drive(kind: type[PolicySet], policy: Policy) -> tuple[list[Command], Outcome, str]:
    """The commands of the beginning of an attempt, from the start of the same house."""
    detector: Detector = SimulatedDetector()
    with MujocoHome(SceneSpec.load(SCENES / "kitchen.json")) as robot:
        robot.reset(seed=3)
        locator = BackgroundLocator(robot)
        locator.reset(seed=3)
        (skill,) = [
            skill for skill in kind.around(policy, robot.spec, robot.kinematics) if SUBTASK.action in skill.actions
        ]
        observation = robot.observe(skill.cameras)
        detections = () if kind is Nomad else locator.seen("fridge", detector.detect(observation))  # NoMaD explores
        goal = replace(locator.goal("fridge", ACTION_TABLE[SUBTASK.action], observation), seen=detections)
        skill.start(SUBTASK, goal, observation)
        commands = []
        while skill.outcome is Outcome.RUNNING and len(commands) < PERIODS[kind]:
            commands.append(skill.act(observation))
            robot.act(commands[-1])
            observation = robot.observe(skill.required_cameras())
        return commands, skill.outcome, skill.reason


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "seed"), [("nomad", Nomad, 1), ("pixnav", PixNav, 2), ("m3", M3, 1)])
def test_a_served_policy_drives_as_one_that_is_here(tmp_path: Path, name: str, kind: type[PolicySet], seed: int):
    """The seeds are such that the generated weights do not stop at once."""
    write_generated(name, tmp_path / name, seed)
    skills = kind(str(tmp_path / name))
    here = drive(kind, skills.policy())
    with serving(skills=skills) as server, remote(server.url, reply_seconds=60.0) as policy:
        there = drive(kind, policy)
        assert server._decisions > 3
    assert there == here

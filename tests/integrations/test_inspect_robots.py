"""The real inspect-robots runs its policies on Homie's table and home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests import other_packages

other_packages.use("inspect_robots", "inspect-robots>=0.60")
from inspect_robots.conformance import check_embodiment  # noqa: E402
from inspect_robots.eval import eval as evaluate  # noqa: E402
from inspect_robots.policy import PolicyConfig, PolicyInfo  # noqa: E402
from inspect_robots.scene import Scene  # noqa: E402
from inspect_robots.types import Action, ActionChunk, Observation  # noqa: E402

import homie  # noqa: E402
import homie.gym  # noqa: E402
from homie.integrations import inspect_robots as integration  # noqa: E402

SMALL: dict[str, Any] = {"rooms": 2, "objects": 4, "picture_size": 32}


class Wandering:
    """Goes a little from where it is, by chance."""

    def __init__(self) -> None:
        self.config = PolicyConfig(action_horizon=2)
        self._rng = np.random.default_rng(0)

    def bind(self, info: Any) -> None:
        self.info = PolicyInfo("wandering", info.action_space, info.observation_space)

    def reset(self, scene: Scene) -> None:
        self._rng = np.random.default_rng(0)

    def act(self, observation: Observation) -> ActionChunk:
        joints = observation.state["joint_pos"]
        return ActionChunk([Action(joints + self._rng.normal(0.0, 0.02, joints.shape)) for _ in range(2)])


@pytest.fixture(scope="module")
def home() -> Any:
    embodiment = integration.home(**SMALL, cameras=("head",))
    yield embodiment
    embodiment.close()


def test_its_own_check_finds_nothing_wrong(home: Any) -> None:
    table = integration.table(picture_size=32)
    for embodiment, size in ((table, 8), (home, 13)):
        assert check_embodiment(embodiment.info).issues == () and embodiment.info.action_space.dim == size
    assert "base.linear" in home.info.action_space.semantics.dim_labels
    table.close()


def test_it_finds_them_by_entry_points(tmp_path: Path) -> None:
    variables = other_packages.environment("inspect_robots", "inspect-robots>=0.60")
    variables["PYTHONPATH"] = f"{other_packages.installed_homie(tmp_path)}{os.pathsep}{variables['PYTHONPATH']}"
    script = (
        "from inspect_robots.registry import registered, resolve\n"
        "print(*sorted(name for kind in ('embodiment', 'task') for name in registered(kind) if 'homie' in name))\n"
        "print(resolve('task', 'homie-table-pick').name)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=False
    )
    assert completed.stdout.splitlines() == [
        "homie-home homie-suite homie-table homie-table-pick",
        "homie-table-pick",
    ], completed


def test_a_policy_is_evaluated_on_tasks_of_a_suite(tmp_path: Path) -> None:
    table = integration.table(picture_size=32)
    task = integration.table_pick("pick-visual-0,pick-visual-1", max_steps=3)
    (log,) = evaluate(task, Wandering(), table, log_dir=str(tmp_path))
    table.close()
    assert log.status == "success"
    assert task.scenes[0].instruction == "Move the cross over to the pink container and drop it inside."


def test_a_scene_is_that_of_the_suite_and_success_that_of_its_world(home: Any) -> None:
    task = integration.suite("homie-100", "lemon-sofa")
    observation = home.reset(task.scenes[0])
    assert observation.images["head"].shape == (32, 32, 3)
    chosen = homie.read_suite(Path(homie.__file__).parent / "bench/suite/homie-100.yaml").select("lemon-sofa")[0]
    assert home._session.options.seed == chosen.scene.seed
    result = home.step(Action(observation.state["joint_pos"]))
    assert result.info == {"success": False} and not result.terminated
    home._goal = homie.parse_condition({"held": "nothing"})
    ended = home.step(Action(observation.state["joint_pos"]))
    assert (ended.terminated, ended.termination_reason, ended.reward) == (True, "success", 1.0)


def test_the_same_actions_give_what_our_own_environment_gives(home: Any) -> None:
    env = gymnasium.make("homie/HomeControl-v0", **SMALL, disable_env_checker=True)
    reference, _ = env.reset(seed=5)
    own = home.reset(Scene(id="any", instruction="", init_seed=5))
    rng = np.random.default_rng(1)
    for _ in range(3):
        action = (own.state["joint_pos"] + rng.normal(0.0, 0.05, 13)).astype(np.float32)
        reference, *_ = env.step(action)
        own = home.step(Action(action)).observation
    joints = own.state["joint_pos"].astype(np.float32)
    assert joints[2:12].tobytes() == reference["joints"].tobytes() and joints[12:] == reference["gripper"]
    env.close()


def test_actions_that_are_none(home: Any) -> None:
    for numbers in (np.zeros(12), np.full(13, np.nan)):
        with pytest.raises(homie.BadInput, match="The action is 13 numbers"):
            home.step(Action(numbers))

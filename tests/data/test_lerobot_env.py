"""The environments for LeRobot (examples/lerobot_env_homie): by Gymnasium, as EnvHub loads their file, and by the real
`lerobot-eval` where `HOMIE_LEROBOT_PYTHON` names an environment that has it (docs/testing.md)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pydantic
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.kernel.errors import BadInput

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/lerobot_env_homie"
LEROBOT = os.environ.get("HOMIE_LEROBOT_PYTHON", "")
SMALL = {"picture_size": 32}


@pytest.fixture(scope="module")
def hub() -> ModuleType:
    """`env.py` loaded by its path, as EnvHub does it; it needs no LeRobot."""
    spec = importlib.util.spec_from_file_location("hub_env_homie", FOLDER / "lerobot_env_homie/env.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "more", "state_size", "cameras"),
    [("table", {}, 8, {"front", "wrist"}), ("home", {"rooms": 2, "objects": 4}, 14, {"head", "front"})],
)
def test_gymnasium_and_the_names_of_lerobot(hub, task, more, state_size, cameras):
    env = hub.HomieEnv(task=task, episode_length=3, **SMALL, **more)
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=3)
    assert observation["agent_pos"].shape == (state_size,) and set(observation["pixels"]) == cameras
    assert all(picture.shape == (32, 32, 3) and picture.dtype == np.uint8 for picture in observation["pixels"].values())
    assert info["is_success"] is False
    assert (env._max_episode_steps, env.task, env.metadata["render_fps"]) == (3, task, 4)
    assert env.task_description == info["task"] != ""
    for _ in range(3):
        _, _, terminated, truncated, info = env.step(np.full(env.action_space.shape, 1e6, np.float32))
    assert (terminated, truncated, info["is_success"]) == (False, True, False)
    assert env.render().shape == (480, 640, 3)
    env.close()
    env.close()


def test_success_is_in_the_infos_of_the_last_step_of_a_vector(hub):
    """The expert of the table; the second table is done a step later or never."""
    seed = 22
    actions = [json.loads(str(action)) for action in plan(scene_of("pick", seed))]
    ((_, envs),) = hub.make_env(n_envs=2)["homie"].items()
    assert isinstance(envs, SyncVectorEnv)
    envs.reset(seed=[seed, seed + 1])
    assert len(set(envs.call("task_description"))) == 2
    for number, action in enumerate(actions, 1):
        _, rewards, terminations, _, infos = envs.step(np.array([action, action], np.float32))
        assert terminations[0] == (number == len(actions)) or terminations[0] == rewards[0]
        if terminations[0]:
            break
    assert terminations[0] and bool(infos["final_info"]["is_success"][0]) and not bool(infos["is_success"][0])
    envs.close()


@pytest.mark.slow
def test_environments_in_processes_of_their_own(hub):
    envs = hub.make_env(n_envs=2, use_async_envs=True)["homie"][0]
    assert isinstance(envs, AsyncVectorEnv)
    observation, infos = envs.reset(seed=5)
    assert observation["agent_pos"].shape == (2, 8) and infos["is_success"].tolist() == [False, False]
    envs.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "tabel"}, "There is no task 'tabel': did you mean 'table'"),
        ({"family": "pik"}, "pick"),
        ({"task": "home", "rooms": 99}, "rooms"),
    ],
)
def test_what_is_not_there_is_a_sentence(hub, options, message):
    with pytest.raises(BadInput, match=message):
        hub.HomieEnv(**options)


@pytest.mark.slow
@pytest.mark.skipif(not LEROBOT, reason="HOMIE_LEROBOT_PYTHON names no Python that has lerobot (docs/testing.md)")
@pytest.mark.parametrize(("task", "episodes"), [("table", 10), ("home", 2)])
def test_lerobot_eval_evaluates_a_policy_with_random_weights(tmp_path, task, episodes):
    script = Path(__file__).with_name("with_lerobot_env.py")
    paths = [str(ROOT), str(FOLDER), str(Path(pydantic.__file__).parents[1])]
    ran = subprocess.run(
        [LEROBOT, str(script), str(tmp_path / "out"), task, str(episodes), *paths],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")},
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert f"evaluated {episodes} episodes" in ran.stdout
    assert task != "table" or "the expert succeeds in 100 %" in ran.stdout

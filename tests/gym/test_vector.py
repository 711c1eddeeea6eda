"""Many homes, one process each: what comes out is what each gives alone, and one that fails is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import iterate

import homie.gym.vector
from homie.gym.vector import HomesVectorEnv
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.types import Command

CONTROL = "homie/HomeControl-v0"
SMALL = {"rooms": 2, "objects": 6, "picture_size": (32, 24), "cameras": ("head",), "steps": 3}


def alone(seed: int, actions: list[np.ndarray]) -> tuple[list[dict[str, np.ndarray]], dict[str, Any]]:
    """What one home gives that is stepped by itself, beginning anew when it is over."""
    env = gymnasium.make(f"homie.gym:{CONTROL}", **SMALL)
    observations = [env.reset(seed=seed)[0]]
    info: dict[str, Any] = {}
    over = False
    for action in actions:
        if over:
            observation, info = env.reset()
            over = False
        else:
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        observations.append(observation)
    env.close()
    return observations, info


def test_homes_in_processes_give_what_each_gives_alone() -> None:
    homes = homie.gym.vector.make(CONTROL, 2, **SMALL)
    homes.action_space.seed(1)
    actions = [homes.action_space.sample() for _ in range(6)]
    joint_observation, _ = homes.reset(seed=5)
    rows, ends = [joint_observation], []
    for action in actions:
        joint_observation, rewards, terminations, truncations, infos = homes.step(action)
        rows.append(joint_observation)
        ends.append(truncations.tolist())
        assert rewards.shape == terminations.shape == (2,) and infos["success"].shape == (2,)
    assert homes.observation_space.contains(joint_observation) and joint_observation["head"].shape == (2, 24, 32, 3)
    homes.close()
    assert ends == [[False] * 2, [False] * 2, [True] * 2, [False] * 2, [False] * 2, [False] * 2]
    assert len({row["base"].tobytes() for row in iterate(homes.observation_space, rows[0])}) == 2, "two houses"
    for number in range(2):
        expected, info = alone(5 + number, [action[number] for action in actions])
        for step, observation in enumerate(expected):
            for name, values in observation.items():
                assert np.array_equal(values, rows[step][name][number]), (number, step, name)
        assert infos["task"][number] == info["task"] and infos["robot_seconds"][number] == info["robot_seconds"]


def test_an_action_is_what_the_joints_are_commanded() -> None:
    homes = homie.gym.vector.make(CONTROL, 1, periods=25, rooms=2, objects=4)
    before, infos = homes.reset(seed=[3])
    assert "on the" in infos["task"][0]
    (action,) = homes.call("encode", Command(base=(0.0, 0.5), torso=0.2, gripper=0.08))
    after, *_, infos = homes.step(action[None])
    homes.close()
    assert after["base"][0, 2] - before["base"][0, 2] > 0.2
    assert after["joints"][0, 0] > before["joints"][0, 0] + 0.05 and after["gripper"][0, 0] > 0.05
    assert infos["robot_seconds"][0] == pytest.approx(26 * 0.04 + 24 * 0.04, abs=0.05)


class Counting(gymnasium.Env):
    """Over after two steps. Action 5 of an episode seeded 13 fails, as bad input does action 6; 7 takes a moment."""

    observation_space = gymnasium.spaces.Box(0, 99, (1,), np.int64)
    action_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count, self.seed = 0, seed
        return np.array([self.count]), {"seed": -1 if seed is None else seed}

    def step(self, action):
        start = time.monotonic()
        if action == 5 and self.seed == 13:
            raise ValueError("it broke")
        if action == 6:
            raise BadInput("There is no action 6.")
        time.sleep(0.3 if action == 7 else 0.0)
        self.count += 1
        return np.array([self.count]), 1.0, self.count == 2, False, {"began": start, "ended": time.monotonic()}


class Other(Counting):
    action_space = gymnasium.spaces.Discrete(3)


def test_they_are_stepped_next_to_each_other_and_begin_anew() -> None:
    zero = np.zeros(2, int)
    homes = HomesVectorEnv([Counting] * 2)
    homes.reset()
    infos = homes.step(np.full(2, 7))[-1]
    assert infos["began"].max() < infos["ended"].min()
    assert [homes.step(zero)[0].tolist() for _ in range(2)] == [[[2], [2]], [[0], [0]]]
    assert homes.reset(seed=[7, 8])[1]["seed"].tolist() == [7, 8]
    for seeds in ([1, 2, 3], []):
        with pytest.raises(BadInput, match="There are 2 homes"):
            homes.reset(seed=seeds)
    with pytest.raises(BadInput, match="reset_mask"):
        homes.reset(options={"reset_mask": np.array([True])})
    with pytest.raises(BadInput, match=r"There are 2 homes: give as many actions \(got 3\)"):
        homes.step(np.zeros(3, int))
    assert homes.step(zero)[0].tolist() == [[1], [1]], "what was refused has changed nothing"
    homes.close()


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (5, InfrastructureError, r"Home 1 \(counted from 0\) could not be stepped: it broke"),
        (6, BadInput, r"Home . \(counted from 0\) could not be stepped: There is no action 6\."),
    ],
)
def test_a_home_that_fails_is_named(action: int, error: type[Exception], message: str) -> None:
    homes = HomesVectorEnv([Counting] * 2)
    homes.reset(seed=12)
    with pytest.raises(error, match=message):
        homes.step(np.full(2, action))
    with pytest.raises(BadInput, match="closed: make new ones"):
        homes.reset()
    assert not any(process.is_alive() for process in homes.processes)
    homes.close()


def test_a_process_that_is_killed_is_named() -> None:
    homes = HomesVectorEnv([Counting] * 2)
    homes.reset()
    os.kill(homes.processes[1].pid, signal.SIGKILL)
    with pytest.raises(InfrastructureError, match="process of home 1 "):
        homes.step(np.zeros(2, int))
    assert not any(process.is_alive() for process in homes.processes)


def test_a_script_without_its_main_block_gets_that_advice(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import homie.gym.vector\nhomie.gym.vector.make('homie/HomeControl-v0', 1, rooms=2, objects=4)\n")
    completed = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert completed.returncode != 0 and "does so below `if __name__ == '__main__':`" in completed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "homie/HomeControls-v0"}, "did you mean 'homie/HomeControl-v0'"),
        ({"homes": 0}, "1 or more"),
        ({"autoreset": "never"}, "NextStep, SameStep, Disabled"),
        ({"periods": 0}, "periods and steps"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        homie.gym.vector.make(**arguments)


def test_spaces_are_the_same() -> None:
    with pytest.raises(BadInput, match="action space"):
        HomesVectorEnv([Counting, Other])


@pytest.mark.parametrize("name", ["homie/Home-v0", "homie/Table-v0"])
def test_gymnasium_makes_several(name: str) -> None:
    small = {"family": "pick"} if name == "homie/Table-v0" else {"rooms": 2, "objects": 4, "picture_size": 64}
    homes = gymnasium.make_vec(f"homie.gym:{name}", 2, **small)
    try:
        assert isinstance(homes.unwrapped, HomesVectorEnv)
        homes.reset(seed=5)
        _, rewards, *_ = homes.step(homes.action_space.sample())
        assert rewards.shape == (2,)
    finally:
        homes.close()


def test_four_homes_side_by_side() -> None:
    """Gymnasium 1.0 took away the entry points of environments: `register_envs` takes their place."""
    gymnasium.register_envs(homie.gym)
    homes = gymnasium.make_vec(CONTROL, 4, rooms=2, objects=4)
    try:
        observation, infos = homes.reset(seed=3)
        assert observation["base"].shape == (4, 3) and len(set(infos["task"])) > 1
        observation, rewards, ended, *_ = homes.step(homes.action_space.sample())
        assert rewards.shape == ended.shape == (4,) and len({row.tobytes() for row in observation["base"]}) == 4
    finally:
        homes.close()

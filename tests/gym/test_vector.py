"""Many homes in threads: what comes out is what each gives alone, and one that fails is named."""

from __future__ import annotations

import threading

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import iterate

import homie.gym.vector
from homie.gym.vector import ThreadVectorEnv
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.types import Command

CONTROL = "homie/HomeControl-v0"
SMALL = {"rooms": 2, "objects": 6, "picture_size": (32, 24), "cameras": ("head",), "steps": 3}


def alone(seed: int, actions: list[np.ndarray]) -> tuple[list[dict[str, np.ndarray]], np.ndarray, dict]:
    """What one home gives that is stepped by itself, beginning anew when it is over, and its joints at the end."""
    env = gymnasium.make(f"homie.gym:{CONTROL}", **SMALL)
    seen = [env.reset(seed=seed)[0]]
    info: dict = {}
    over = False
    for action in actions:
        if over:
            observation, info = env.reset()
            over = False
        else:
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        seen.append(observation)
    joints = env.unwrapped.session.robot.data.qpos.copy()
    env.close()
    return seen, joints, info


def test_homes_in_threads_give_what_each_gives_alone():
    with homie.gym.vector.make(CONTROL, 3, threads=2, **SMALL) as homes:
        homes.action_space.seed(1)
        actions = [homes.action_space.sample() for _ in range(6)]
        seen, _ = homes.reset(seed=5)
        rows, ends = [seen], []
        for action in actions:
            seen, rewards, terminations, truncations, infos = homes.step(action)
            rows.append(seen)
            ends.append(truncations.tolist())
            assert rewards.shape == terminations.shape == (3,) and infos["success"].shape == (3,)
        joints = [env.unwrapped.session.robot.data.qpos.copy() for env in homes.envs]
        assert homes.observation_space.contains(seen) and seen["head"].shape == (3, 24, 32, 3)
    assert ends == [[False] * 3, [False] * 3, [True] * 3, [False] * 3, [False] * 3, [False] * 3]
    assert len({row["base"].tobytes() for row in iterate(homes.observation_space, rows[0])}) == 3, "three houses"
    for number in range(3):
        expected, end, info = alone(5 + number, [action[number] for action in actions])
        for step, observation in enumerate(expected):
            for name, values in observation.items():
                assert np.array_equal(values, rows[step][name][number]), (number, step, name)
        assert joints[number].tobytes() == end.tobytes()
        assert infos["task"][number] == info["task"] and infos["robot_seconds"][number] == info["robot_seconds"]


def test_an_action_is_what_the_joints_are_commanded():
    with homie.gym.vector.make(CONTROL, 1, periods=25, rooms=2, objects=4) as homes:
        before, infos = homes.reset(seed=[3])
        assert "on the" in infos["task"][0]
        encode = homes.envs[0].unwrapped.encode
        after, *_, infos = homes.step(encode(Command(base=(0.0, 0.5), torso=0.2, gripper=0.08))[None])
        assert after["base"][0, 2] - before["base"][0, 2] > 0.2
        assert after["joints"][0, 0] > before["joints"][0, 0] + 0.05 and after["gripper"][0, 0] > 0.05
        assert infos["robot_seconds"][0] == pytest.approx(26 * 0.04 + 24 * 0.04, abs=0.05)


class Counting(gymnasium.Env):
    """Over after two steps; step 5 of an episode seeded 13 fails; two of them have to be stepped at once."""

    observation_space = gymnasium.spaces.Box(0, 99, (1,), np.int64)
    action_space = gymnasium.spaces.Discrete(9)
    meeting: threading.Barrier | None = None
    open_now = 0

    def __init__(self):
        Counting.open_now += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count, self.seed = 0, seed
        return np.array([self.count]), {"seed": -1 if seed is None else seed}

    def step(self, action):
        if self.meeting is not None:
            self.meeting.wait(timeout=60)
        if action == 5 and self.seed == 13:
            raise ValueError("it broke")
        self.count += 1
        return np.array([self.count]), 1.0, self.count == 2, False, {"count": self.count}

    def close(self):
        Counting.open_now -= 1


@pytest.fixture(autouse=True)
def nothing_stays_open():
    Counting.open_now, Counting.meeting = 0, None
    yield
    assert Counting.open_now == 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("homie-vector")]


def test_they_are_stepped_next_to_each_other():
    Counting.meeting = threading.Barrier(3)
    with ThreadVectorEnv([Counting] * 3, threads=3) as homes:
        homes.reset()
        assert homes.step(np.zeros(3, int))[0].tolist() == [[1]] * 3


def test_the_ways_of_beginning_anew():
    zero = np.zeros(2, int)
    with ThreadVectorEnv([Counting] * 2) as homes:
        homes.reset()
        assert [homes.step(zero)[0].tolist() for _ in range(3)] == [[[1], [1]], [[2], [2]], [[0], [0]]]
    with ThreadVectorEnv([Counting] * 2, autoreset="SameStep") as homes:
        homes.reset()
        homes.step(zero)
        seen, _, terminations, _, infos = homes.step(zero)
        assert seen.tolist() == [[0], [0]] and terminations.all()
        assert infos["final_obs"][1] == [2] and infos["final_info"]["count"].tolist() == [2, 2]
        assert homes.metadata["autoreset_mode"].value == "SameStep"
    with ThreadVectorEnv([Counting] * 2, autoreset="Disabled") as homes:
        homes.reset(seed=4)
        homes.step(zero)
        homes.step(zero)
        with pytest.raises(BadInput, match=r"Homes \[0, 1\] are over"):
            homes.step(zero)
        homes.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(BadInput, match=r"Homes \[1\] are over"):
            homes.step(zero)
        assert homes.reset(seed=[7, 8])[1]["seed"].tolist() == [7, 8]


def test_a_home_that_fails_is_named_and_the_others_go_on():
    homes = ThreadVectorEnv([Counting] * 3)
    with pytest.raises(BadInput, match="reset"):
        homes.step(np.zeros(3, int))
    homes.reset(seed=12)
    with pytest.raises(InfrastructureError, match=r"Home 1 \(counted from 0\) could not be stepped: it broke"):
        homes.step(np.full(3, 5))
    with pytest.raises(BadInput, match="reset"):
        homes.step(np.zeros(3, int))
    assert homes.reset(seed=20)[0].tolist() == [[0]] * 3
    homes.close()
    homes.close()
    with pytest.raises(BadInput, match="closed"):
        homes.reset()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "homie/HomeControls-v0"}, "did you mean 'homie/HomeControl-v0'"),
        ({"homes": 0}, "1 or more"),
        ({"threads": 0}, "1 or more"),
        ({"autoreset": "never"}, "NextStep, SameStep, Disabled"),
        ({"periods": 0}, "periods and steps"),
    ],
)
def test_what_is_wrong_is_said(arguments, message):
    with pytest.raises(BadInput, match=message):
        homie.gym.vector.make(**arguments)


def test_seeds_and_homes_are_as_many():
    with ThreadVectorEnv([Counting] * 2) as homes:
        for wrong in ({"seed": [1, 2, 3]}, {"options": {"reset_mask": np.array([True])}}):
            with pytest.raises(BadInput, match="There are 2 homes"):
                homes.reset(**wrong)

        class Other(Counting):
            action_space = gymnasium.spaces.Discrete(3)

        with pytest.raises(BadInput, match="same spaces"):
            ThreadVectorEnv([Counting, Other])


@pytest.mark.parametrize("name", homie.gym.ENVIRONMENTS)
def test_gymnasium_makes_several_in_threads(name: str) -> None:
    small = {"family": "pick"} if name == "homie/Table-v0" else {"rooms": 2, "objects": 4, "picture_size": 64}
    homes = gymnasium.make_vec(f"homie.gym:{name}", 2, threads=1, **small)
    try:
        assert isinstance(homes.unwrapped, homie.gym.vector.ThreadVectorEnv)
        homes.reset(seed=5)
        _, rewards, *_ = homes.step(homes.action_space.sample())
        assert rewards.shape == (2,)
    finally:
        homes.close()


def test_four_homes_side_by_side() -> None:
    """Gymnasium 1.0 took away the entry points of environments: `register_envs` takes their place."""
    gymnasium.register_envs(homie.gym)
    homes = gymnasium.make_vec("homie/HomeControl-v0", 4, rooms=2, objects=4)
    try:
        seen, infos = homes.reset(seed=3)
        assert seen["base"].shape == (4, 3) and len(set(infos["task"])) > 1
        seen, rewards, ended, *_ = homes.step(homes.action_space.sample())
        assert rewards.shape == ended.shape == (4,) and len({row.tobytes() for row in seen["base"]}) == 4
    finally:
        homes.close()

"""Policies of the real inspect-robots pick and put on the table, as `--skills inspect-robots:NAME`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from tests import other_packages

other_packages.use("inspect_robots", "inspect-robots>=0.60")
other_packages.use("inspect_robots_agent", "inspect-robots-agent==0.28.0")
import httpx  # noqa: E402
from inspect_robots.policy import PolicyConfig, PolicyInfo  # noqa: E402
from inspect_robots.registry import policy as registered  # noqa: E402
from inspect_robots.types import Action, ActionChunk, Observation  # noqa: E402
from inspect_robots_agent.policy import agent_policy  # noqa: E402

import homie  # noqa: E402
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics  # noqa: E402
from homie.envs.mujoco.table.table_scene import FOOT  # noqa: E402

SEED = 22
"""Its task: a cylinder into a container."""
UP, OPEN = np.array([0.0, 0.0, 0.15]), 0.08


class Knowing:
    """Takes a thing, or lets go of it, at a place (3,) of the table's frame, by inverse kinematics."""

    seen: ClassVar[list[Observation]] = []

    def __init__(self, places: dict[str, list[float]]) -> None:
        self.config, self.arm = PolicyConfig(), PandaKinematics(FOOT[2])
        self.places = places

    def bind(self, info: Any) -> None:
        self.info = PolicyInfo("knowing", info.action_space, info.observation_space, control_hz=info.control_hz)

    def reset(self, scene: Any) -> None:
        self.text = scene.instruction
        self.phase = 0

    def act(self, observation: Observation) -> ActionChunk:
        self.seen.append(observation)
        joints, place = observation.state["joint_pos"], np.asarray(self.places[self.text])
        if self.phase == 4:
            return ActionChunk([Action(joints, meta={"request_stop": True, "stop_reason": "done"})])
        hand, goal = self.arm.forward(joints[:7]), [place + UP, place, place, place + UP][self.phase]
        takes, after = self.text.startswith("pick"), self.phase >= 2
        self.phase += 1
        target = self.arm.solve(goal, hand.rotation, joints[:7])
        grip = 0.0 if takes is after else OPEN
        shares = np.linspace(0.0, 1.0, 12)[1:] if self.phase != 3 else np.ones(6)
        return ActionChunk(
            [Action(np.array([*joints[:7] + share * (target.q - joints[:7]), grip])) for share in shares]
        )


@registered("homie-test-knowing")
def knowing(**places: list[float]) -> Knowing:
    return Knowing(places)


@contextmanager
def table(skills: str, **settings: Any) -> Iterator[homie.Session]:
    options = {f"inspect-robots.{name}": value for name, value in settings.items()}
    with homie.open(robot="franka:pick", seed=SEED, picture_size=64, skills=skills, skill_settings=options) as session:
        yield session


@pytest.fixture(scope="module")
def places() -> tuple[dict[str, list[float]], str, str]:
    with homie.open(robot="franka:pick", seed=SEED, picture_size=64) as session:
        world = session.world_state()
    (thing, container), foot = world.conditions[0].condition["in"], np.array([FOOT[0], FOOT[1], 0.0])
    at = np.array(world.objects[thing].position) - foot
    into = np.array(world.fixed[container].position) - foot + np.array([0.0, 0.0, 0.08])
    names = [name.replace("_", " ") for name in (thing, container)]
    words = {f"pick up the {names[0]}": list(at), f"put the {names[0]} in the {names[1]}": list(into)}
    return words, names[0], names[1]


@pytest.mark.slow
def test_a_policy_of_the_package_does_the_task_on_the_table(places):
    words, thing, container = places
    with table("inspect-robots:homie-test-knowing", args=words, picture_size=96) as session:
        for action, names in (("Pick", (thing,)), ("Put", (thing, container))):
            record = session.call(action, *names)
            assert record.feedback.ok, record.feedback.message
        assert session.world_state().success
    observation = Knowing.seen[0]
    assert {name: picture.shape for name, picture in observation.images.items()} == {
        "front": (96, 96, 3),
        "wrist": (96, 96, 3),
    }
    assert observation.state["joint_pos"].shape == (8,) and observation.extra["env_step"] == 0


def test_its_agent_moves_the_joints_and_stops(places):
    """The real agent of inspect-robots-agent, whose model is scripted."""
    _, thing, _ = places
    calls = [
        ("move_joints", {"targets": {"arm.panda_joint1": 0.3}, "note": "turn"}),
        ("done", {"summary": "I have turned.", "hindsight": "none"}),
    ]
    requests: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(json.loads(request.content))
        name, arguments = calls[min(len(requests), len(calls)) - 1]
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return httpx.Response(200, json={"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {}})

    registered("homie-test-agent")(agent_policy)
    arguments = {
        "model": "any",
        "base_url": "http://127.0.0.1:9/v1",
        "env": {"OPENAI_API_KEY": "none"},
        "wire_capture": False,
        "transport": httpx.MockTransport(answer),
    }
    with table("inspect-robots:homie-test-agent", args=arguments) as session:
        record = session.call("Pick", thing)
        turned = homie.ActionVector(session.robot.spec).measured(session.observe().body)[0]
    assert not record.feedback.ok  # nothing is held, whatever the policy says
    assert turned == pytest.approx(0.3, abs=0.02)
    assert f"pick up the {thing}" in json.dumps(requests[0]["messages"]) and "image_url" in json.dumps(
        requests[0]["messages"]
    )


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("random", {}, r"policy 'random' of inspect-robots is not for the .*: policy emits 2-D actions.*eef_delta_pos"),
        ("nobody", {}, "inspect-robots has no policy 'nobody': did you mean 'noop'"),
        ("noop", {"args": {"speed": 3}}, "The policy 'noop' of inspect-robots cannot be made: .*speed"),
        ("noop", {"words": {"Dance": "dance"}}, "There is no action 'Dance' to be said"),
    ],
)
def test_policies_that_cannot_be_taken_are_refused_before_any_command(name, settings, message):
    with pytest.raises(homie.BadInput, match=message), table(f"inspect-robots:{name}", **settings):
        pass


class Broken(Knowing):
    def act(self, observation: Observation) -> Any:
        if "cube" in self.text:
            raise RuntimeError("out of memory")
        if "ball" in self.text:
            return SimpleNamespace(actions=[])
        if "bowl" in self.text:
            return SimpleNamespace(actions=[SimpleNamespace(data=[[0.0], 0.0], meta={})])
        return ActionChunk([Action(np.full(8, np.nan))])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("{target}", "The action is 8 numbers"),
        ("a cube", "RuntimeError: out of memory"),
        ("a ball", "its chunk has no action"),
        ("a bowl", "inhomogeneous"),
    ],
)
def test_a_policy_that_fails_fails_the_attempt(places, words, why):
    registered("homie-test-broken")(lambda: Broken({}))
    _, thing, _ = places
    with table("inspect-robots:homie-test-broken", words={"Pick": words}) as session:
        record = session.call("Pick", thing)
        assert not record.feedback.ok and any(why in str(attempt) for attempt in record.attempts)

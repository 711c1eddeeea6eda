"""The real robosuite, in the environment that `homie env make robosuite` makes: once, in the user's cache."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("msgpack")

import homie
from homie import BadInput, InfrastructureError
from homie.envs.remote import environments
from homie.envs.remote.factory import RemoteSettings, open_robot
from homie.envs.remote.robot import RemoteWorld
from homie.testing import check_robot

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def environment() -> None:
    try:
        environments.make(environments.find("robosuite"), "", anew=False, tell=print)
    except (InfrastructureError, BadInput) as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def stack() -> Iterator[RemoteWorld]:
    with open_robot("robosuite:Stack", RemoteSettings(seed=3)) as robot:
        assert isinstance(robot, RemoteWorld)
        yield robot


def test_the_kits_are_content(stack: RemoteWorld) -> None:
    check_robot(stack)


def test_kinematics_here_are_those_of_the_model_there(stack: RemoteWorld) -> None:
    """The camera at the hand moves with it: seen from the gripper of our kinematics it stands still."""
    places = []
    for shift in (0.0, 0.15, -0.2):
        q = stack.spec.chain.posture(stack.spec.rest) + np.array([shift, 0.0, 0.0, shift, 0.0, 0.0, -shift])
        for _ in range(40):
            stack.act(stack.spec.chain.command(q))
        body = stack.measured()
        hand = stack.kinematics.forward(stack.spec.chain.measured(body))
        camera = stack.observe(("wrist",)).frames["wrist"].pose.position - np.array([*body.base.xy, 0.0])
        places.append(hand.rotation.T @ (camera - hand.position))
    assert np.ptp(places, axis=0).max() < 0.001


def test_masks_depth_and_snapshot_agree(stack: RemoteWorld) -> None:
    stack.reset(seed=3)
    frame = stack.observe(("front",)).frames["front"]
    assert frame.instances is not None and frame.depth is not None
    lens, world = frame.intrinsics, stack.snapshot()
    assert sorted(world.objects) == ["green_cube", "red_cube"]
    for name, item in world.objects.items():
        rows, columns = np.nonzero(frame.instances == frame.instance_names.index(name))
        z = frame.depth[rows, columns].astype(float)
        rays = np.stack([(columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy, np.ones(len(rows))], axis=-1)
        position = frame.pose.position + (rays * z[:, None]).mean(axis=0) @ frame.pose.rotation.T
        assert np.linalg.norm(position - item.position) < 0.03
        colour = frame.rgb[rows, columns].mean(axis=0)
        assert colour.argmax() == (0 if name == "red_cube" else 1)


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(BadInput, match="Which task of robosuite"):
        open_robot("robosuite:Fly", RemoteSettings())


def test_a_task_is_done_by_its_own_verdict(tmp_path: Path) -> None:
    run = homie.run(
        "pick up the red cube",
        robot="remote:robosuite:Lift",
        seed=3,
        planner="rule",
        skills="classical",
        out=tmp_path / "run",
        video=False,
    )
    state = json.loads((run.episode_folder / "final_state.json").read_text())
    assert state["success"] is True and state["held"] == "red_cube"

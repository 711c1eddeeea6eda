"""Episodes of EB-Manipulation: files in the form of its data set, over the real client and a server of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fake_coppelia import MODEL, STAND, Sim, serving
from released_episodes import write_episodes

import homie
from homie import BadInput
from homie.envs.coppelia.released_task import Detected, read_task
from homie.envs.coppelia.robot import CoppeliaRobot, CoppeliaSettings
from homie.kernel.types import Pose, Pose2
from skills.discrete_actions.arm_actions import ArmAction
from tests import other_packages


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_episodes(tmp_path, monkeypatch)


@pytest.fixture
def sim() -> Sim:
    return Sim()


@pytest.fixture
def port(sim: Sim) -> Iterator[int]:
    other_packages.use("coppeliasim_zmqremoteapi_client", "coppeliasim-zmqremoteapi-client==2.0.4", "cbor2")
    with serving(sim) as number:
        yield number


def place_of(data: Path, task: str) -> Path:
    return data / "base" / "eval" / task / "variation0" / "episodes" / "episode0"


def test_conditions_are_read_by_their_names_and_nothing_is_run(data: Path) -> None:
    task = read_task(place_of(data, "pick_cube_shape"))
    assert task.detected == (Detected("red_cube", "success0", False),)
    wiping = read_task(place_of(data, "wipe_table_direction"))
    assert (len(wiping.dirt), wiping.most, wiping.wiper) == (4, 2.0, "sponge_sensor0")
    mark = data / "mark"
    hostile = place_of(data, "pick_cube_shape") / "configs.pkl"
    hostile.write_bytes(hostile.read_bytes().replace(b"_obj", b"_obx"))
    with pytest.raises(BadInput, match=r"has a DetectedCondition that is not as EB-Manipulation writes it \('_obj'\)"):
        read_task(hostile.parent)
    hostile.write_bytes(b"cos\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR.")
    with pytest.raises(BadInput, match="has no high_level_descriptions"):
        read_task(hostile.parent)
    assert not mark.exists()
    hostile.write_bytes(b"\x80\x04nothing")
    with pytest.raises(BadInput, match=r"configs\.pkl is damaged"):
        read_task(hostile.parent)
    with pytest.raises(BadInput, match="is not an episode of EB-Manipulation"):
        read_task(data)


def test_an_episode_is_judged_by_its_own_sensor(sim: Sim, port: int, data: Path, tmp_path: Path) -> None:
    run = homie.run(
        "put the red cube on the green block",
        robot="coppelia",
        robot_settings={"port": port, "task": str(place_of(data, "stack_cubes_color"))},
        planner="rule",
        skills="classical",
        video=False,
        out=tmp_path / "run",
    )
    assert [step.feedback.ok for step in run.result.history[:2]] == [True, True]
    final = (run.episode_folder / "final_state.json").read_text()
    assert '"success": true' in final and "Do the stack_cubes_color." in final
    assert {Path(file).name for file in sim.loaded} == {"task_base.ttm"} and "removeModel" in sim.calls


def test_dirt_vanishes_under_the_sponge(sim: Sim, port: int, data: Path) -> None:
    settings = CoppeliaSettings(port=port, task=place_of(data, "wipe_table_direction"))
    with CoppeliaRobot.of("", settings) as robot:
        assert robot.snapshot().success is False and not any("spot" in name for name in robot.snapshot().things)
        for spot in (-0.06, -0.02):
            sim.places[52] = STAND.transform(np.array([0.5, spot, 0.52]))
            robot.act(homie.Command())
        assert robot.snapshot().success is True
        robot.reset(seed=1)
        assert len(sim.dirt) == 4, "the next episode begins with all of them"


def test_what_the_model_lacks_is_a_sentence(sim: Sim, port: int, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Sim.getObjectsInTree
    monkeypatch.setattr(Sim, "getObjectsInTree", lambda *about: [[]] if about[1] == MODEL else original(*about))
    with pytest.raises(BadInput, match=r"task_base\.ttm has no proximity sensor 'success0'|has no shape 'red_cube'"):
        CoppeliaRobot.of("", CoppeliaSettings(port=port, task=place_of(data, "pick_cube_shape")))


def test_seven_numbers_move_the_hand_in_the_frame_of_the_scene(port: int) -> None:
    turn = Pose2(0.0, 0.0, STAND.yaw)
    with homie.open(robot="coppelia", robot_settings={"port": port}, skills="arm") as session:
        assert session.actions == ("Move", "End")
        robot = session.robot
        here = robot.kinematics.forward(robot.spec.chain.measured(robot.measured()))
        there = STAND.transform(here.position + np.array([0.05, 0.05, -0.05]))
        down = np.column_stack([turn.transform(axis) for axis in np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])])
        action = ArmAction.from_pose(Pose(there, down), open=False)
        record = session.call("Move", str(action))
        assert record.feedback.ok, record.feedback.message
        hand = robot.kinematics.forward(robot.spec.chain.measured(robot.measured())).position
        assert np.linalg.norm(STAND.transform(hand) - action.pose.position) < 0.01
        assert session.call("Move", "[1, 2]").feedback.code == "F2"

"""The robot `coppelia` by the real client of CoppeliaSim (2.0.4), with a server of ours in the place of CoppeliaSim."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_coppelia import CONSTANTS, HEIGHT, OLD, STAND, Sim, serving

import homie
from homie import BadInput, Command, InfrastructureError, Pose, RobotFault
from homie.envs.coppelia.robot import CoppeliaRobot, CoppeliaSettings
from homie.testing import check_locator, check_robot
from tests import other_packages


@pytest.fixture(autouse=True)
def _client() -> None:
    other_packages.use("coppeliasim_zmqremoteapi_client", "coppeliasim-zmqremoteapi-client==2.0.4", "cbor2")


@pytest.fixture
def sim() -> Sim:
    return Sim()


@pytest.fixture
def port(sim: Sim) -> Iterator[int]:
    with serving(sim) as number:
        yield number


def robot_at(port: int, argument: str = "", **more: Any) -> CoppeliaRobot:
    return CoppeliaRobot.of(argument, CoppeliaSettings(port=port, **more))


def put_cube(port: int, out: Path, **settings: Any) -> Any:
    return homie.run(
        "put the red cube on the green block",
        robot="coppelia",
        robot_settings={"port": port, **settings},
        planner="rule",
        skills="classical",
        video=False,
        out=out,
    )


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True])
def test_it_conforms_and_finds_where_the_panda_stands(sim: Sim, port: int, old: bool) -> None:
    sim.constants = {OLD.get(name, name) if old else name: value for name, value in sim.constants.items()}
    with robot_at(port) as robot:
        base = robot.measured().base
        assert (base.x, base.y, base.yaw) == pytest.approx((STAND.x, STAND.y, STAND.yaw))
        assert robot.kinematics.foot[2] == pytest.approx(HEIGHT)
        check_locator(robot.background(), robot, ["red cube", "green block", "dining table"])
        check_robot(robot, close=True)


def test_rule_puts_a_cube_onto_a_block_by_motion(sim: Sim, port: int, tmp_path: Path) -> None:
    run = put_cube(port, tmp_path / "run")
    assert [str(item.subtask) for item in run.result.history] == [
        "[Pick, red cube]",
        "[Put, red cube, green block]",
        "[End]",
    ]
    state = json.loads((run.episode_folder / "final_state.json").read_text())
    assert (state["objects"]["red_cube"]["at"], state["held"]) == ("green_block", None)
    assert not sim.running, "the simulation ends with the run"


@pytest.mark.slow
def test_a_planner_is_given_the_code_of_a_grasp_that_failed_and_tries_again(
    sim: Sim, port: int, tmp_path: Path
) -> None:
    sim.slips = 3  # as often as Pick tries
    run = put_cube(port, tmp_path / "run")
    answers = [(str(item.subtask), str(item.feedback.code or "")) for item in run.result.history]
    assert answers[0] == ("[Pick, red cube]", "E1") and answers[-1] == ("[End]", "")
    assert "closed on nothing" in run.result.history[0].feedback.message
    state = json.loads((run.episode_folder / "final_state.json").read_text())
    assert (state["objects"]["red_cube"]["at"], state["held"]) == ("green_block", None)


def test_an_arm_that_does_not_move_is_an_error_of_the_subtask(sim: Sim, port: int, tmp_path: Path) -> None:
    sim.blocked = True
    run = put_cube(port, tmp_path / "run")
    feedback = run.result.history[0].feedback
    assert "something stops the arm" in feedback.message
    assert str(feedback.code) == "E1" and sim.places[52] == pytest.approx(Sim().places[52]), feedback


def test_a_server_that_hangs_in_an_episode_ends_the_run_and_keeps_its_record(
    sim: Sim, port: int, tmp_path: Path
) -> None:
    sim.hangs_after, sim.hangs_at = 20, "step"
    with pytest.raises(InfrastructureError, match=r"has not answered in 0\.5 s at 'sim\.step'"):
        put_cube(port, tmp_path / "run", reply_seconds=0.5)
    assert [*tmp_path.rglob("steps.jsonl")], "what was played is kept"


def test_pictures_are_upright_with_depth_in_metres(port: int) -> None:
    with robot_at(port) as robot:
        frame = robot.observe(("front",)).frames["front"]
        cube = np.array(robot.snapshot().objects["red_cube"].position)
        rows, columns = np.nonzero(frame.rgb[..., 0] > 150)
        across, down, ahead = frame.pose.rotation.T @ (cube - frame.pose.position)
        lens = frame.intrinsics
        assert columns.mean() == pytest.approx(lens.cx + lens.fx * across / ahead, abs=1.0)
        assert rows.mean() == pytest.approx(lens.cy + lens.fy * down / ahead, abs=1.5)
        assert frame.depth is not None and frame.depth[rows[0], columns[0]] == pytest.approx(ahead)
        assert frame.depth[0, 0] == 0.0, "nothing is there up to the far plane"
        with pytest.raises(BadInput, match="no camera 'left': it has front and wrist"):
            robot.observe(("left",))


def test_a_scene_begins_anew_with_every_episode(sim: Sim, port: int, tmp_path: Path) -> None:
    scene = tmp_path / "scene.ttt"
    scene.touch()
    with pytest.raises(BadInput, match=r"name two scenes: give one\.$"):
        robot_at(port, str(scene), scene=scene)
    with robot_at(port, scene=scene) as robot:
        before = robot.snapshot(), robot.measured()
        here = robot.kinematics.forward(robot.spec.chain.measured(robot.measured()))
        there = Pose(here.position + np.array([0.0, 0.05, -0.03]), here.rotation)
        for _ in range(20):
            robot.act(Command(effector=there))
        reached = robot.kinematics.forward(robot.spec.chain.measured(robot.measured()))
        assert np.linalg.norm(reached.position - there.position) < 1e-3
        robot.reset(seed=1)
        assert (robot.snapshot(), robot.measured()) == before
    assert sim.calls.count("loadScene") == 1, "only what has moved is put back"


def test_what_is_not_there_is_a_sentence(sim: Sim, port: int, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^There is no scene file .*/none\.ttt: give --robot coppelia:FILE\.ttt"):
        robot_at(port, f"{tmp_path}/none.ttt")
    wrong = tmp_path / "scene.txt"
    wrong.touch()
    with pytest.raises(RobotFault, match=r"^CoppeliaSim refuses 'sim\.loadScene': .*could not read scene\.$"):
        robot_at(port, str(wrong))
    sim.constants = {name: value for name, value in sim.constants.items() if "joint_" not in name}
    with pytest.raises(RobotFault, match=r"^This CoppeliaSim has no 'sim\.joint_revolute': version 4\.5 or later"):
        robot_at(port)
    sim.constants = CONSTANTS
    with pytest.raises(BadInput, match=r"^The scene has no /UR5: load one with a Panda"):
        robot_at(port, model="/UR5")
    with pytest.raises(BadInput, match=r"^/DiningTable has 0 turning and 0 sliding joints"):
        robot_at(port, model="/DiningTable")
    with pytest.raises(BadInput, match=r"^The scene has no /Back: add one"):
        robot_at(port, front="/Back")
    sim.longer = 0.02
    with pytest.raises(BadInput, match=r"^/Franka is no Panda: its joint 5 is not where that of a Panda is\.$"):
        robot_at(port)


def test_a_server_that_is_away_or_hangs_is_one_sentence_in_its_time(sim: Sim, port: int) -> None:
    with robot_at(port, reply_seconds=0.3) as robot:
        sim.hangs_at = "step"
        with pytest.raises(RobotFault, match=r"has not answered in 0\.3 s at 'sim\.step'\.$"):
            robot.act(Command())
        with pytest.raises(RobotFault, match=r"was lost before 'sim\."):
            robot.reset(seed=0)
    with pytest.raises(InfrastructureError, match=r"^No CoppeliaSim answers at 127\.0\.0\.1:9 in 0\.2 s: start it"):
        robot_at(9, connect_seconds=0.2)

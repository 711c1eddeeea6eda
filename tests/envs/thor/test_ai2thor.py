"""The robot `thor` through the real package ai2thor (5.0.0, 2.1.0), with a program of ours in the place of Unity's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_unity import actions_of, unity_of

import homie
from homie import BadInput, RobotFault, Subtask
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import ThorSettings
from homie.testing import check_robot
from tests import other_packages

ROOM = ThorSettings(kinds=("Fridge", "Microwave", "Sink", "SinkBasin", "Faucet", "Apple", "Mug", "Mug"))
SIZE = "160x120"


@pytest.fixture(autouse=True)
def _package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other_packages.use("ai2thor", "ai2thor==5.0.0")
    monkeypatch.setenv("XDG_CACHE_HOME", str(other_packages.caches().parents[1]))  # packages stay where they are
    monkeypatch.setenv("HOME", str(tmp_path))  # the package writes into `~/.ai2thor`
    monkeypatch.delenv("DISPLAY", raising=False)


def robot_on(folder: Path, *, fault: str = "", **more: Any) -> ThorRobot:
    return ThorRobot.of("", ThorSettings(executable=unity_of(folder, ROOM, fault), **more))


def options_on(folder: Path, *, fault: str = "", **more: Any) -> dict[str, Any]:
    """Of a run or a session."""
    unity = unity_of(folder, ROOM, fault)
    return {
        "robot": "thor",
        "robot_settings": {"executable": str(unity), **more},
        "picture_size": SIZE,
        "skills": "own",
    }


@pytest.mark.slow
def test_an_episode_is_that_of_the_fake_and_loads_its_scene_once(tmp_path: Path) -> None:
    task = "put the apple in the fridge"
    real, fake = options_on(tmp_path), {"robot": "thor:fake", "robot_settings": {"kinds": list(ROOM.kinds)}}
    runs = [
        homie.run(task, planner="rule", video=False, out=tmp_path / f"run-{number}", **options)
        for number, options in enumerate((real, {**real, **fake}))
    ]
    assert runs[0].result.history == runs[1].result.history
    states = [json.loads((run.episode_folder / "final_state.json").read_text()) for run in runs]
    assert states[0] == states[1] and states[0]["objects"]["apple"]["at"] == "fridge"
    assert Counter(actions_of(tmp_path))["Reset"] == 1


def test_it_conforms_and_a_scene_is_loaded_anew_once_something_was_done_in_it(tmp_path: Path) -> None:
    with robot_on(tmp_path, picture_size="64x64") as robot:
        check_robot(robot, close=False)
        before = robot.snapshot()
        assert robot.perform(Subtask("Go to", "apple"), "apple") == ""
        assert robot.snapshot() != before
        for _ in range(2):
            robot.reset(seed=0)
            assert robot.snapshot() == before
    robot.close()
    assert Counter(actions_of(tmp_path))["Reset"] == 2


def test_pictures_depths_and_masks_pass_the_package(tmp_path: Path) -> None:
    fake = ThorRobot.of("fake", ROOM)
    with robot_on(tmp_path) as real:
        frames = []
        for robot in (real, fake):
            assert robot.perform(Subtask("Go to", "mug"), "mug") == ""
            frames.append(robot.observe(("front",)).frames["front"])
    first, second = frames
    assert first.rgb.shape == (300, 300, 3) and (first.rgb == second.rgb).all()
    np.testing.assert_array_equal(first.depth, second.depth)
    assert sorted(first.instance_names) == sorted(second.instance_names) and "mug" in first.instance_names
    for name in first.instance_names:
        masks = [frame.instances == frame.instance_names.index(name) for frame in frames]
        assert (masks[0] == masks[1]).all()


def test_refusals_of_the_program_reach_the_planner_as_codes(tmp_path: Path) -> None:
    with homie.open(**options_on(tmp_path, fault="blocked@Teleport")) as session:
        answers = [session.call("Go to", "apple"), session.call("Turn on", "microwave")]
    with homie.open(**options_on(tmp_path)) as session:
        calls = (("Go to", "microwave"), ("Open", "microwave"), ("Turn on", "microwave"), ("Pick", "apple"))
        answers += [session.call(*call) for call in calls]
    assert [(str(answer.feedback.code or ""), answer.feedback.message) for answer in answers] == [
        ("E1", "Cannot move to apple"),
        ("E1", "Target object not found within the specified visibility."),
        ("", "None"),
        ("", "None"),
        ("E1", "Target must be closed to Toggle On!"),
        ("D1", "Unable to pick, the target is far away"),
    ]


LOG = r"\(its log: .*/unity\.log\)\.$"
STARTS = {
    "exit": rf"^AI2-THOR was lost at the start: its program ended with code 3 {LOG}",
    "gone": rf"^AI2-THOR was lost at the start: its program ended with code 3 {LOG}",
    "hang": rf"^AI2-THOR has not answered in 1 s at the start {LOG}",
    "mute": rf"^AI2-THOR has not answered in 1 s at the start {LOG}",
    "kill@Initialize": rf"^AI2-THOR was lost at the start: signal SIGKILL ended it {LOG}",
    "unknown@Initialize": r"^AI2-THOR does not start \(ValueError: Invalid action: Initialize\): it needs its build",
}


@pytest.mark.parametrize("fault", STARTS)
def test_a_start_that_fails_or_hangs_is_one_sentence_in_its_time(fault: str, tmp_path: Path) -> None:
    limit = 1.0 if fault in ("hang", "mute") else 60.0
    with pytest.raises(RobotFault, match=STARTS[fault]):
        robot_on(tmp_path, fault=fault, start_seconds=limit)


def test_wrong_settings_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no scene 'FloorPlan_31': did you mean 'FloorPlan\d+'\?$"):
        robot_on(tmp_path, floor_plan="FloorPlan_31")
    with pytest.raises(RobotFault, match=r"does not start \(FileNotFoundError: .*/nothing"):
        ThorRobot.of("", ThorSettings(executable=tmp_path / "nothing"))


LOSSES = {
    "kill@PickupObject": rf"^AI2-THOR was lost at 'PickupObject': signal SIGKILL ended it {LOG}",
    "hang@PickupObject": rf"^AI2-THOR has not answered in 1 s at 'PickupObject' {LOG}",
    "unknown@PickupObject": r"^This build of AI2-THOR does not take 'PickupObject': Invalid action: PickupObject$",
}


@pytest.mark.parametrize("fault", LOSSES)
def test_a_program_that_is_lost_ends_the_episode_as_a_fault(fault: str, tmp_path: Path) -> None:
    with robot_on(tmp_path, fault=fault, reply_seconds=1.0) as robot:
        assert robot.perform(Subtask("Go to", "apple"), "apple") == ""
        with pytest.raises(RobotFault, match=LOSSES[fault]):
            robot.perform(Subtask("Pick", "apple"), "apple")
        robot.stop()
        if "unknown" not in fault:
            with pytest.raises(RobotFault, match=LOSSES[fault]):
                robot.reset(seed=0)


@pytest.mark.slow
def test_version_2_1_plays_what_the_fake_does(tmp_path: Path) -> None:
    script = Path(__file__).with_name("old_thor_episode.py")
    environment = {**other_packages.environment("ai2thor", "ai2thor==2.1.0"), "HOME": str(tmp_path)}
    completed = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, env=environment, timeout=120
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    results = json.loads(completed.stdout.splitlines()[-1])
    closed = "Target openable Receptacle is CLOSED, can't place if target is not open!"
    refused = ["Nothing in hand to drop!", "fridge is closed already"]
    assert results["answers"] == ["", "", "", closed, "", "", "", *refused, ""]
    assert all(results["same"]) and results["rgb"] and results["mask"] and results["rule"] == "fridge"
    assert results["depth"] < 1e-5 and results["resets"] == 1
    assert results["start"] == "RobotFault: AI2-THOR has not answered in 0.5 s at the start."
    assert results["lost"] == "RobotFault: AI2-THOR was lost at 'PickupObject': its program has ended."
    assert results["small"].startswith("BadInput: ai2thor 2.1 gives no pictures below 300x300")


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "version"), [("eb-navigation", "5.0.0"), ("eb-alfred", "2.1.0")])
def test_official_tasks_play_as_on_the_fake(suite: str, version: str, tmp_path: Path) -> None:
    top = os.environ.get("EMBODIEDBENCH_DATA")
    if not top:
        pytest.skip("EMBODIEDBENCH_DATA does not name a folder with eb_alfred and eb_navigation")
    script = Path(__file__).with_name("official_episodes.py")
    environment = {**other_packages.environment("ai2thor", f"ai2thor=={version}"), "HOME": str(tmp_path)}
    name = f"{suite}:{Path(top) / suite.replace('-', '_')}"
    completed = subprocess.run(
        [sys.executable, str(script), name, str(tmp_path)], capture_output=True, text=True, env=environment, check=False
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    played, different = json.loads(completed.stdout.splitlines()[-1])
    assert played == 300 and different == []

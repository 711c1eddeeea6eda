"""EB-ALFRED's published tasks as a suite: numbers, goals and reference steps, on a fake AI2-THOR."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.suite.suite import find_suite
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import ThorSettings
from homie.kernel.world.conditions import unknown_words
from suites.published.embodiedbench_files import ALFRED_SUBSETS

SCENE = "pick_cool_then_place_in_recep-AppleSliced-None-SinkBasin-4/trial_1"
STEPS = [
    "find a apple",
    "slice the apple",
    "pick up a apple",
    "find a fridge",
    "open the Fridge",
    "put down the apple",
    "close the Fridge",
    "open the Fridge",
    "find an apple",
    "pick up the apple",
    "find an ",
    "close the Fridge",
    "find a sinkbasin",
    "put down the apple",
]
ACTIONS = [
    *("find a Apple", "find a Fridge", "find a Sink", "pick up the Apple", "put down the object in hand"),
    *("open the Fridge", "close the Fridge", "slice the Apple"),
]


@pytest.fixture
def alfred(tmp_path: Path) -> Path:
    folder = tmp_path / "eb_alfred"
    (folder / "splits").mkdir(parents=True)
    task = {
        "full_scene_name": SCENE,
        "repeat_idx": 0,
        "task type": SCENE.split("-")[0],
        "task id": "trial_1",
        "task description": "Put a cold slice of apple in the sink.",
        "NL Steps": STEPS,
    }
    listed = {"task": SCENE, "repeat_idx": 0, "instruction": task["task description"]}
    contents = {subset: [task] for subset in ALFRED_SUBSETS} | {"splits": {name: [listed] for name in ALFRED_SUBSETS}}
    for name, content in contents.items():
        (folder / f"splits/{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "global_actions.json").write_text(json.dumps(ACTIONS), encoding="utf-8")
    return folder


def test_the_bench_plays_reference_steps_by_number_and_judges_alfreds_goal(alfred: Path, tmp_path: Path) -> None:
    options = BenchOptions.build(
        suite=f"eb-alfred:{alfred}",
        robot="thor:fake",
        planner="expert",
        tasks="base-01",
        out=tmp_path / "run",
        workers=1,
        picture_size="32",
    )
    summary = bench(options)
    assert [(line.ended_by, line.world) for line in summary.lines] == [("goal", True)]


def test_a_version_says_whether_the_faults_of_the_release_are_kept(alfred: Path) -> None:
    fixed, released = find_suite(f"eb-alfred:{alfred}"), find_suite(f"eb-alfred@2025-02:{alfred}")
    assert (fixed.name, fixed.protocol.faults) == ("eb-alfred@2025-fixed", "none")
    assert (released.name, released.protocol.faults) == ("eb-alfred@2025-02", "eb-alfred@2025-02")


def test_the_list_has_the_released_numbers(alfred: Path) -> None:
    task = find_suite(f"eb-alfred:{alfred}").by_id["spatial-01"]
    robot = ThorRobot.of("fake", ThorSettings(**task.scene.settings))
    assert [choice.name for choice in robot.choices()] == ACTIONS
    assert task.expert is not None and len(task.expert) == len(STEPS) - 1, "the step that names nothing is left out"


def test_no_official_goal_is_met_at_its_start_and_each_names_what_is_there() -> None:
    top = os.environ.get("EMBODIEDBENCH_DATA")
    if not top:
        pytest.skip("EMBODIEDBENCH_DATA does not name a folder with eb_alfred and eb_navigation")
    suite = find_suite(f"eb-alfred:{Path(top) / 'eb_alfred'}")
    assert len(suite.tasks) == 300
    for task in suite.tasks:
        robot = ThorRobot.of("fake", ThorSettings(**task.scene.settings, picture_size="16x16"))
        assert task.goal is not None and not unknown_words(task.goal, robot.snapshot()), task.id
        assert not task.goal.holds(robot.snapshot()), task.id
        assert len(robot.choices()) >= 162

"""EmbodiedBench's published task files as suites: small ones that were made up, and the official ones."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.suite.suite import Suite, Task, find_suite, read_subtask
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import ThorSettings
from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from suites.published.embodiedbench_files import NAVIGATION_SUBSETS


def release_folder(name: str) -> Path:
    top = os.environ.get("EMBODIEDBENCH_DATA")
    if not top:
        pytest.skip("EMBODIEDBENCH_DATA does not name a folder with eb_alfred and eb_navigation")
    return Path(top) / name


@pytest.fixture
def navigation(tmp_path: Path) -> Path:
    """Two tasks in every subset: the target ahead and to the right, and behind the agent."""
    folder = tmp_path / "eb_navigation"
    folder.mkdir()
    tasks = [_task(rotation, (1.0, 2.5)) for rotation in (0.0, 180.0)]
    for subset in NAVIGATION_SUBSETS:
        (folder / f"{subset}.json").write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    return folder


def _task(rotation: float, target: tuple[float, float]) -> dict[str, Any]:
    return {
        "targetObjectType": "Bread",
        "targetObjectIds": "Bread|+01.00|+00.98|+02.50",
        "target_position": {"x": target[0], "y": 0.98, "z": target[1]},
        "agentPose": {"position": {"x": 0.0, "y": 0.9, "z": 0.0}, "rotation": rotation, "horizon": 0.0},
        "scene": "FloorPlan11",
        "object_to_hide": [],
        "instruction": "Go to the bread.",
    }


def play(suite: Suite, task: Task) -> list[bool | None]:
    """Whether the task is done before the expert's steps and after each of them, on a fake AI2-THOR."""
    robot = ThorRobot.of("fake", ThorSettings(**task.scene.settings, picture_size="16x16"))
    verdicts = [robot.snapshot().success]
    for step in task.expert or ():
        action = read_subtask(step)
        assert action in [choice.subtask for choice in robot.choices()]
        assert robot.perform(Subtask(action.action), "") == "", f"{task.id}: {step}"
        verdicts.append(robot.snapshot().success)
    return verdicts


def test_a_suite_of_published_files_is_named_with_its_folder(navigation: Path) -> None:
    suite = find_suite(f"eb-navigation:{navigation}")
    assert (suite.robot, suite.skills, suite.protocol.steps, suite.protocol.end) == ("thor", "own", 20, "goal")
    assert [task.id for task in suite.tasks][:3] == ["base-01", "base-02", "common-sense-01"]
    assert suite.by_id["long-horizon-02"].attributes == ("long-horizon",)
    with pytest.raises(BadInput, match="eb-navigation:FOLDER"):
        find_suite("eb-navigation")
    with pytest.raises(BadInput, match=r"base\.json"):
        find_suite(f"eb-navigation:{navigation.parent}")


def test_a_version_says_whether_the_faults_of_the_release_are_kept(navigation: Path) -> None:
    fixed, released = (find_suite(f"eb-navigation@2025-{version}:{navigation}") for version in ("fixed", "02"))
    assert fixed == find_suite(f"eb-navigation:{navigation}")
    assert (fixed.name, fixed.protocol.faults) == ("eb-navigation@2025-fixed", "none")
    assert (released.name, released.protocol.faults) == ("eb-navigation@2025-02", "eb-navigation@2025-02")
    assert released.tasks == fixed.tasks


def test_an_expert_takes_the_fewest_moves_and_turns_nowhere(navigation: Path) -> None:
    suite = find_suite(f"eb-navigation:{navigation}")
    front, behind = (suite.by_id[name].expert or () for name in ("base-01", "base-02"))
    assert [step.split()[1] for step in front] == ["forward"] * (len(front) - 2) + ["rightward"] * 2
    assert [step.split()[1] for step in behind] == ["backward"] * (len(front) - 2) + ["leftward"] * 2
    assert play(suite, suite.by_id["base-01"]) == [False] * len(front) + [True]


def test_the_bench_plays_it_on_a_fake(navigation: Path, tmp_path: Path) -> None:
    options = BenchOptions.build(
        suite=f"eb-navigation:{navigation}",
        robot="thor:fake",
        planner="expert",
        tasks="base-*",
        out=tmp_path / "run",
        workers=1,
        picture_size="32",
        robot_settings={"grid": 0.5},
    )
    summary = bench(options)
    assert (summary.episodes, summary.successes, summary.judged, summary.infrastructure) == (2, 2, 2, 0)
    assert {line.ended_by for line in summary.lines} == {"goal"}


@pytest.mark.parametrize("subset", NAVIGATION_SUBSETS)
def test_every_official_task_of_navigation_is_open_at_its_start_and_done_by_its_expert(subset: str) -> None:
    suite = find_suite(f"eb-navigation:{release_folder('eb_navigation')}")
    tasks = suite.select(f"{subset.replace('_', '-')}-*")
    assert len(tasks) == 60
    for task in tasks:
        verdicts = play(suite, task)
        assert not verdicts[0] and verdicts[-1] and len(verdicts) <= 21, task.id
        scene = ThorSettings(**task.scene.settings)
        assert scene.pose is not None and scene.approach is not None
        point = scene.approach.point
        assert 2.5 < math.hypot(point[0] - scene.pose[0], point[2] - scene.pose[2]) < 3.01

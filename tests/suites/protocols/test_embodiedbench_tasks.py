"""EmbodiedBench's task files: small ones that were made up, and the released ones where a user has them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from protocol_cases import write

from homie.kernel.errors import BadInput
from suites.published.embodiedbench_files import ALFRED_SUBSETS, NAVIGATION_SUBSETS, read_alfred, read_navigation

SCENE = "pick_and_place_simple-Mug-None-Shelf-7/trial_1"


@pytest.fixture
def alfred(tmp_path: Path) -> Path:
    task = {
        "full_scene_name": SCENE,
        "repeat_idx": 1,
        "task type": "pick_and_place_simple",
        "task id": "trial_1",
        "task description": "Shelve a mug.",
        "NL Steps": ["find a mug", "pick up the mug"],
    }
    listed = {"task": SCENE, "repeat_idx": 1, "instruction": "Shelve a mug."}
    write(tmp_path / "global_actions.json", ["find a Mug", "pick up the Mug"])
    write(tmp_path / "splits/splits.json", {subset: [listed] for subset in ALFRED_SUBSETS})
    for subset in ALFRED_SUBSETS:
        write(tmp_path / f"splits/{subset}.json", [task])
    return tmp_path


@pytest.fixture
def navigation(tmp_path: Path) -> Path:
    task = {
        "targetObjectType": "Bread",
        "targetObjectIds": "Bread|1",
        "target_position": {"x": 1, "y": 0.9, "z": 2},
        "agentPose": {"position": {"x": 3, "y": 0.9, "z": 0}, "rotation": 90.0, "horizon": 0.0},
        "scene": "FloorPlan11",
        "object_to_hide": ["Statue|1"],
        "instruction": "Go to the bread.",
    }
    for subset in NAVIGATION_SUBSETS:
        write(tmp_path / f"{subset}.json", {"tasks": [task]})
    return tmp_path


def test_a_task_of_alfred_is_read(alfred: Path) -> None:
    released = read_alfred(alfred)
    assert released.actions.index("pick up the Mug") == 1
    (task,) = released.tasks["spatial"]
    assert (task.floor_plan, task.annotation, task.instruction) == ("FloorPlan7", 1, "Shelve a mug.")
    assert task.steps == ("find a mug", "pick up the mug")


def test_a_task_of_navigation_is_read(navigation: Path) -> None:
    (task,) = read_navigation(navigation)["long_horizon"]
    assert (task.target, task.target_position.z, task.start.rotation) == ("Bread|1", 2.0, 90.0)
    assert task.hidden == ("Statue|1",)


def no_actions(folder: Path) -> None:
    (folder / "global_actions.json").unlink()


def an_action_twice(folder: Path) -> None:
    write(folder / "global_actions.json", ["find a Mug", "find a Mug"])


def another_order(folder: Path) -> None:
    write(folder / "splits/splits.json", {"base": []})


def no_floor_plan(folder: Path) -> None:
    path = folder / "splits/base.json"
    path.write_text(path.read_text().replace(SCENE, "Mug"))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (no_actions, r"Cannot read the actions of EB-ALFRED .*global_actions\.json"),
        (an_action_twice, "the action 'find a Mug' twice"),
        (another_order, "different tasks of base: take both from one release"),
        (no_floor_plan, r"Cannot read the tasks of EB-ALFRED .*full_scene_name"),
    ],
)
def test_what_is_wrong_is_one_sentence(alfred: Path, damage: Callable[[Path], None], sentence: str) -> None:
    damage(alfred)
    with pytest.raises(BadInput, match=sentence):
        read_alfred(alfred)


@pytest.mark.parametrize("content", ["[", '{"tasks": []}', '{"tasks": [{"scene": "FloorPlan1"}]}'])
def test_a_bad_file_of_navigation_is_one_sentence(navigation: Path, content: str) -> None:
    (navigation / "base.json").write_text(content)
    with pytest.raises(BadInput, match=r"Cannot read the tasks of EB-Navigation .*base\.json"):
        read_navigation(navigation)


def released_folder(name: str) -> Path:
    top = os.environ.get("EMBODIEDBENCH_DATA")
    if top is None:
        pytest.skip("EMBODIEDBENCH_DATA does not name a folder with eb_alfred and eb_navigation")
    return Path(top) / name


def test_the_released_tasks_of_alfred_load() -> None:
    released = read_alfred(released_folder("eb_alfred"))
    assert len(released.actions) == 162 and released.actions[133] == "put down the object in hand"
    assert {subset: len(tasks) for subset, tasks in released.tasks.items()} == dict.fromkeys(ALFRED_SUBSETS, 50)
    every = [task for tasks in released.tasks.values() for task in tasks]
    assert len({(task.scene, task.annotation) for task in every}) == 213


def test_the_released_tasks_of_navigation_load() -> None:
    released = read_navigation(released_folder("eb_navigation"))
    assert {subset: len(tasks) for subset, tasks in released.items()} == dict.fromkeys(NAVIGATION_SUBSETS, 60)
    for tasks in released.values():
        assert len({task.scene for task in tasks}) == 60
        for task in tasks:
            start, target = task.start.position, task.target_position
            assert 2.5 < math.hypot(start.x - target.x, start.z - target.z) <= 3.0  # out of reach at the start

"""Sampled errands: every task is sound, and nothing that was held out of training is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from homie.bench.authoring import House, rehearse
from homie.bench.authoring.errand_drawing import SampledSuite, draw_suite
from homie.bench.splits import SPLITS
from homie.bench.suite.suite import Task, read_subtask, read_suite
from homie.kernel.errors import BadInput
from homie.kernel.scenes import scenes_of
from homie.kernel.support.files import to_json
from homie.kernel.world.snapshot import WorldSnapshot

WORLDS: dict[str, WorldSnapshot] = {}


def world(seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot:
    """The world of a scene, made once."""
    key = json.dumps([seed, dict(chosen)])
    if key not in WORLDS:
        start = scenes_of("mujoco").begin(seed, chosen)
        assert start is not None
        WORLDS[key] = start
    return WORLDS[key]


@pytest.fixture(scope="module")
def drawing() -> SampledSuite:
    return draw_suite(60, world, seed=11, test=0.2)


def house_of(task: Task) -> House:
    return House(world(task.scene.seed, task.scene.settings))


def kinds_handled(task: Task) -> set[str]:
    """The kinds of objects that the expert takes."""
    house = house_of(task)
    words = {house.word(name): item.kind for name, item in house.objects.items()}
    picked = [step.target for step in map(read_subtask, task.expert or ()) if step.action == "Pick"]
    return {words[word] for word in picked}


def template(task: Task) -> str:
    return "-".join(task.id.split("-")[1:-1])


def test_every_task_is_open_at_first_and_done_by_its_expert(drawing):
    for task in drawing.suite.tasks:
        house = house_of(task)
        end = rehearse(house, task.expert)
        assert not task.goal.holds(house.state), task.id
        assert not end.failed and task.goal.holds(end.state), task.id
        assert not task.goal.holds(rehearse(house, task.expert[: len(task.expert) // 2]).state), task.id
        assert "{" not in task.text and "_" not in task.text, task.text


def test_groups_are_as_large_as_wanted_and_differ_from_training_in_one_thing(drawing):
    groups: dict[str, list[Task]] = {name: [] for name in ("train", "template", "object", "house", "wording")}
    for task in drawing.suite.tasks:
        groups[task.id.split("-")[0]].append(task)
    assert {name: len(tasks) for name, tasks in groups.items()} == drawing.counts
    assert drawing.counts == {"train": 12, "template": 12, "object": 12, "house": 12, "wording": 12}
    unseen, kinds = set(drawing.templates), set(drawing.objects)
    houses = {task.scene.seed for name in ("train", "template", "object", "wording") for task in groups[name]}
    assert unseen and kinds
    for name, tasks in groups.items():
        for task in tasks:
            assert task.split == ("train" if name == "train" else "test")
            assert (template(task) in unseen) is (name == "template"), task.id
            assert bool(kinds_handled(task) & kinds) is (name == "object"), task.id
            if name == "house":
                assert task.scene.seed not in houses


def test_validation_and_test_share_nothing_that_was_held_out():
    drawing = draw_suite(40, world, seed=11, test=0.1, validation=0.1)
    assert drawing.counts == {
        "train": 8, **{f"validation-{name}": 4 for name in ("template", "object", "house", "wording")},
        **dict.fromkeys(("template", "object", "house", "wording"), 4),
    }  # fmt: skip
    tasks = {split: [task for task in drawing.suite.tasks if task.split == split] for split in SPLITS}

    def named(split: str, group: str) -> list[Task]:
        prefix = f"validation-{group}-" if split == "validation" else f"{group}-"
        return [task for task in tasks[split] if task.id.startswith(prefix)]

    templates = [
        {task.id.rsplit("-", 1)[0].removeprefix("validation-") for task in named(split, "template")}
        for split in SPLITS[1:]
    ]
    houses = [{task.scene.seed for task in named(split, "house")} for split in SPLITS[1:]]
    unseen = set(drawing.objects)
    kinds = [set().union(*(kinds_handled(task) & unseen for task in named(split, "object"))) for split in SPLITS[1:]]
    for validation, test in (templates, houses, kinds):
        assert validation and test and not validation & test
    assert not set().union(*houses) & {task.scene.seed for task in tasks["train"]}


def test_the_seed_decides(drawing):
    again, other = (draw_suite(12, world, seed=seed) for seed in (11, 12))
    assert again.to_json() == draw_suite(12, world, seed=11).to_json() != other.to_json()
    assert {task.id for task in other.suite.tasks} and drawing.suite.name == "errands-11"


def test_the_file_is_a_suite(drawing, tmp_path: Path):
    (tmp_path / "errands.json").write_bytes(to_json(drawing.to_json()))
    assert read_suite(tmp_path / "errands.json") == drawing.suite


def test_no_two_tasks_are_the_same(drawing):
    assert len({(task.scene.seed, task.text) for task in drawing.suite.tasks}) == len(drawing.suite.tasks)


def test_houses_that_give_nothing_are_reported():
    empty = WorldSnapshot()
    with pytest.raises(BadInput, match="gave no further task"):
        draw_suite(5, lambda seed, chosen: empty, test=0.0)

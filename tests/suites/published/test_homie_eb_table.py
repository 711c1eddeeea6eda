"""The suite homie-eb-table: 48 scenes in five ways, paired; what its texts mean, and that its protocol is kept."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import Task, find_suite
from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import FAMILIES, TableScene, Thing
from homie.kernel.world.predicates import In, Is, Sorted, Stacked
from suites.authoring.homie_eb.table_references import (
    COLOURED_LIKE,
    LOOKS,
    SHAPED_LIKE,
    UnsuitedScene,
    by_look,
    by_place,
    named,
    the_only,
)
from suites.authoring.make_homie_eb_table import PER_FAMILY, STEPS, SUBSETS, scene_tasks

SUITE = find_suite("homie-eb-table")
NAMES = [f"{family}-{number:02}" for family in FAMILIES for number in range(1, PER_FAMILY + 1)]


def scene_of(task: Task) -> TableScene:
    return generate(task.scene.settings["family"], task.scene.seed)


def task_things(scene: TableScene) -> set[str]:
    """The names of the things that the scene's task is about, from its conditions; the sponge is the only tool."""
    for condition in scene.conditions:
        match condition:
            case In(pair=names) | Sorted(pair=names) | Stacked(stacked=names):
                return set(map(str, names))
            case Is(in_state=(str() as area, "wiped")):
                return {area, next(item.name for item in scene.things if item.kind == "sponge")}
    raise AssertionError(scene.conditions)


def test_every_scene_is_in_every_subset_with_the_same_goal() -> None:
    assert [task.id for task in SUITE.tasks] == [f"{name}-{subset}" for name in NAMES for subset in SUBSETS]
    assert Counter(attribute for task in SUITE.tasks for attribute in task.attributes) == dict.fromkeys(SUBSETS, 48)
    for name in NAMES:
        base, *others = (SUITE.by_id[f"{name}-{subset}"] for subset in SUBSETS)
        assert all((task.scene, task.goal, task.expert) == (base.scene, base.goal, None) for task in others)
        assert len({task.text for task in (base, *others)}) == 5
    assert len({(task.scene.settings["family"], task.scene.seed) for task in SUITE.tasks}) == 48


def test_the_protocol_is_that_of_eb_manipulation_and_experts_keep_to_it() -> None:
    protocol = SUITE.protocol
    assert (
        (protocol.steps, protocol.things, protocol.feedback) == (STEPS, "numbered", "text") == (15, "numbered", "text")
    )
    for name in NAMES:
        assert len(plan(scene_of(SUITE.by_id[f"{name}-base"]))) < STEPS


@pytest.mark.parametrize("name", ["pick-01", "stack-12", "wipe-07"])
def test_the_file_is_what_its_maker_writes(name: str) -> None:
    family, number = name.split("-")
    for written in scene_tasks(family, int(number)):  # type: ignore[arg-type]
        task = SUITE.by_id[written["id"]]
        assert (task.text, task.scene.seed) == (written["text"], written["scene"]["seed"])


# ---------------------------------------------------------------- what the texts mean, read by another reader


def things_mentioned(task: Task, scene: TableScene) -> set[str]:
    """The things that a text speaks of in the words of its subset, read from the text and not from its maker."""
    text = task.text.lower()
    subset = task.attributes[0]
    kinds = Counter(item.kind for item in scene.things)
    names = set()
    for item in scene.things:
        full = re.search(rf"\bthe {item.colour} {item.kind}\b", text)
        bare = kinds[item.kind] == 1 and re.search(rf"\bthe {item.kind}\b", text)
        coloured = COLOURED_LIKE.get(item.colour, "-")
        match subset:
            case "base" | "complex-instruction":
                fits = full or bare
            case "common-sense":
                about = (
                    SHAPED_LIKE.get(item.kind)
                    or {
                        "container": "box for keeping",
                        "shape sorter": "small children learn",
                        "sponge": "scrubs dishes",
                        "area": "the patch",
                    }[item.kind]
                )
                fits = about in text and (
                    kinds[item.kind] == 1 or re.search(rf"{about}[^.]*? colour of {coloured}", text)
                )
            case "visual-appearance":
                before, after = LOOKS[item.kind]
                fits = f"the {before}{item.colour} {after}" in text
            case _:
                fits = side(item, scene, text)
        if fits:
            names.add(item.name)
    return names


def side(item: Thing, scene: TableScene, text: str) -> bool:
    """Whether a text speaks of a thing by its side of the table."""
    shapes = ("cube", "cylinder", "triangular prism", "cross", "star")
    word = "block" if item.kind in shapes else item.kind
    group = [
        other
        for other in scene.things
        if (other.kind in shapes) == (item.kind in shapes) and (item.kind in shapes or other.kind == item.kind)
    ]
    if len(group) == 1:
        return f"the {word}" in text
    ends = {
        "left": min(group, key=lambda other: other.y),
        "right": max(group, key=lambda other: other.y),
        "rear": min(group, key=lambda other: other.x),
        "front": max(group, key=lambda other: other.x),
    }
    return any(end is item and re.search(rf"\bthe {name}(most)? {word}\b", text) for name, end in ends.items())


@pytest.mark.parametrize("subset", SUBSETS)
def test_a_text_means_what_its_goal_is_about(subset: str) -> None:
    for name in NAMES:
        task = SUITE.by_id[f"{name}-{subset}"]
        scene = scene_of(task)
        about, spoken = task_things(scene), things_mentioned(task, scene)
        assert about <= spoken, task.text
        assert len(spoken - about) == (subset == "complex-instruction"), task.text


CUBES = tuple(
    Thing(name=f"{colour}_cube", kind="cube", colour=colour, x=0.2, y=y)
    for colour, y in (("red", -0.2), ("blue", 0.0), ("green", 0.03))
)
TABLE = TableScene(family="stack", seed=0, instruction="x", things=CUBES, conditions=())


def test_how_things_are_referred_to() -> None:
    red, blue, _ = CUBES
    assert the_only(TABLE, red, named) == "the red cube"
    assert the_only(TABLE, red, by_place) == "the leftmost block"
    assert the_only(TABLE, blue, by_look) == "the blue object with four equal sides on top"
    with pytest.raises(UnsuitedScene, match="no words of by_place mean blue_cube alone"):
        the_only(TABLE, blue, by_place)


# ---------------------------------------------------------------- played


def bench(out: Path, **options: object) -> runner.BenchSummary:
    arguments = {"suite": "homie-eb-table", "out": out, "video": False, "picture_size": "96", **options}
    return runner.bench(BenchOptions.build(**arguments), Progress(Console(file=io.StringIO(), width=200)))


@pytest.mark.slow
def test_the_expert_does_a_task_and_planners_are_given_no_names(tmp_path: Path) -> None:
    result = bench(tmp_path / "expert", planner="expert", tasks="sort-01-spatial")
    assert (result.judged, result.successes) == (1, 1)
    lines = (tmp_path / "expert/episodes/sort-01-spatial-0/inputs.jsonl").read_text().splitlines()
    messages = [json.loads(line) for line in lines]
    scene = scene_of(SUITE.by_id["sort-01-spatial"])
    assert len(messages[0]["listing"]) == len(scene.things)
    assert all(re.fullmatch(r"object \d: \[\d+, \d+, \d+\]", line) for line in messages[0]["listing"])
    words = json.dumps([{name: part for name, part in each.items() if name != "task"} for each in messages])
    assert not [item.name for item in scene.things if item.words in words or item.name in words]


@pytest.mark.slow
def test_the_random_planner_draws_seven_numbers_until_its_failures_are_used_up(tmp_path: Path) -> None:
    bench(tmp_path / "random", planner="random", tasks="pick-01-base")
    steps = [
        json.loads(line) for line in (tmp_path / "random/episodes/pick-01-base-0/steps.jsonl").read_text().splitlines()
    ]
    assert 10 <= len(steps) <= 15

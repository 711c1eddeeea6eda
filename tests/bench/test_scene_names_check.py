"""What a task names has to be in its scene: a key path about something else could never be reached."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.play.scene_names_check import check_words
from homie.bench.suite.suite import Task
from homie.kernel.errors import BadInput
from homie.kernel.executor import Executor
from homie.kernel.options import OpenOptions
from homie.runtime.assembly import assemble

SCENES = Path(__file__).parents[2] / "examples" / "scenes"
ORANGE = {"in": ["orange", "fridge"]}


@pytest.fixture(scope="module", params=["background", "sensors"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """In the scene with two rooms, an orange, a mug, a desk, a bed and a kitchen counter."""
    scene = {"scene": SCENES / "two-rooms.json"}
    with assemble(OpenOptions.build(robot_settings=scene, skills="ideal", targets=request.param)) as parts:
        yield parts.executor


def task(**fields: Any) -> Task:
    return Task.model_validate({"id": "bring", "text": "bring it", **fields})


def check(executor: Executor, names: Mapping[str, str] | None = None, **fields: Any) -> None:
    check_words(task(**fields), executor, names or {})


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"keypaths": [["[Pick, orange]", "[Put, orange, desk]"], ["[Put, ornge, desk]", "[End]"]]},
            "the key path with [Put, ornge, desk] names 'ornge', which is not in its scene: did you mean 'orange'?",
        ),
        (
            {"keypaths": [["[Put, orange, desc]"]]},
            "the key path with [Put, orange, desc] names 'desc', which is not in its scene: did you mean 'desk'?",
        ),
        (
            {"keypaths": [["[go to, zeppelin]"]]},
            "the key path with [go to, zeppelin] names 'zeppelin', which is not in its scene: `homie scene` lists",
        ),
        (
            {"keypaths": [["[Put, orange, desk_7]"]]},
            "the key path with [Put, orange, desk_7] names 'desk_7', which is not in its scene: did you mean 'desk'?",
        ),
        (
            {"keypaths": [["[Pick, green orange]"]]},
            "the key path with [Pick, green orange] names 'green orange', which is not in its scene: did you mean ",
        ),
        (
            {"keypaths": [["[Putt, orange, desk]"]]},
            "the key path with [Putt, orange, desk] has an action that nobody knows, 'Putt': did you mean 'Put'?",
        ),
        (
            {"goal": {"held": "orange"}, "never": [["[Pick, mugg]"]]},
            "never with [Pick, mugg] names 'mugg', which is not in its scene: did you mean 'mug'?",
        ),
        (
            {"goal": {"held": "orange"}, "expert": ["[Go to, ornge]", "[End]"]},
            "the expert's [Go to, ornge] names 'ornge', which is not in its scene: did you mean 'orange'?",
        ),
        (
            {"goal": {"on": [["ornge", "pear"], "desck"]}},
            "the goal names what is not in its scene: ornge, pear (did you mean 'orange'?), desck",
        ),
    ],
)  # fmt: skip
def test_what_is_not_in_the_scene_is_refused_with_the_nearest(
    executor: Executor, fields: Mapping[str, Any], sentence: str
) -> None:
    with pytest.raises(BadInput) as excinfo:
        check(executor, **fields)
    assert str(excinfo.value).startswith(sentence)


@pytest.mark.parametrize(
    "node",
    [
        "[Put, orange, kitchen counter]",
        "[Put, orange, kitchen_counter]",
        "[pick, The Orange]",
        "[Go to, study]",
        "[Pick, fruit]",
        "[Go to, seat]",
        "[Put, object in hand, desk]",
        "[End, red]",
        "[Turn left]",
        "[Slice, orange]",
    ],
)
def test_kinds_rooms_classes_and_other_words_are_accepted(executor: Executor, node: str) -> None:
    check(executor, keypaths=[[node]])


def test_further_words_of_the_suite_are_accepted(executor: Executor) -> None:
    with pytest.raises(BadInput, match="'clementine', which is not in its scene"):
        check(executor, keypaths=[["[Pick, clementine]"]])
    check(executor, {"clementine": "orange"}, keypaths=[["[Pick, clementine]"]])


def test_a_bench_refuses_it_before_playing_and_names_suite_and_task(tmp_path: Path) -> None:
    scene = {"spec": str(SCENES / "two-rooms.json")}
    tasks = [{"id": "bring", "text": "bring it", "scene": scene, "keypaths": [["[Put, ornge, desk]", "[End]"]]}]
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps({"format": 1, "name": "small", "tasks": tasks}))
    options = BenchOptions.build(suite=str(suite), skills="ideal", out=tmp_path / "run", trials=1, workers=1)
    with pytest.raises(BadInput) as excinfo:
        bench(options)
    assert str(excinfo.value) == (
        "The suite 'small': task 'bring': the key path with [Put, ornge, desk] names 'ornge', which is not in its"
        " scene: did you mean 'orange'?"
    )
    assert not (tmp_path / "run").exists()

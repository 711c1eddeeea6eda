"""The Panda's table in a bench: the families belong to the tasks, and the world says what is done."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.score.results import load_run
from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import FAMILIES
from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import serialize_condition

SHIPPED = Path(__file__).parents[2] / "examples/suites/table-twelve.yaml"
PICK = generate("pick", 7001)
IN_CONTAINER = serialize_condition(PICK.conditions[0])
TARGET, CONTAINER = IN_CONTAINER["in"]


def write(folder: Path, *tasks: dict[str, object], **suite: object) -> Path:
    path = folder / "suite.json"
    named = [{"id": f"t{number}", **task} for number, task in enumerate(tasks)]
    path.write_text(json.dumps({"format": 1, "name": "table", "protocol": {"trials": 1}, "tasks": named, **suite}))
    return path


def task(family: str, seed: int, goal: object, text: str = "do it") -> dict[str, object]:
    return {"text": text, "scene": {"family": family, "seed": seed}, "goal": goal}


def bench(suite: Path, out: Path, **options: object) -> runner.BenchSummary:
    arguments = {"suite": str(suite), "out": out, "robot": "franka", "planner": "table-expert", **options}
    return runner.bench(BenchOptions.build(**arguments), Progress(Console(file=io.StringIO(), width=200)))


def test_the_shipped_suite_is_of_all_families_and_says_what_the_tables_say():
    suite = find_suite(str(SHIPPED))
    assert {task.scene.settings["family"] for task in suite.tasks} == set(FAMILIES)
    for task in suite.tasks:
        scene = generate(task.scene.settings["family"], task.scene.seed)
        assert task.text == scene.instruction
        assert task.id == f"{scene.family}-{scene.subset}-{scene.seed}"


@pytest.mark.slow
def test_the_expert_does_its_tasks_and_who_says_end_at_once_does_none(tmp_path):
    """Two families in one suite, goals on places beside the world's own verdict. Seeds of episodes are others."""
    suite = write(
        tmp_path,
        task("pick", 7001, {"all": [{"done": True}, IN_CONTAINER, {"not": {"on": [IN_CONTAINER["in"][0], "table"]}}]}),
        task("wipe", 7000, {"done": True}),
        robot="franka",
    )
    (tmp_path / "end.json").write_text(json.dumps([{"subtask": "[End]"}]))
    result = bench(suite, tmp_path / "expert")
    idle = bench(suite, tmp_path / "idle", planner=f"scripted:{tmp_path / 'end.json'}")
    assert (result.judged, result.successes) == (2, 2)
    assert (idle.judged, idle.successes) == (2, 0)
    assert [score.success for score in load_run(tmp_path / "expert").results.scores] == [True] * 2
    assert [score.success for score in load_run(tmp_path / "idle").results.scores] == [False] * 2
    state = json.loads((tmp_path / "expert/episodes/t0-0/final_state.json").read_text())
    moved = state["objects"][TARGET]
    assert (moved["relation"], moved["at"]) == ("in", CONTAINER)
    assert {item["at"] for name, item in state["objects"].items() if name != TARGET} == {"table"}
    scene = json.loads((tmp_path / "expert/episodes/t1-0/scene.json").read_text())
    assert (scene["family"], scene["seed"], scene["subset"]) == ("wipe", 7000, "visual")


@pytest.mark.parametrize(
    ("tasks", "suite", "options", "message"),
    [
        ([task("pick", 1, {"done": True})], {"robot": "franka"}, {"robot": "mujoco"}, "add `--robot franka`"),
        ([task("pick", 1, {"done": True})], {}, {"robot": "franka:pick"}, "without `:pick`"),
        ([task("stak", 1, {"done": True})], {}, {}, "scene.family must be 'pick', 'stack', 'sort' or 'wipe'"),
        ([task("pick", 7001, {"in": ["red_cub", "bowl"]})], {}, {}, "what is not in its scene: red_cub, bowl"),
        ([task("pick", 7001, {"closed": "black_container"})], {}, {}, "no such thing opens"),
        ([{"text": "x", "goal": {"done": True}}], {}, {"robot": "mujoco", "planner": "rule"}, "this scene sets none"),
        ([{"text": "x", "keypaths": [["[End]"]]}], {}, {}, r"a key path of \[End\] alone.*`goal: \{done: true\}`"),
        (
            [{"text": "x", "scene": {"family": "pick", "rooms": 3}, "goal": {"done": True}}],
            {},
            {},
            "scene.rooms is not known here",
        ),
        (
            [task("pick", 1, {"done": True})],
            {},
            {"planner": "table-expert:sort"},
            "table-expert:sort was given a table of the family 'pick'",
        ),
    ],
)
def test_what_means_nothing_is_refused_in_a_sentence(tmp_path, tasks, suite, options, message):
    with pytest.raises(BadInput, match=message):
        bench(write(tmp_path, *tasks, **suite), tmp_path / "run", **options)

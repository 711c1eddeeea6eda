"""Limits of a task's own: which of its limits ends it, what the command line says, and what a run folder keeps."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.protocol import Limit
from homie.bench.suite.suite import Suite, read_suite
from homie.kernel.errors import BadInput
from homie.runtime.planner_inputs import read_inputs
from homie.runtime.provenance import description_names, read_parts
from homie.runtime.runstore import read_steps

WAY = ["[Pick, key]", "[Go to, chest]", "[Open, chest]", "[Pick, key]", "[Go to, table]", "[Put, key, table]"]
"""The key is in the chest: the first subtask fails."""
numbers = st.integers(1, 1000)
limits = st.fixed_dictionaries({}, optional=dict.fromkeys(("rounds", "steps", "failures", "plan"), numbers))


def content(*own: dict[Limit, Any], **protocol: object) -> dict[str, Any]:
    task = {"text": "put the key on the table", "goal": {"on": ["key", "table"]}, "expert": WAY}
    tasks = [{"id": f"t{number}", **task, **({"limits": some} if some else {})} for number, some in enumerate(own)]
    return {"format": 1, "name": "limited", "protocol": {"trials": 1, **protocol}, "tasks": tasks}


def write(folder: Path, fields: dict[str, Any]) -> Path:
    path = folder / "limited.json"
    path.write_text(json.dumps(fields))
    return path


def bench(suite: Path, out: Path, **options: object) -> list[tuple[str, int]]:
    """How the episodes ended, and after how many rounds."""
    bench_options = {"suite": str(suite), "out": out, "robot": "homie_grid:open_grid", "skills": "own", "retries": 0}
    options = {"planner": "expert", "workers": 1, **bench_options, **options}
    summary = runner.bench(BenchOptions.build(**options), Progress(Console(file=io.StringIO(), width=200)))
    return [(line.ended_by, line.rounds) for line in summary.lines]


def test_every_task_ends_at_its_own_limit_and_the_others_at_the_suites(tmp_path: Path) -> None:
    path = write(tmp_path, content({}, {"rounds": 3}, {"steps": 2}, {"failures": 1}, {"steps": 20}, steps=5))
    run = tmp_path / "run"
    ends = [("steps", 5), ("rounds", 3), ("steps", 2), ("failures", 1), ("ended", 7)]
    assert bench(path, run) == ends
    assert [read_inputs(run / "episodes" / f"t{number}-0")[0].rounds for number in range(5)] == [20, 3, 20, 20, 20]
    (parts,) = description_names(run)  # a run of several limits is made with the same parts
    described = read_parts(run, parts)
    assert described is not None and described.settings["rounds"] == 20
    assert bench(path, run) == ends, "given again, nothing is played"


def test_a_plan_of_a_task_may_be_cut_shorter(tmp_path: Path) -> None:
    path = write(tmp_path, content({}, {"plan": 2}))
    (tmp_path / "plan.json").write_text(json.dumps([{"subtasks": WAY[1:]}]))
    assert bench(path, tmp_path / "run", planner=f"scripted:{tmp_path / 'plan.json'}") == [("ended", 2)] * 2
    played = [read_steps(tmp_path / "run" / "episodes" / f"t{number}-0") for number in range(2)]
    assert [len(records) for records in played] == [6, 3], "of the five subtasks and End"


def test_rounds_of_the_command_line_are_those_of_every_task(tmp_path: Path) -> None:
    path = write(tmp_path, content({}, {"rounds": 3}, {"rounds": 30, "steps": 2}))
    assert bench(path, tmp_path / "run", rounds=4) == [("rounds", 4), ("rounds", 4), ("steps", 2)]


def test_a_run_does_not_go_on_with_other_limits(tmp_path: Path) -> None:
    run = tmp_path / "run"
    bench(write(tmp_path, content({"steps": 1})), run)
    with pytest.raises(BadInput, match="choose another --out"):
        bench(write(tmp_path, content({"steps": 2})), run)


@given(limits, limits)
def test_limits_of_a_task_take_the_place_of_the_suites(of_suite: dict[str, int], own: dict[Limit, int]) -> None:
    suite = Suite.model_validate(content(own, {}, **of_suite))
    assert Suite.model_validate_json(suite.model_dump_json(exclude_none=True)) == suite
    task, other = suite.tasks
    assert suite.protocol_of(other) == suite.protocol
    assert suite.protocol_of(task) == suite.protocol.model_copy(update={str(name): most for name, most in own.items()})
    assert suite.protocol_of(task).trials == 1


def test_a_suite_without_them_is_written_as_before() -> None:
    written = Suite.model_validate(content({}, {"rounds": 3})).model_dump(mode="json")["tasks"]
    assert [task.get("limits") for task in written] == [None, {"rounds": 3}] and "limits" not in written[0]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"stepz": 3}, r"limits\.stepz must be 'rounds', 'steps', 'failures' or 'plan' \(got 'stepz'\)\."),
        ({"steps": 0}, r"limits\.steps must be at least 1 \(got 0\)\."),
        ({"rounds": 1001}, r"limits\.rounds must be at most 1000 \(got 1001\)\."),
        ({"failures": None}, r"limits\.failures must be a whole number \(got None\)\."),
        ([3], r"limits must be a mapping of names to values \(got \[3\]\)\."),
    ],
)
def test_what_is_no_limit_is_refused_by_task_and_field(tmp_path: Path, own: Any, message: str) -> None:
    with pytest.raises(BadInput, match=rf"limited\.json: task 't1': {message}") as excinfo:
        read_suite(write(tmp_path, content({}, own)))
    assert "\n" not in str(excinfo.value)

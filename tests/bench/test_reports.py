"""Episodes that end with a report on the task, and the truth of the goal through them, played in a real house."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from homie.bench.goal_lines import read_goals
from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.score.compare_tables import Intervals, report_table
from homie.bench.score.results import BenchRun, load_run
from homie.kernel.errors import BadInput
from homie.runtime.runstore import read_steps

GO, PICK = "[Go to, apple]", "[Pick, apple]"
SUCCESS, FAILURE = "[End, success]", "[End, failure]"
SCRIPTS = {
    "true-success": [GO, PICK, SUCCESS],
    "bare-end": [GO, PICK, "[End]"],
    "late-success": [GO, PICK, "[Go to, fridge]", SUCCESS],
    "false-success": [GO, SUCCESS],
    "true-failure": [GO, FAILURE],
    "false-failure": [GO, PICK, FAILURE],
    "no-report": [GO, PICK],
}
"""What each task's expert does. The script of `no-report` runs into the limit of subtasks."""


def write_suite(folder: Path, **protocol: object) -> Path:
    path = folder / "suite.yaml"
    suite = {
        "format": 1,
        "name": "reports",
        "protocol": {"end": "report", "trials": 1, **protocol},
        "tasks": [
            {"id": name, "text": "take the apple", "scene": {"seed": 3}, "goal": {"held": "apple"}, "expert": script}
            for name, script in SCRIPTS.items()
        ],
    }
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    return path


def play(folder: Path, tasks: str = "*", **protocol: object) -> BenchRun:
    out = folder / "run"
    suite = str(write_suite(folder, **protocol))
    options = BenchOptions.build(
        suite=suite, planner="expert", skills="ideal", tasks=tasks, workers=1, out=out, picture_size="96"
    )
    bench(options)
    return load_run(out)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> BenchRun:
    return play(tmp_path_factory.mktemp("reports"), tasks=",".join(name for name in SCRIPTS if name != "no-report"))


@pytest.mark.slow
def test_a_report_is_true_or_false(run):
    scores = {score.task_id: score for score in run.results.scores}
    outcomes = {name: (score.verdict, score.claim, score.success) for name, score in scores.items()}
    assert outcomes == {
        "true-success": (True, True, True),
        "bare-end": (True, True, True),
        "late-success": (True, True, True),
        "false-success": (False, True, False),
        "true-failure": (False, False, False),
        "false-failure": (True, False, False),
    }
    assert {name: score.held_first for name, score in scores.items() if score.held_first} == {
        "true-success": 2,
        "bare-end": 2,
        "late-success": 2,
        "false-failure": 2,
    }
    assert (scores["true-success"].lag, scores["late-success"].lag, scores["false-failure"].lag) == (1, 2, None)


def test_end_alone_is_kept_as_a_report_of_success(run):
    (record,) = read_steps(run.path / "episodes/bare-end-0")[-1:]
    assert str(record.execution.subtask) == SUCCESS
    assert str(record.decision.subtasks[-1]) == "[End]", "what the planner wrote stays"


def test_the_goal_is_judged_at_the_start_and_after_every_subtask(run):
    lines = read_goals(run.path / "episodes/late-success-0")
    assert [(line.step, line.holds, line.progress, line.conditions) for line in lines] == [
        (0, False, 0.0, (False,)),
        (1, False, 0.0, (False,)),
        (2, True, 1.0, (True,)),
        (3, True, 1.0, (True,)),
        (4, True, 1.0, (True,)),
    ]
    inputs = (run.path / "episodes/late-success-0/inputs.jsonl").read_text()
    assert "holds" not in inputs and "progress" not in inputs, "the planner gets none of it"


def test_the_table_has_the_rates(run):
    (row,) = report_table({"expert": run.results}, Intervals()).rows
    label, episodes, *shares, lag = row
    assert (label, episodes) == ("expert", 6)
    values = [getattr(share, "value", share) for share in shares]
    assert values == pytest.approx([4 / 6, 3 / 6, 2 / 6, 0, 1 / 6, 0])
    assert lag == pytest.approx((1 + 1 + 2) / 3)


def test_a_goal_file_that_was_changed_damages_its_episode(run, tmp_path):
    folder = run.path / "episodes/true-failure-0"
    before = (folder / "goals.jsonl").read_bytes()
    try:
        (folder / "goals.jsonl").write_bytes(before.replace(b"false", b"true"))
        scores = {score.task_id: score for score in load_run(run.path).results.lost}
        assert "goals.jsonl" in scores["true-failure"].lost
    finally:
        (folder / "goals.jsonl").write_bytes(before)


def test_no_report_where_a_limit_ends_the_episode(run, tmp_path):
    reporting, run = run, play(tmp_path, tasks="no-report", steps=2)
    (score,) = run.results.scores
    assert (score.verdict, score.claim, score.held_first) == (True, None, 2)
    assert not report_table({"silent": run.results}, Intervals()).rows
    assert report_table({"silent": run.results, "other": reporting.results}, Intervals()).rows[0][5].value == 1.0  # NR


def test_numbered_actions_end_with_two_reports(tmp_path):
    run = play(tmp_path, tasks="true-failure", actions="numbered", sent_to="things")
    (score,) = run.results.scores
    assert (score.verdict, score.claim) == (False, False)
    first = json.loads((run.path / "episodes/true-failure-0/inputs.jsonl").read_text().splitlines()[0])
    assert [choice["name"] for choice in first["choices"]][-2:] == [
        "end the task and report that it is done",
        "end the task and report that it is not done",
    ]


def test_reports_need_a_goal(tmp_path):
    path = write_suite(tmp_path)
    suite = yaml.safe_load(path.read_text())
    del suite["tasks"][0]["goal"]
    suite["tasks"][0]["keypaths"] = [["[Pick, apple]"]]
    path.write_text(yaml.safe_dump(suite))
    with pytest.raises(BadInput, match="needs a goal and no answers: its protocol has `end: report`"):
        bench(BenchOptions.build(suite=str(path), planner="expert", out=tmp_path / "run"))

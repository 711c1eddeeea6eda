"""`strict-emmoe` against values that the official EMMOE notebooks have computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import golden
import pytest

from homie.bench.score.error_code_of_feedback import SENTENCES
from homie.bench.score.metric_profiles import StrictEmmoe, strict_row
from homie.bench.score.metrics import assumed_rate, ratio, raw_errors, skill_counts
from homie.bench.score.scores import Results, Score, score_run
from homie.bench.score.trajectory import from_conversation, read_conversation
from homie.bench.suite.emmoe_files import expert_lines
from homie.kernel.errors import BadInput

SKILL_KEYS = {"Go to": "go_to", "Pick": "pick", "Put": "put", "Open": "open", "Close": "close"}


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = golden.read(golden.GOLDEN / "cases.json")["cases"]
    return content


@pytest.fixture(scope="module")
def strict() -> StrictEmmoe:
    return StrictEmmoe(golden.names())


def near(value: float | None) -> object:
    return None if value is None else pytest.approx(value, rel=0, abs=1e-12)


def check(score: Score, expected: Mapping[str, Any]) -> None:
    """A score has every value of a golden case."""
    assert score.tp == near(expected["tp"])
    per_path = [entry["raises"] if isinstance(entry, dict) else near(entry) for entry in expected["tp_per_keypath"]]
    assert list(score.tp_per_keypath) == per_path
    assert score.ended == expected["ended"]
    assert score.success == expected["success"]
    assert score.weight == near(expected["plwsr_contribution"])
    assert score.length == expected["actual_length"]
    assert score.replans == expected["replans"]
    in_success = None if score.success is None else score.replans if score.success else 0
    assert in_success == expected["replans_in_success"]
    assert dict(score.errors) == (expected["errors"] or {})
    if expected["scored_steps"] is not None:
        assert score.scored_steps == expected["scored_steps"]
    assert {SKILL_KEYS[k]: v._asdict() for k, v in score.executions.items()} == expected["skills"]
    assert dict(score.raises) == expected["raises"]


def test_every_case(cases: list[dict[str, Any]], strict: StrictEmmoe) -> None:
    assert len(cases) >= 263
    for case in cases:
        trajectory = golden.trajectory(case)
        check(strict.score(trajectory), case["expected"])
        longest = max(trajectory.length, trajectory.expert_length)
        assert trajectory.expert_length / longest == near(case["expected"]["path_weight_if_success"])
        rows = [strict_row(step) for step in trajectory.steps if step.text][:-1]
        rows += [("End", "None", "None", "success")] if case["expected"]["ended"] else []
        assert [list(row) for row in rows] == case["expected"]["history"]


def test_raw_conversations_give_the_same(cases: list[dict[str, Any]], strict: StrictEmmoe) -> None:
    by_id = {case["id"]: case for case in cases}
    folders = sorted((golden.GOLDEN / "conversations").iterdir())
    assert len(folders) >= 20
    for folder in folders:
        case = by_id[folder.name]
        assert expert_lines((folder / "info.txt").read_text()) == case["expert_length"]
        trajectory = from_conversation(
            read_conversation(folder / "conversation.json"),
            task_id=str(case["task_id"]),
            trial=case["round"],
            keypaths=golden.read(folder / "keypath.json"),
            expert_length=case["expert_length"],
        )
        check(strict.score(trajectory), case["expected"])
        assert trajectory.task == case["task"]
        assert [step.text for step in trajectory.steps[:-1]] == [step["raw"] for step in case["steps"][:-1]]
        assert trajectory.ended == (case["steps"][-1]["raw"].strip("[]") == "End")


def test_every_aggregate(cases: list[dict[str, Any]], strict: StrictEmmoe) -> None:
    material = golden.read(golden.GOLDEN / "groups.json")
    assert len(material["groups"]) >= 5
    everything = [str(number) for number in range(1, 101)]
    splits = {"all": everything, "train": everything[:90], "test": everything[90:]}
    attributes = {name: [str(task) for task in tasks] for name, tasks in material["attributes"].items()}
    for group in material["groups"]:
        runs = [golden.trajectory(case) for case in cases if case["suite"] == group["suite"]]
        results = score_run(strict, runs)
        for name, tasks in {**splits, **attributes}.items():
            check_group(results.only(tasks), group["expected"][name])


def check_group(results: Results, group: Mapping[str, Any]) -> None:
    for metric in ("sr", "plwsr", "ser", "tp"):
        if metric in group:
            assert ratio(results, metric.upper()).value == near(group[metric])
    assert ratio(results, "SER") == (group["ser_success_ends"], group["ser_ends"])
    assert ratio(results, "SRR") == (group["srr_num"], group["srr_den"])
    assert ratio(results, "SRR").value == near(group["srr_pooled"])
    trials = [[score for score in results.scores if score.trial == trial] for trial in (1, 2, 3)]
    rates = [ratio(Results(results.profile, tuple(scores)), "SRR") for scores in trials]
    by_trial = [(*srr, srr.value) for srr in rates]
    assert by_trial == [(trial["num"], trial["den"], near(trial["srr"])) for trial in group["srr_rounds"]]
    if "sr_tp1" in group:
        success_rate = sum(score.tp == 1 for score in results.scores) / len(results.scores)
        assert success_rate == near(group["sr_tp1"])
    if "errors" in group:
        for key, success in (("success", True), ("fail", False)):
            chosen = [score for score in results.scores if score.success is success]
            counts = raw_errors(chosen)
            assert {code: counts[code] for code, _ in SENTENCES} == group["errors"][key]
            assert sum(score.scored_steps for score in chosen) == group["errors"][f"steps_{key}"]
    for skill, count in skill_counts(results, attempts=False).items():
        if "skills" in group:
            expected = group["skills"][SKILL_KEYS[skill]]
            assert count._asdict() == {"success": expected["success"], "fail": expected["fail"]}
            for k in (1, 2, 3):
                assert assumed_rate(count, k) == near(expected[f"sr_k{k}"])


EXAMPLES = {example["id"]: example for example in golden.read(golden.GOLDEN / "paper_examples.json")["examples"]}
HISTORIES = [name for name, example in EXAMPLES.items() if "history_line" in example]


def test_the_paper_prints_six_histories() -> None:
    assert len(HISTORIES) == 6


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_printed_in_the_paper(strict: StrictEmmoe, name: str) -> None:
    example = EXAMPLES[name]
    last = "End" if example["ended"] else "Go to, door"
    lines = ["USER:", "Task: t", "Inventory: None", example["history_line"], "Feedback: None", "ASSISTANT:"]
    lines += [f"Subtask: [{last}]"]
    scored = [row for row in example["parsed"] if row[0] != "End"]
    trajectory = from_conversation(
        ["\n".join(lines)] * (len(scored) + 1),
        task_id=str(example["task_id"]),
        trial=1,
        keypaths=example.get("keypaths", [["[End]"], ["[Fly, moon]", "[End]"]]),
        expert_length=1,
    )
    rows = [list(strict_row(step)) for step in trajectory.steps[:-1]]
    assert [row for row in rows if row[0] != "End"] == scored
    score = strict.score(trajectory)
    assert score.ended == score.success == trajectory.ended == example["ended"]
    assert (score.length, score.scored_steps) == (len(scored) + 1, len(scored))
    assert score.replans == example["replans"]
    if "tp" in example:
        assert list(score.tp_per_keypath) == [near(share) for share in example["tp_per_keypath"]]
        assert score.tp == near(example["tp"])
    else:
        assert list(score.tp_per_keypath) == [float(example["ended"]), 0.0]


def test_the_successful_run_printed_in_the_paper(strict: StrictEmmoe) -> None:
    run = EXAMPLES["H_case1_task100_dpo_run"]
    trajectory = {
        "task": "",
        "round": 1,
        "keypaths": [["[End]"]],
        "expert_length": 1,
        "last_message_contains_End": True,
    }
    score = strict.score(golden.trajectory({**trajectory, **run}))
    assert (score.replans, score.scored_steps, score.length) == (2, 14, 15)
    assert dict(score.errors) == run["errors"]
    assert {SKILL_KEYS[skill]: count._asdict() for skill, count in score.executions.items()} == run["skills"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"^Cannot read the conversation .*none\.json: .*No such file or directory.*\.$"),
        ("{", r"^Cannot read the conversation .*none\.json: it is not valid JSON: Expecting property name"),
        ("{}", r"^The conversation .*none\.json must be a JSON list of strings\.$"),
        ('["a", 1]', r"^The conversation .*none\.json must be a JSON list of strings\.$"),
    ],
)
def test_what_is_no_conversation(tmp_path, content, message):
    path = tmp_path / "none.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read_conversation(path)

"""The benchmark of putting things: its tasks differ from done ones, and its verdicts read what is there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchmarks.episodes.put_table import report
from benchmarks.episodes.put_tasks import PutTask, task_of
from benchmarks.episodes.put_verdicts import judge, longest_row
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation

ROOT = Path(__file__).parents[1]
SEEDS = range(10_000, 10_014)


@cache
def _tasks() -> tuple[PutTask, ...]:
    return tuple(task_of(seed, generate(seed)) for seed in SEEDS)


def test_bowls_and_stacks_are_among_the_destinations() -> None:
    sorts = Counter(task.sort for task in _tasks())
    assert set(sorts) == {"furniture", "bowl", "stack"} and sorts["furniture"] > len(SEEDS) / 3
    for task in _tasks():
        house = generate(task.seed)
        kinds = {thing.name: thing.kind for thing in (*house.furniture, *house.objects)}
        assert task.kind in {thing.kind for thing in house.objects}
        assert len({kinds[name] for name in task.destinations}) == 1, "the words mean one kind of thing"
        assert kinds[task.destinations[0]].replace("_", " ") in task.text and task.kind not in task.destinations
        assert (kinds[task.destinations[0]] == "bowl") == (task.sort == "bowl")


def test_the_same_seed_has_the_same_task_and_a_messy_house_its_own() -> None:
    assert task_of(SEEDS[0], generate(SEEDS[0])) == _tasks()[0]
    messy = generate(SEEDS[1], variation=Variation(clutter="messy"))
    task = task_of(SEEDS[1], messy)
    assert task.doors == {p.name: p.open for p in messy.furniture if p.blueprint.articulations}


TASK = PutTask(1, "put the plum in the red bowl", "plum", ("bowl_2",), "bowl", {"fridge": 0.3, "cabinet": 0.0})


def _state(plum: str = "table", fridge: float = 0.3, cabinet: float = 0.0, **others: str) -> dict[str, object]:
    at = {"plum_1": plum, "plum_2": "floor", "bowl_1": "table", "bowl_2": "sink", **others}
    return {
        "objects": {name: {"kind": name.partition("_")[0], "at": where} for name, where in at.items()},
        "joints": {
            "fridge/door": {"receptacle": "fridge", "fraction": fridge},
            "cabinet/door": {"receptacle": "cabinet", "fraction": cabinet},
        },
    }


@pytest.mark.parametrize(
    ("state", "placed", "left_open"),
    [
        (_state("bowl_2"), True, ()),
        (_state("bowl_1"), False, ()),
        (_state("pear_1", pear_1="bowl_2"), True, ()),
        (_state(), False, ()),
        (_state("bowl_2", fridge=0.0), True, ()),
        (_state("bowl_2", fridge=0.9), True, ("fridge",)),
        (_state("bowl_2", cabinet=0.2), True, ("cabinet",)),
        (_state("robot"), False, ()),
    ],
)
def test_the_verdict_is_read_from_the_state(state: dict[str, object], placed: bool, left_open: tuple[str, ...]) -> None:
    verdict = judge(TASK, state, [], 12.0)
    assert (verdict.placed, verdict.open) == (placed, left_open)
    assert verdict.success is (placed and not left_open)
    assert bool(verdict.cause) is not verdict.success


def _step(action: str, code: str | None = None, *reasons: str, target: str = "fridge") -> dict[str, object]:
    attempts = [{"reason": reason} for reason in reasons]
    feedback = {"code": code, "message": "it did not work" if code else "None"}
    return {
        "round": 1,
        "stamp": 1.0,
        "execution": {
            "subtask": {"action": action},
            "target": target,
            "attempts": attempts,
            "feedback": feedback,
        },
    }


@pytest.mark.parametrize(
    ("steps", "row"),
    [
        ([], 0),
        ([_step("Open"), _step("Go to")], 0),
        ([_step("Open", "E1", "off by 0.1", "off by 0.2", "off by 3")], 3),
        ([_step("Open", "E1", *["stuck"] * 3), _step("Go to"), _step("Open", "E1", *["stuck"] * 3)], 6),
        ([_step("Open", "E1", *["stuck"] * 3), _step("Close"), _step("Open", "E1", *["stuck"] * 3)], 3),
        ([_step("Open", "E1", "stuck", "stuck", "no place"), _step("Open", "E1", "stuck")], 2),
        ([_step("Open", "E1", "stuck"), _step("Open", "E1", "stuck", target="cabinet")], 1),
        ([_step("Put", "E2", "done", "done")], 0),
    ],
)
def test_the_longest_row_of_one_cause(steps: list[dict[str, object]], row: int) -> None:
    assert longest_row(steps) == row


def test_causes_are_counted_without_their_numbers() -> None:
    failed = [
        judge(TASK, _state(), [_step("Put", "E1", f"wrist_roll_joint is {off} off")], 1.0) for off in (0.64, 3.01)
    ]
    table = report("Tidy houses", [*failed, judge(TASK, _state("bowl_2"), [], 2.0)])
    assert "| 2 | E1 Put: wrist_roll_joint is n off |" in table
    assert "| all | 3 | **1** (33 %) |" in table and "| bowl | 3 |" in table


@pytest.mark.parametrize(("report", "cause"), [("success", "claimed as done; "), ("failure", "given up; ")])
def test_a_wrong_claim_of_success_is_distinguished_from_a_report_of_failure(report: str, cause: str) -> None:
    ended = {**_step("End"), "decision": {"report": report}}
    assert judge(TASK, _state(), [ended], 1.0).cause == f"{cause}no subtask failed, the object is elsewhere"


def test_a_run_goes_on_where_it_was_stopped_and_refuses_other_settings(tmp_path: Path) -> None:
    settings = {"targets": "background", "grasp": "weld", "clutter": "tidy"}
    record = {
        "seed": 10_003,
        "task": "put the mug on the desk",
        "sort": "furniture",
        "placed": True,
        "open": [],
        "row": 0,
        "cause": "",
        "rounds": 4,
        "robot_seconds": 60.0,
        "wall_seconds": 9.0,
        "codes": [],
    }
    (tmp_path / "out.jsonl").write_text(f"{json.dumps(settings)}\n{json.dumps(record)}\n")
    command = [sys.executable, "benchmarks/episodes/put_success.py", "--first", "10003", "--seeds", "1"]
    command += ["--out", str(tmp_path / "out.jsonl")]
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 0 and "**1** (100 %)" in again.stdout and again.stderr == ""
    other = subprocess.run([*command, "--grasp", "friction"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert other.returncode == 1 and "another name" in other.stderr

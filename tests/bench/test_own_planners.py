"""Planners of a user's own in a bench: functions, and whose code has failed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import homie
from homie import END, BadInput, ReportOptions
from homie.bench.report import report

TINY: dict[str, Any] = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
MINE = """from homie import END, Subtask


def divides(planner_input):
    return 1 / 0


def decide(planner_input):
    return END if planner_input.history else Subtask("Go to", "ball")
"""


@pytest.fixture
def planners_file(tmp_path: Path) -> Path:
    path = tmp_path / "own_planners.py"
    path.write_text(MINE)
    return path


def test_a_bench_says_whose_code_failed(
    planners_file: Path, homie: Any, write_suite: Callable[..., Path], bench_arguments: list[str]
) -> None:
    arguments = ["bench", str(write_suite(["go to the ball"])), *bench_arguments, "--out", "out"]
    completed = homie(*arguments, "--planner", "own_planners:divides")
    sentence = "Error in the code of the planner at own_planners.py, line 5, in divides: ZeroDivisionError: div"
    assert completed.returncode == 4 and sentence in completed.stderr and "infrastructure" not in completed.stderr
    assert (
        "1 ended by an error in code of your own" in completed.stderr and completed.stderr.count("it is run again") == 0
    )
    page = report(ReportOptions(runs=[planners_file.parent / "out"])).path.read_text(encoding="utf-8")
    assert "an error in code of your own" in page and "own_planners.py, line" in page


def test_homie_bench_in_python_takes_a_function_of_a_module(
    planners_file: Path, write_suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(planners_file.parent))
    module = importlib.import_module("own_planners")
    suite = write_suite(["go to the ball"])
    summary = homie.bench(suite, planner=module.decide, out=planners_file.parent / "out", workers=1, trials=1, **TINY)
    assert summary.planner == "own_planners:decide" and summary.infrastructure == 0
    with pytest.raises(BadInput, match=r'into a module of its own and name it, as planner="my_module:MyClass"'):
        homie.bench(suite, planner=lambda planner_input: END, **TINY)

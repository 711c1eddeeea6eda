"""The experts of homie-100 do their tasks: some in every test run, all of them with `make experts`."""

from __future__ import annotations

import pytest

from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.score.results import load_run
from homie.bench.suite.shipped import homie_100

TASKS = [task.id for task in homie_100().tasks]
FEW = ("lemon-sofa", "mug-microwave", "close-all", "two-apples-desk", "apple-check-yes")
"""Plain, into what stands open, from place to place, one of several, a condition."""


def play(task: str, folder) -> None:
    options = BenchOptions(suite="homie-100", tasks=task, planner="expert", trials=1, retries=0, out=folder)
    (line,) = bench(options).lines
    assert line.success, f"goal of {task} not reached: {line.cause or 'see the feedback in steps.jsonl'}"
    assert load_run(folder).results.scores[0].success, f"no key path of {task} was followed"


@pytest.mark.slow
@pytest.mark.parametrize("task", FEW)
def test_an_expert_does_its_task(task, tmp_path):
    play(task, tmp_path / "run")


@pytest.mark.experts
@pytest.mark.parametrize("task", [task for task in TASKS if task not in FEW])
def test_every_other_expert_does_its_task(task, tmp_path):
    play(task, tmp_path / "run")

"""The table of all protocols: which tasks a share takes, that the scripted model plays as the expert, and that a kill
and the number of workers change nothing."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import bench
from homie.bench.repeatable import repeatable
from homie.bench.suite.suite import find_suite
from suites.tables.endpoint import PROVIDER, Script, SuiteEndpoint
from suites.tables.repeatability import play_twice
from suites.tables.suites import SUITES, select_tasks


@pytest.mark.parametrize("name", [played.suite for played in SUITES if played.kind == "bench"])
def test_a_share_has_tasks_of_every_subset(name: str) -> None:
    tasks = find_suite(name).by_id
    all_of = Counter(task.attributes[:1] for task in tasks.values())
    taken = Counter(tasks[task].attributes[:1] for task in select_tasks(name, 5))
    assert taken == {group: -(-number // 5) for group, number in all_of.items()}


@pytest.mark.slow
def test_the_scripted_model_tells_tasks_of_the_same_words_apart(tmp_path: Path) -> None:
    """`base` and `long-horizon` say the same of the same house, and only the seed says which way the robot looks."""
    with SuiteEndpoint(Script()) as served:
        settings = {"base_url": served.url("homie-eb-nav"), "provider": PROVIDER, "template": "embodiedbench-nav"}
        options = BenchOptions.build(
            suite="homie-eb-nav",
            tasks="n01-base,n01-long-horizon",
            planner="chat:scripted",
            planner_settings=settings,
            picture_size="16",
            out=tmp_path / "run",
            workers=1,
        )
        summary = bench(options, Progress(Console(file=io.StringIO())))
    steps = {
        task: len(find_suite("homie-eb-nav").by_id[task].expert or ()) for task in ("n01-base", "n01-long-horizon")
    }
    assert {line.task: line.success for line in summary.lines} == dict.fromkeys(steps, True)
    line_counts = {name: len(lines) for name, (lines, _, _) in repeatable(tmp_path / "run").items()}
    assert line_counts == {f"{task}-0": number for task, number in steps.items()}


@pytest.mark.slow
def test_one_worker_and_four_that_were_killed_leave_the_same(tmp_path: Path) -> None:
    tasks = ["pick-02-base", "stack-02-base", "wipe-02-base"]
    uninterrupted, killed, finished = play_twice("homie-eb-table", "random", tmp_path, tasks)
    assert finished < len(tasks) and repeatable(uninterrupted) == repeatable(killed)
    assert sorted(repeatable(killed)) == [f"{task}-0" for task in tasks]

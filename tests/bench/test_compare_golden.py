"""All tables of `homie compare`, exactly as in tests/golden/compare, whose README says what of them was checked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from bench_runs import DONE, LATE, RENAMED, WANDERED, rewrite, suite, write_run

from homie.bench.score.compare import compare
from homie.bench.score.compare_tables import Intervals
from homie.bench.suite.suite import Suite
from homie.bench.table_formats import to_markdown
from homie.runtime.runstore import Usage

GOLDEN = Path(__file__).parents[1] / "golden" / "compare"
KEYS = [(f"task-{number}", trial) for number in range(4) for trial in range(2)]
ALL_DONE = dict.fromkeys(KEYS, DONE)
BAD = dict.fromkeys(KEYS, WANDERED)
INTERVALS = Intervals(confidence=0.9, resamples=50, seed=3)
GONE = "killed: the worker was ended by signal 9"
WAYS = {
    "base": {**BAD, ("task-0", 0): DONE, ("task-1", 1): LATE, ("task-2", 0): GONE, ("task-3", 1): DONE},
    "more": {**ALL_DONE, ("task-0", 1): WANDERED, ("task-3", 0): LATE, ("task-3", 1): WANDERED},
    "less": {("task-0", 0): WANDERED, ("task-0", 1): DONE, ("task-1", 0): WANDERED, ("task-2", 1): LATE},
}
TIMES = {"base": (1.0, 10.0, 25.0), "more": (0.5, 8.0, 30.0)}
"""Seconds of a decision, of an episode on the wall and of the robot; `less` has times as bench_runs writes them."""


def write_runs(folder: Path) -> dict[str, Path]:
    """Three runs; of the first two it is known what they took, and the last one has a third trial."""
    runs = {
        name: write_run(folder / name, ways, planner=name, trials=3 if name == "less" else 2, held=KEYS[:5])
        for name, ways in WAYS.items()
    }
    for name, (plan, wall, robot) in TIMES.items():
        for number, (task, trial) in enumerate(key for key, way in WAYS[name].items() if way != GONE):
            used = Usage() if (task, trial) == ("task-0", 1) else Usage(
                answers=4, cached=number % 2, input_tokens=1000, output_tokens=50, cost=0.01, cache_read_tokens=125,
                unreadable=1, lenient=1, leniencies={"fence": 1},
            )  # fmt: skip
            change = partial(replace, timings={"plan": plan + number})
            rewrite(
                runs[name] / "episodes" / f"{task}-{trial}", change, wall_seconds=wall, robot_seconds=robot, usage=used
            )
    return runs


def check(name: str, text: str) -> None:
    assert text == (GOLDEN / f"{name}.md").read_text()


def test_three_runs(tmp_path: Path) -> None:
    runs = write_runs(tmp_path)
    check("three-runs", to_markdown(compare(list(runs.values()), intervals=INTERVALS, tasks=True)))
    check("strict-emmoe", to_markdown(compare([runs["less"], runs["base"]], "strict-emmoe", INTERVALS)))
    check("one-run", to_markdown(compare([runs["less"]], intervals=Intervals(resamples=50))))


def test_where_the_notebooks_stop_there_are_no_differences(tmp_path: Path) -> None:
    fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
    for task in fields["tasks"]:
        task["keypaths"] = [["[Put, apple, table]", "[End]"]]
        del task["expert"]
    ways = {"stops": {**ALL_DONE, ("task-1", 0): RENAMED, ("task-1", 1): RENAMED}, "goes": ALL_DONE}
    runs = [
        write_run(tmp_path / name, some, planner=name, tasks=Suite.model_validate(fields))
        for name, some in ways.items()
    ]
    check("notebooks-stop", to_markdown(compare(runs, "strict-emmoe", INTERVALS)))
    check("notebooks-go-on", to_markdown(compare(runs[::-1], "strict-emmoe", INTERVALS)[1:2]))
    (metrics, *_) = compare(runs[:1], intervals=INTERVALS)
    assert metrics.notes[-1] == "stops: no PLWSR: 4 tasks without an expert."

"""Runs of one series of suites: tasks with equal ids in different worlds, shown side by side without differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from homie.bench.intervals_and_tests import wilson
from homie.bench.score.results import BenchRun
from homie.bench.table_formats import Column, Table
from homie.kernel.support.text import format_count
from homie.kernel.world.predicates import Done

WORLDS, BY_TASK = "Worlds", "Tasks in each world"
APART = (
    "Each world has its own tasks, scenes, skills, physics and verdicts; only their number and kind are the same. The "
    "rates are of the tasks in that world: no difference between them is computed, and none says that a robot or a "
    "planner is better."
)


def series_of(runs: Sequence[BenchRun]) -> str:
    """Return the series of all runs, "" if they have no common one or only one suite."""
    names, series = {run.suite.name for run in runs}, {run.suite.series for run in runs}
    return next(iter(series)) if len(names) > 1 and len(series) == 1 else ""


def worlds_table(runs: Sequence[BenchRun], confidence: float) -> Table:
    """Return a table of the differences between the runs: suite, robot, skills, source of the verdict, limits,
    successes."""
    rows = []
    for run in runs:
        options = run.file.options
        scores = run.results.scores
        successes = sum(bool(score.success) for score in scores)
        low, high = (100 * edge for edge in wilson(successes, len(scores), confidence))
        own_goals = sum(isinstance(task.goal, Done) for task in run.suite.tasks)
        rows.append(
            (
                run.label,
                run.suite.name,
                options.robot + _settings_text(options.robot_settings),
                options.skills,
                f"the world's own ({format_count(own_goals, 'task')})" if own_goals else "goals of the suite",
                run.suite.protocol.rounds,
                f"{successes} of {len(scores)} ({low:.0f} to {high:.0f} %)",
            )
        )
    heads = ("run", "suite", "robot", "skills", "verdict")
    columns = (*(Column(head) for head in heads), Column("rounds", "count"), Column("done"))
    return Table(WORLDS, columns, tuple(rows), (APART,))


def _settings_text(settings: Mapping[str, Any]) -> str:
    return f" with {', '.join(f'{name}={value}' for name, value in settings.items())}" if settings else ""


def tasks_table(runs: Sequence[BenchRun]) -> Table:
    """Return a table of every task of every run: its instruction there, and its number of successful trials."""
    rows = []
    for task in (task.id for task in runs[0].suite.tasks):
        for run in runs:
            scores = [score for score in run.results.scores if score.task_id == task]
            if scores:
                successes = sum(bool(score.success) for score in scores)
                rows.append((task, run.label, f"{successes} of {len(scores)}", run.suite.by_id[task].text))
    columns = (Column("task"), Column("run"), Column("done"), Column("instruction"))
    return Table(BY_TASK, columns, tuple(rows))

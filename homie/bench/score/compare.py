"""Comparison of several runs on the same episodes: their tables, and the differences of each run to the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from homie.bench.run_versions import mixed_table
from homie.bench.score.answer_parsing import readings_table
from homie.bench.score.compare_tables import RUN, Intervals, all_tables, metrics_table
from homie.bench.score.mistakes import mistakes_table
from homie.bench.score.paired_differences import paired_table
from homie.bench.score.results import BenchRun, groups, load_runs, splits
from homie.bench.score.scores import Count, Results
from homie.bench.score.series import series_of, tasks_table, worlds_table
from homie.bench.score.tokens_and_times import EpisodeUsage, usage_table
from homie.bench.suite.suite import Task
from homie.bench.table_formats import Column, Table
from homie.kernel.errors import BadInput


def compare(
    folders: Sequence[str | Path], profile: str = "homie", intervals: Intervals | None = None, *, tasks: bool = False
) -> tuple[Table, ...]:
    """Return the tables of some run folders, over the (task, trial) episodes that all of them planned.

    With two or more runs there are also tables of the differences to the first run and of the tasks in which only one
    run succeeded. Runs of several suites of one series are shown side by side instead (`series`).

    Args:
        folders: Run folders of `homie bench`.
        profile: `homie` or `strict-emmoe`.
        intervals: Confidence, resamples and seed of intervals; None for the defaults.
        tasks: Whether to add a table of every task by run.

    Raises:
        BadInput: A folder is not a bench run, the runs have no episode in common, or a task differs between them.
    """
    runs = load_runs(folders, profile)
    tables = compare_runs(runs, intervals or Intervals())
    return (*tables, task_table(_common_results(runs), _texts(runs))) if tasks and not series_of(runs) else tables


def compare_runs(runs: Sequence[BenchRun], intervals: Intervals) -> tuple[Table, ...]:
    """Return the tables of some runs. Raises BadInput if they have no episode in common, or differ in a common task."""
    if series_of(runs):
        return _compare_worlds(runs, intervals)
    results = _common_results(runs)
    suite = runs[0].suite
    other_tables = all_tables(results, attributes=groups(suite), splits=splits(suite), intervals=intervals)[1:]
    mixed = mixed_table({run.label: run.makeup for run in runs})
    first_tables = (first_table(runs, intervals), *([mixed] if mixed.rows else []))
    spent, successes = _usage(runs, results)
    answers = readings_table(spent)
    usage = (usage_table(spent, successes), *([answers] if answers.rows else []))
    shared = _common_episodes(runs)
    mistakes_by_run = {run.label: {key: kind for key, kind in run.mistakes.items() if key in shared} for run in runs}
    mistakes = mistakes_table(mistakes_by_run, groups(suite))
    usage = (*usage, *([mistakes] if mistakes.rows else []))
    if len(runs) < 2:
        return *first_tables, *usage, *other_tables
    skipped = max(len(run.planned - shared) for run in runs)
    paired = paired_table(results, intervals, left_out=skipped)
    unique_table = alone_table(results, _texts(runs))
    return *first_tables, paired, *([unique_table] if unique_table.rows else []), *usage, *other_tables


def _compare_worlds(runs: Sequence[BenchRun], intervals: Intervals) -> tuple[Table, ...]:
    """Return the tables of runs of several suites of one series."""
    results = {run.label: run.results for run in runs}
    spent, successes = _usage(runs, results)
    world_tables = worlds_table(runs, intervals.confidence), tasks_table(runs)
    return *world_tables, metrics_table(results, intervals), usage_table(spent, successes)


def first_table(runs: Sequence[BenchRun], intervals: Intervals | None = None) -> Table:
    """Return the metrics of some runs on their common episodes, with notes about mixed parts. Raises BadInput."""
    table = metrics_table(_common_results(runs), intervals or Intervals())
    notes = (f"{run.label}: {note}." for run in runs for note in run.makeup.notes())
    return replace(table, notes=(*table.notes, *notes))


def _common_episodes(runs: Sequence[BenchRun]) -> frozenset[tuple[str, int]]:
    """Return the (task, trial) episodes that all runs planned."""
    return frozenset.intersection(*(run.planned for run in runs))


def _common_results(runs: Sequence[BenchRun]) -> dict[str, Results]:
    """Return each run's results on the episodes that all of them planned, by label. Raises BadInput."""
    shared = _common_episodes(runs)
    if not shared:
        raise BadInput("The runs have no task and trial in common: compare runs of one suite.")
    _check_tasks(runs, {task for task, _ in shared})
    return {run.label: run.results.at(shared) for run in runs}


def _texts(runs: Sequence[BenchRun]) -> dict[str, str]:
    """Return the instructions by task, in the order of the suite."""
    return {task.id: task.text for task in runs[0].suite.tasks}


def _usage(
    runs: Sequence[BenchRun], results: Mapping[str, Results]
) -> tuple[dict[str, list[EpisodeUsage]], dict[str, int]]:
    """Return the usage of the common episodes that were not lost, and the number of successes of each run among
    them."""
    played = {
        label: {score.key: bool(score.success) for score in run_results.scores if not score.lost}
        for label, run_results in results.items()
    }
    usage = {run.label: [episode for episode in run.spent if episode.key in played[run.label]] for run in runs}
    return usage, {label: sum(played[label][episode.key] for episode in episodes) for label, episodes in usage.items()}


def successes_by_task(results: Mapping[str, Results]) -> dict[str, dict[str, Count]]:
    """Return successes and failures by task and run label; lost episodes count as failures."""
    by_task: dict[str, dict[str, Count]] = {}
    for label, run_results in results.items():
        for score in run_results.scores:
            counts = by_task.setdefault(score.task_id, {})
            previous = counts.get(label, Count(0, 0))
            counts[label] = Count(previous.success + bool(score.success), previous.fail + (not score.success))
    return by_task


def alone_table(results: Mapping[str, Results], texts: Mapping[str, str]) -> Table:
    """Return a table of the tasks in which exactly one run succeeded, in at least one trial.

    Args:
        texts: Instructions by task, in order.
    """
    by_task = successes_by_task(results)
    rows = []
    for label in results:
        for task, text in texts.items():
            counts = by_task.get(task, {})
            if [name for name, count in counts.items() if count.success] == [label]:
                rows.append((label, task, _trials_text(counts[label]), text))
    columns = (RUN, Column("task"), Column("done"), Column("instruction"))
    return Table("Tasks that only one run did", columns, tuple(rows))


def task_table(results: Mapping[str, Results], texts: Mapping[str, str]) -> Table:
    """Return a table of the number of successful trials by task and run.

    Args:
        texts: Instructions by task, in order.
    """
    by_task = successes_by_task(results)
    rows = tuple(
        (task, *(_trials_text(by_task[task][label]) if label in by_task[task] else None for label in results), text)
        for task, text in texts.items()
        if task in by_task
    )
    columns = (Column("task"), *(Column(label) for label in results), Column("instruction"))
    return Table("Tasks by run", columns, rows, ("Successful trials of all trials.",))


def _trials_text(count: Count) -> str:
    return f"{count.success} of {sum(count)}"


def _check_tasks(runs: Sequence[BenchRun], tasks: set[str]) -> None:
    """Raise BadInput for different versions of a suite, and if a task id means different tasks."""
    first = runs[0]
    for run in runs[1:]:
        if run.suite.name == first.suite.name and run.suite.version != first.suite.version:
            raise BadInput(
                f"{first.path} ran version {first.suite.version} of {first.suite.name}, {run.path} version "
                f"{run.suite.version}: figures of different versions cannot be compared."
            )
        for task in sorted(tasks):
            if _content(run.suite.by_id[task]) != _content(first.suite.by_id[task]):
                raise BadInput(
                    f"The task '{task}' is not the same in {first.path} and {run.path}: compare runs of one suite."
                )


def _content(task: Task) -> dict[str, object]:
    """Return the content of a task to compare: everything except the local path of its scene spec."""
    return task.model_dump(exclude={"scene": {"spec"}})

"""Several runs on the same episodes: their tables, and how each differs from the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from homie.bench.metrics import METRICS, blocked, terms
from homie.bench.results import BenchRun, groups, load_runs, splits
from homie.bench.scores import Results
from homie.bench.statistics import Estimate, mcnemar, paired_bootstrap
from homie.bench.suite import Task
from homie.bench.summary import RUN, WORLD, Intervals, all_tables
from homie.bench.tables import Column, Table
from homie.errors import BadInput


def compare(folders: Sequence[Path], profile: str = "homie", intervals: Intervals | None = None) -> tuple[Table, ...]:
    """The tables of some run folders over the (task, trial) episodes that all of them planned. Raises BadInput.

    From two runs on, the second table has the differences to the first run.
    """
    runs = load_runs(folders, profile)
    return compare_runs(runs, intervals or Intervals())


def compare_runs(runs: Sequence[BenchRun], intervals: Intervals) -> tuple[Table, ...]:
    """The tables of some runs. Raises BadInput if they have no episode in common, or differ in a common task."""
    shared = frozenset.intersection(*(run.planned for run in runs))
    if not shared:
        raise BadInput("The runs have no task and trial in common: compare runs of one suite.")
    _check_tasks(runs, {task for task, _ in shared})
    results = {run.label: run.results.at(shared) for run in runs}
    suite = runs[0].suite
    tables = all_tables(results, attributes=groups(suite), splits=splits(suite), intervals=intervals)
    if len(runs) < 2:
        return tables
    skipped = sorted({len(run.planned - shared) for run in runs})
    return tables[0], paired_table(results, intervals, left_out=skipped[-1]), *tables[1:]


def paired_table(results: dict[str, Results], intervals: Intervals, *, left_out: int = 0) -> Table:
    """How each run differs from the first, on the episodes that ran in both."""
    (base, first), *others = results.items()
    rows = []
    for label, second in others:
        ran = {score.key for score in first.scores if not score.lost} & {
            score.key for score in second.scores if not score.lost
        }
        one, two = first.at(ran), second.at(ran)
        test = None if blocked(one, "SR") or blocked(two, "SR") else mcnemar(_successes(one), _successes(two))
        rows.append(
            (
                label,
                len(ran),
                *(difference(one, two, metric, intervals) for metric in (*METRICS, WORLD)),
                *((test.only_first, test.only_second, test.p) if test else (None, None, None)),
            )
        )
    columns = (
        RUN,
        Column("pairs", "count"),
        *(Column(metric, "percent") for metric in (*METRICS, WORLD)),
        Column("only first", "count"),
        Column("only this", "count"),
        Column("McNemar p", "p"),
    )
    percent = f"{100 * intervals.confidence:g} %"
    notes = [
        f"Differences to {base} in percentage points, with {percent} intervals of the paired bootstrap over tasks.",
        "Pairs are the episodes that were lost in neither run.",
        "McNemar: exact, two-sided, on success; it takes the trials of a task for independent.",
    ]
    if left_out:
        notes.append(f"Up to {left_out} episodes of a run are left out of all tables: not all runs have them.")
    return Table(f"Differences to {base}", columns, tuple(rows), tuple(notes))


def difference(first: Results, second: Results, metric: str, intervals: Intervals) -> Estimate:
    """second - first of one metric, paired by task."""
    before, after = terms(first, metric), terms(second, metric)
    if not before or not after:
        return Estimate(None)
    return paired_bootstrap(
        before, after, seed=intervals.seed, resamples=intervals.resamples, confidence=intervals.confidence
    )


def _successes(results: Results) -> list[bool]:
    return [bool(score.success) for score in results.scores]


def _check_tasks(runs: Sequence[BenchRun], tasks: set[str]) -> None:
    """Raise BadInput for different versions of a suite, and where the same id means different tasks."""
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
    """What makes a task this task. Where the scene spec lies on the machine that ran it does not."""
    return task.model_dump(exclude={"scene": {"spec"}})

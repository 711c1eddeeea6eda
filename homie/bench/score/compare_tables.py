"""Tables of one or several runs, in the forms of the EMMOE paper (tables 2, 3, 5, H3-H7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from homie.bench.intervals_and_tests import RESAMPLES, Estimate
from homie.bench.score.emmoe_error_rows import HEADS, counts_by_head, shares_by_head
from homie.bench.score.metrics import (
    WORLD,
    assumed_rate,
    error_counts,
    estimate,
    metrics,
    ratio,
    shown_in,
    skill_counts,
)
from homie.bench.score.scores import Count, Results
from homie.bench.table_formats import Cell, Column, Table
from homie.kernel.support.text import format_count

Runs: TypeAlias = Mapping[str, Results]
"""Results by run label."""
Rows: TypeAlias = tuple[tuple[Cell, ...], ...]
RUN = Column("run")
MOST_NAMES = 5
"""Maximum number of tasks that a note lists."""
LAG = "lag: subtasks from the goal to a true report."


@dataclass(frozen=True, slots=True)
class Intervals:
    """Settings of confidence intervals.

    Attributes:
        confidence: Coverage, 0..1.
        resamples, seed: Settings of the bootstrap.
    """

    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0

    def of(self, results: Results, metric: str) -> Estimate:
        return estimate(results, metric, seed=self.seed, resamples=self.resamples, confidence=self.confidence)


def metrics_table(runs: Runs, intervals: Intervals) -> Table:
    """Table 2: one row per run. `lost` episodes could not be run; `world` is the share of episodes whose final state
    satisfies the goal."""
    metric_names = (*shown_in("metrics"), WORLD)
    rows: Rows = tuple(
        (
            label,
            len(results.scores),
            len(results.lost),
            *(intervals.of(results, metric) for metric in metric_names),
            len(results.disagreements),
        )
        for label, results in runs.items()
    )
    heads = (RUN, Column("episodes", "count"), Column("lost", "count"))
    columns = (*heads, *_percents(metric_names), Column("disagree", "count"))
    notes = [
        f"Percentages with {100 * intervals.confidence:g} % intervals, clustered by task.",
        *(note for label, results in runs.items() for note in _notes(label, results)),
    ]
    return Table("Metrics", columns, rows, tuple(notes))


def _notes(label: str, results: Results) -> list[str]:
    """Return notes on lost episodes, exceptions of the profile, goals that held at the start and tasks without an
    expert."""
    notes = []
    if results.lost:
        counts_lost = any(score.lost for score in results.scores)
        treatment = "counted as not succeeded" if counts_lost else "left out, as by the official notebooks"
        played = Results(results.profile, tuple(score for score in results.scores if not score.lost))
        share = ratio(played, "SR").value
        rest_text = (
            f"; SR of the {len(played.scores)} that ran: {100 * share:.2f}" if counts_lost and share is not None else ""
        )
        notes.append(f"{label}: {format_count(len(results.lost), 'lost episode')}, {treatment}{rest_text}.")
    raising = [score for score in results.scores if "success" in score.raises]
    if raising:
        first = raising[0]
        notes.append(
            f"{label}: the official notebooks stop with {first.raises['success']} at task {first.task_id}, trial "
            f"{first.trial} ({len(raising)} such episodes): declare the names in the suite, or use the profile homie."
        )
    already_true = sorted({score.task_id for score in results.scores if score.given})
    if already_true:
        remaining = Results(results.profile, tuple(score for score in results.scores if not score.given))
        share = ratio(remaining, "SR").value
        other_count = format_count(len(remaining.scores), "other episode")
        rest_text = "" if share is None else f"SR of the {other_count}: {100 * share:.2f}"
        notes.append(
            f"{label}: the goal of {format_count(len(already_true), 'task')} held before the first subtask "
            f"({_shorten(already_true)}), so success there says nothing about the planner. "
            f"{rest_text or 'No other episode is left'}."
        )
    without_expert = {score.task_id for score in results.scores if "expert" in score.raises}
    if without_expert:
        notes.append(f"{label}: no PLWSR: {format_count(len(without_expert), 'task')} without an expert.")
    return notes


def _shorten(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others."""
    extra = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {extra} more" if extra > 0 else "")


def report_table(runs: Runs, intervals: Intervals) -> Table:
    """Return the rates of correct and false reports by planners (as in Vigil), for the runs that can be judged; without
    rows if no planner reported anything, as where goals end episodes."""
    rates = shown_in("reports")
    reported = any(score.claim is not None for results in runs.values() for score in results.scores)
    rows: Rows = tuple(
        (
            label,
            len(judged),
            *(intervals.of(results, metric) for metric in (WORLD, *rates)),
            sum(lags) / len(lags) if lags else None,
        )
        for label, results in runs.items()
        if reported and (judged := [score for score in results.scores if score.verdict is not None])
        for lags in ([score.lag for score in judged if score.lag is not None],)
    )
    columns = (RUN, Column("episodes", "count"), *_percents((WORLD, *rates)), Column("lag", "number"))
    meanings = (f"{rate}: {metrics()[rate].meaning}." for rate in rates)
    return Table("Reports", columns, rows, (" ".join((*meanings, LAG)),))


def group_table(title: str, head: str, runs: Runs, tasks: Mapping[str, Collection[str]], intervals: Intervals) -> Table:
    """Tables 3 and 5: metrics of groups of tasks, a row per run and group.

    Args:
        head: Heading of the group column.
    """
    metric_names = shown_in("metrics")
    rows: Rows = tuple(
        (label, group, len(part.scores), *(intervals.of(part, metric) for metric in metric_names))
        for group, ids in tasks.items()
        for label, results in runs.items()
        for part in (results.only(ids),)
    )
    return Table(title, (RUN, Column(head), Column("episodes", "count"), *_percents(metric_names)), rows)


def error_tables(runs: Runs) -> tuple[Table, ...]:
    """Tables H3-H6: shares and counts of errors in successful and in failed trajectories."""
    tables = []
    for success, name in ((True, "successful"), (False, "failed")):
        by_run = {label: error_counts(results, success=success) for label, results in runs.items()}
        shares: tuple[tuple[Cell, ...], ...] = tuple(
            (label, *shares_by_head(counts).values()) for label, counts in by_run.items()
        )
        note = "Each code in percent of all errors; All: errors in percent of the steps."
        tables.append(Table(f"Errors in {name} trajectories", (RUN, *_percents(HEADS)), shares, (note,)))
        rows: Rows = tuple((label, *counts_by_head(counts).values(), counts.steps) for label, counts in by_run.items())
        columns = (RUN, *(Column(head, "count") for head in (*HEADS, "steps")))
        tables.append(Table(f"Errors in {name} trajectories, counts", columns, rows))
    return tuple(tables)


def skill_table(runs: Runs) -> Table:
    """Tables 4 and H7: success rates of skills by attempt and by subtask; `assumed` is the paper's estimate."""
    rows: list[tuple[Cell, ...]] = []
    counts_by_run = {
        label: (skill_counts(results, attempts=True), skill_counts(results, attempts=False))
        for label, results in runs.items()
    }
    skills = tuple(dict.fromkeys(skill for counts in counts_by_run.values() for part in counts for skill in part))
    for label, counts in counts_by_run.items():
        for skill in skills:
            attempts, subtasks = (part.get(skill, Count(0, 0)) for part in counts)
            rows.append(
                (label, skill, sum(attempts), attempts.rate, sum(subtasks), subtasks.rate, assumed_rate(subtasks, 2))
            )
    columns = (
        RUN,
        Column("skill"),
        Column("attempts", "count"),
        Column("SR of attempts", "percent"),
        Column("subtasks", "count"),
        Column("SR of subtasks", "percent"),
        Column("assumed SR", "percent"),
    )
    return Table(
        "Skills",
        columns,
        tuple(rows),
        ("assumed SR: success per attempt if a failure took three attempts and a success two, as in table 4.",),
    )


def disagreement_table(runs: Runs) -> Table:
    """Return a table of the episodes for which key path and world state disagree about success."""
    rows = tuple(
        (
            label,
            score.task_id,
            score.trial,
            *("done" if good else "not done" for good in (score.success, score.verdict)),
        )
        for label, results in runs.items()
        for score in results.disagreements
    )
    columns = (RUN, Column("task"), Column("trial", "count"), Column("key path"), Column("world"))
    return Table("Where key path and world disagree", columns, rows)


def lost_table(runs: Runs) -> Table:
    """Return a table of the episodes that could not be run, with the cause."""
    rows = tuple(
        (label, score.task_id, score.trial, score.lost) for label, results in runs.items() for score in results.lost
    )
    return Table("Lost episodes", (RUN, Column("task"), Column("trial", "count"), Column("cause")), rows)


def all_tables(
    runs: Runs,
    *,
    attributes: Mapping[str, Collection[str]],
    splits: Mapping[str, Collection[str]],
    intervals: Intervals | None = None,
) -> tuple[Table, ...]:
    """Return all tables of some runs except empty ones."""
    effective = intervals or Intervals()
    tables = [
        metrics_table(runs, effective),
        *([group_table("Splits", "split", runs, splits, effective)] if len(splits) > 1 else []),
        *([group_table("Attributes", "attribute", runs, attributes, effective)] if attributes else []),
        report_table(runs, effective),
        *error_tables(runs),
        skill_table(runs),
        disagreement_table(runs),
        lost_table(runs),
    ]
    return tuple(table for table in tables if table.rows)


def _percents(heads: Collection[str]) -> tuple[Column, ...]:
    return tuple(Column(head, "percent") for head in heads)

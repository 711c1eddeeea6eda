"""Differences of runs to the first run, on the episodes that ran in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from homie.bench.intervals_and_tests import (
    POWER,
    Estimate,
    McNemar,
    Pair,
    detectable_difference,
    holm,
    mcnemar,
    paired_bootstrap,
)
from homie.bench.score.compare_tables import RUN, Intervals
from homie.bench.score.metrics import WORLD, blocked_scores, shown_in, terms
from homie.bench.score.scores import Results
from homie.bench.table_formats import Column, Table
from homie.kernel.support.text import format_count


def paired_table(results: Mapping[str, Results], intervals: Intervals, *, left_out: int) -> Table:
    """Return a table with a row per run: its differences to the first run, on the episodes that ran in both.

    Args:
        left_out: Number of a run's episodes that other runs do not have.
    """
    (base, first), *other_runs = results.items()
    comparisons = [(label, _compare_pair(first, second, intervals)) for label, second in other_runs]
    tested = [index for index, (_, pair) in enumerate(comparisons) if pair.test is not None]
    adjusted = dict(zip(tested, holm([test.p for _, pair in comparisons if (test := pair.test)]), strict=True))
    rows = tuple(
        (
            label,
            pair.pairs,
            *pair.differences,
            pair.smallest,
            *((pair.test.only_first, pair.test.only_second, pair.test.p) if pair.test else (None, None, None)),
            *([adjusted.get(index)] if len(comparisons) > 1 else []),
        )
        for index, (label, pair) in enumerate(comparisons)
    )
    columns = (
        RUN,
        Column("pairs", "count"),
        *(Column(metric, "percent") for metric in (*shown_in("metrics"), WORLD)),
        Column("smallest SR", "percent"),
        Column("only first", "count"),
        Column("only this", "count"),
        Column("McNemar p", "p"),
        *([Column("p (Holm)", "p")] if len(comparisons) > 1 else []),
    )
    percent = f"{100 * intervals.confidence:g} %"
    notes = [
        f"Differences to {base} in percentage points, with {percent} intervals of the paired bootstrap over tasks.",
        "There is no interval if all tasks differ by the same amount: the bootstrap has no variance to estimate.",
        "Pairs are the episodes that were lost in neither run.",
        f"smallest SR: the difference that this many pairs detect with {100 * POWER:g} % power.",
        "McNemar: exact, two-sided, on success; it treats the trials of a task as independent.",
    ]
    if len(comparisons) > 1:
        notes.append(f"p (Holm): adjusted for the {len(tested)} comparisons with {base}.")
    if left_out:
        count_text = format_count(left_out, "episode")
        notes.append(f"Left out of all tables, because not all runs have them: up to {count_text} of a run.")
    return Table(f"Differences to {base}", columns, rows, tuple(notes))


class Paired(NamedTuple):
    """Comparison of two runs.

    Attributes:
        smallest: Smallest detectable difference in SR, None if none is.
    """

    pairs: int
    differences: tuple[Estimate, ...]
    smallest: float | None
    test: McNemar | None


def _compare_pair(first: Results, second: Results, intervals: Intervals) -> Paired:
    """Compare two runs on the episodes that were lost in neither."""
    common_keys = {score.key for score in first.scores if not score.lost} & {
        score.key for score in second.scores if not score.lost
    }
    base, other = first.at(common_keys), second.at(common_keys)
    differences = tuple(difference(base, other, metric, intervals) for metric in (*shown_in("metrics"), WORLD))
    if blocked_scores(base, "SR") or blocked_scores(other, "SR"):
        return Paired(len(common_keys), differences, None, None)
    first_success, second_success = ([bool(score.success) for score in results.scores] for results in (base, other))
    pairs = [
        Pair(score.task_id, *both) for score, *both in zip(base.scores, first_success, second_success, strict=True)
    ]
    smallest = detectable_difference(pairs, confidence=intervals.confidence)
    return Paired(len(common_keys), differences, smallest, mcnemar(first_success, second_success))


def difference(first: Results, second: Results, metric: str, intervals: Intervals) -> Estimate:
    """Estimate the difference second - first of one metric, paired by task."""
    first_terms, second_terms = terms(first, metric), terms(second, metric)
    if not first_terms or not second_terms:
        return Estimate(None)
    return paired_bootstrap(
        first_terms, second_terms, seed=intervals.seed, resamples=intervals.resamples, confidence=intervals.confidence
    )

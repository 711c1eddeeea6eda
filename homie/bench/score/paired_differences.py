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
from homie.bench.score.metrics import WORLD, blocked, shown_in, terms
from homie.bench.score.scores import Results
from homie.bench.table_formats import Column, Table
from homie.kernel.support.text import counted


def paired_table(results: Mapping[str, Results], intervals: Intervals, *, left_out: int) -> Table:
    """A row per run: its differences to the first run, on the episodes that ran in both.

    Args:
        left_out: Number of episodes of a run that the other runs do not have.
    """
    (base, first), *others = results.items()
    compared = [(label, _paired(first, second, intervals)) for label, second in others]
    tested = [index for index, (_, pair) in enumerate(compared) if pair.test is not None]
    adjusted = dict(zip(tested, holm([test.p for _, pair in compared if (test := pair.test)]), strict=True))
    rows = tuple(
        (
            label,
            pair.pairs,
            *pair.differences,
            pair.smallest,
            *((pair.test.only_first, pair.test.only_second, pair.test.p) if pair.test else (None, None, None)),
            *([adjusted.get(index)] if len(compared) > 1 else []),
        )
        for index, (label, pair) in enumerate(compared)
    )
    columns = (
        RUN,
        Column("pairs", "count"),
        *(Column(metric, "percent") for metric in (*shown_in("metrics"), WORLD)),
        Column("smallest SR", "percent"),
        Column("only first", "count"),
        Column("only this", "count"),
        Column("McNemar p", "p"),
        *([Column("p (Holm)", "p")] if len(compared) > 1 else []),
    )
    percent = f"{100 * intervals.confidence:g} %"
    notes = [
        f"Differences to {base} in percentage points, with {percent} intervals of the paired bootstrap over tasks.",
        "There is no interval if all tasks differ by the same amount: the bootstrap has no variance to estimate.",
        "Pairs are the episodes that were lost in neither run.",
        f"smallest SR: the difference that this many pairs detect with {100 * POWER:g} % power.",
        "McNemar: exact, two-sided, on success; it treats the trials of a task as independent.",
    ]
    if len(compared) > 1:
        notes.append(f"p (Holm): adjusted for the {len(tested)} comparisons with {base}.")
    if left_out:
        most = counted(left_out, "episode")
        notes.append(f"Left out of all tables, because not all runs have them: up to {most} of a run.")
    return Table(f"Differences to {base}", columns, rows, tuple(notes))


class Paired(NamedTuple):
    """One run compared with another.

    Attributes:
        smallest: The smallest detectable difference in SR, None if none is.
    """

    pairs: int
    differences: tuple[Estimate, ...]
    smallest: float | None
    test: McNemar | None


def _paired(first: Results, second: Results, intervals: Intervals) -> Paired:
    """The comparison on the episodes that were lost in neither run."""
    ran = {score.key for score in first.scores if not score.lost} & {
        score.key for score in second.scores if not score.lost
    }
    base, other = first.at(ran), second.at(ran)
    differences = tuple(difference(base, other, metric, intervals) for metric in (*shown_in("metrics"), WORLD))
    if blocked(base, "SR") or blocked(other, "SR"):
        return Paired(len(ran), differences, None, None)
    before, after = ([bool(score.success) for score in results.scores] for results in (base, other))
    pairs = [Pair(score.task_id, *both) for score, *both in zip(base.scores, before, after, strict=True)]
    smallest = detectable_difference(pairs, confidence=intervals.confidence)
    return Paired(len(ran), differences, smallest, mcnemar(before, after))


def difference(first: Results, second: Results, metric: str, intervals: Intervals) -> Estimate:
    """The difference second - first of one metric, paired by task."""
    before, after = terms(first, metric), terms(second, metric)
    if not before or not after:
        return Estimate(None)
    return paired_bootstrap(
        before, after, seed=intervals.seed, resamples=intervals.resamples, confidence=intervals.confidence
    )

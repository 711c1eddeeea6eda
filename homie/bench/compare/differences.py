"""How runs differ from the first of them, on the episodes that ran in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from homie.bench.compare.summary import RUN, WORLD, Intervals
from homie.bench.score.metrics import METRICS, blocked, terms
from homie.bench.score.scores import Results
from homie.bench.statistics import (
    POWER,
    Estimate,
    McNemar,
    Pair,
    detectable_difference,
    holm,
    mcnemar,
    paired_bootstrap,
)
from homie.bench.tables import Column, Table


def paired_table(results: Mapping[str, Results], intervals: Intervals, *, left_out: int) -> Table:
    """How each run differs from the first, on the episodes that ran in both."""
    (base, first), *others = results.items()
    found = [(label, _paired(first, second, intervals)) for label, second in others]
    tested = [index for index, (_, one) in enumerate(found) if one.test is not None]
    adjusted = dict(zip(tested, holm([test.p for _, one in found if (test := one.test)]), strict=True))
    rows = tuple(
        (
            label,
            one.pairs,
            *one.differences,
            one.smallest,
            *((one.test.only_first, one.test.only_second, one.test.p) if one.test else (None, None, None)),
            *([adjusted.get(index)] if len(found) > 1 else []),
        )
        for index, (label, one) in enumerate(found)
    )
    columns = (
        RUN,
        Column("pairs", "count"),
        *(Column(metric, "percent") for metric in (*METRICS, WORLD)),
        Column("smallest SR", "percent"),
        Column("only first", "count"),
        Column("only this", "count"),
        Column("McNemar p", "p"),
        *([Column("p (Holm)", "p")] if len(found) > 1 else []),
    )
    percent = f"{100 * intervals.confidence:g} %"
    notes = [
        f"Differences to {base} in percentage points, with {percent} intervals of the paired bootstrap over tasks.",
        "No interval stands where all tasks differ alike: the bootstrap cannot say how sure that is.",
        "Pairs are the episodes that were lost in neither run.",
        f"smallest SR: the difference that so many pairs show with {100 * POWER:g} % power; less may go unseen.",
        "McNemar: exact, two-sided, on success; it takes the trials of a task for independent.",
    ]
    if len(found) > 1:
        notes.append(f"p (Holm): adjusted for the {len(tested)} comparisons with {base}.")
    if left_out:
        notes.append(f"Up to {left_out} episodes of a run are left out of all tables: not all runs have them.")
    return Table(f"Differences to {base}", columns, rows, tuple(notes))


class Paired(NamedTuple):
    """One run against another. smallest: the difference in SR that so many pairs would show; None if none would."""

    pairs: int
    differences: tuple[Estimate, ...]
    smallest: float | None
    test: McNemar | None


def _paired(first: Results, second: Results, intervals: Intervals) -> Paired:
    """On the episodes that were lost in neither."""
    ran = {score.key for score in first.scores if not score.lost} & {
        score.key for score in second.scores if not score.lost
    }
    one, two = first.at(ran), second.at(ran)
    differences = tuple(difference(one, two, metric, intervals) for metric in (*METRICS, WORLD))
    if blocked(one, "SR") or blocked(two, "SR"):
        return Paired(len(ran), differences, None, None)
    before, after = ([bool(score.success) for score in results.scores] for results in (one, two))
    pairs = [Pair(score.task_id, *both) for score, *both in zip(one.scores, before, after, strict=True)]
    smallest = detectable_difference(pairs, confidence=intervals.confidence)
    return Paired(len(ran), differences, smallest, mcnemar(before, after))


def difference(first: Results, second: Results, metric: str, intervals: Intervals) -> Estimate:
    """second - first of one metric, paired by task. Where all tasks differ alike the bootstrap says nothing about how
    sure that is, so there is no interval."""
    before, after = terms(first, metric), terms(second, metric)
    if not before or not after:
        return Estimate(None)
    found = paired_bootstrap(
        before, after, seed=intervals.seed, resamples=intervals.resamples, confidence=intervals.confidence
    )
    same = found.interval is not None and found.interval.low == found.interval.high
    return Estimate(found.value) if same else found

"""Which plots and tables a report has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from homie.bench.compare.compare import compare_runs
from homie.bench.compare.summary import RUN, Intervals, Rows, skill_table
from homie.bench.report.data import Shown, Source
from homie.bench.report.plots import Bar, Stack, columns, legend, share_bars, stacked_bars, totals
from homie.bench.score.errors import CODES, folded
from homie.bench.score.metrics import ErrorCounts, error_counts, raw_errors
from homie.bench.score.paper import HEADS, counts_by_head
from homie.bench.score.results import groups
from homie.bench.suite.suite import read_subtask
from homie.bench.tables import Column, Table
from homie.kernel.types import ErrorCode

MEANINGS = {code: ErrorCode(code).meaning for code in CODES}
"""The error codes in a few words (docs/error-codes.md)."""
REACHED = ((0.0, "0 %"), (0.25, "1-25"), (0.5, "26-50"), (0.75, "51-75"), (0.9999, "76-99"), (math.inf, "100 %"))
"""Upper bounds of the shares of a key path that are counted together."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with what there is to know for reading it."""

    title: str
    caption: str
    drawing: Markup


def figures(sources: Sequence[Source], intervals: Intervals) -> tuple[Figure, ...]:
    """All plots of a report; those without anything in them are left out."""
    benches = [source for source in sources if source.bench is not None]
    made = [
        *([attribute_figure(benches, intervals)] if benches else []),
        error_figure(sources),
        *(steps_figure(source, many=len(sources) > 1) for source in sources if source.results.scores),
        *(keypath_figure(source, many=len(sources) > 1) for source in benches),
    ]
    return tuple(figure for figure in made if figure is not None)


def attribute_figure(sources: Sequence[Source], intervals: Intervals) -> Figure:
    """Success rate of all tasks and by attribute, a bar for each run."""
    bars: list[Bar] = []
    for name in ("all", *dict.fromkeys(name for one in sources if one.bench for name in groups(one.bench.suite))):
        for index, source in enumerate(sources):
            tasks = groups(source.bench.suite) if source.bench else {}
            part = source.results if name == "all" else source.results.only(tasks.get(name, frozenset()))
            found = intervals.of(part, "SR")
            note = f"of {len(part.scores)} episodes"
            bars.append(Bar("" if index else name, found.value, found.interval, note, f"s{index % 6}"))
    key = legend([(f"s{index % 6}", source.label) for index, source in enumerate(sources)])
    caption = f"Success rate (SR) with {100 * intervals.confidence:g} % intervals, clustered by task."
    return Figure("Success by attribute", caption, share_bars("Success rate by attribute", bars) + key)


def error_figure(sources: Sequence[Source]) -> Figure | None:
    """Errors per 100 steps by code, for each run; apart for successful and failed episodes where that is known."""
    stacks: list[Stack] = []
    found: list[Stack] = []
    for source in sources:
        parts = [(source.label, _all_errors(source))]
        if source.bench is not None:
            ways = ((True, "succeeded"), (False, "failed"))
            parts = [(f"{source.label}, {name}", error_counts(source.results, success=good)) for good, name in ways]
        for label, counts in parts:
            per_step = {code: 100 * counts.codes[code] / max(counts.steps, 1) for code in CODES}
            stacks.append(Stack(label, per_step, f"{counts.total}/{counts.steps}"))
            found.append(Stack(label, {code: float(counts.codes[code]) for code in CODES}))
    amounts = totals(found)
    if not amounts:
        return None
    key = legend([(code, f"{code} {MEANINGS[code]}: {amounts[code]:g}") for code in CODES if code in amounts])
    caption = "Errors per 100 steps, by code; behind each bar: errors / steps."
    return Figure("Errors by planner", caption, stacked_bars("Errors per 100 steps by planner", stacks) + key)


def steps_figure(source: Source, *, many: bool) -> Figure:
    """How many episodes took how many steps."""
    ran = [one for one in source.episodes if one.outcome not in ("lost", "unfinished")]
    most = max((one.steps for one in ran), default=0)
    wide = max(1, -(-most // 40))
    stacks = []
    for first in range(1, most + 1, wide):
        some = [one for one in ran if first <= one.steps < first + wide]
        label = str(first) if wide == 1 else f"{first}-{first + wide - 1}"
        stacks.append(Stack(label, _outcomes(some)))
    key = legend([(name, f"{name}: {amount:g}") for name, amount in _outcomes(ran).items()])
    title = f"Steps: {source.label}" if many else "Steps"
    caption = "Episodes by how many subtasks they took, End included; lost ones are left out."
    every = max(1, -(-len(stacks) // 20))
    return Figure(title, caption, columns("Episodes by steps", stacks, every) + key)


def keypath_figure(source: Source, *, many: bool) -> Figure | None:
    """Where failed episodes stand on their best key path, and the action of the node that they did not reach."""
    failed = [one.score for one in source.episodes if one.outcome == "failed" and one.score and one.keypaths]
    reached = [(score.tp, score.next_node) for score in failed if score.tp is not None]
    if not reached:
        return None
    bins: dict[str, Counter[str]] = {label: Counter() for _, label in REACHED}
    for share, node in reached:
        label = next(label for bound, label in REACHED if share <= bound)
        bins[label][read_subtask(node).action if node else "no End"] += 1
    stacks = [Stack(label, dict(counts)) for label, counts in bins.items()]
    key = legend([(name, f"{name}: {amount:g}") for name, amount in totals(stacks).items()])
    title = f"Where episodes fail: {source.label}" if many else "Where episodes fail"
    caption = "Failed episodes by how much of their best key path was reached; colour: the first node that was not."
    return Figure(title, caption, columns("Failed episodes along the key path", stacks) + key)


def tables(sources: Sequence[Source], intervals: Intervals) -> tuple[Table, ...]:
    """The tables of a report: those of `homie compare` for benches, and counts for single runs. Raises BadInput."""
    benches = [source.bench for source in sources if source.bench is not None]
    singles = [source for source in sources if source.bench is None]
    return (
        *(compare_runs(benches, intervals) if benches else ()),
        *(_single_tables(singles) if singles else ()),
    )


def _single_tables(sources: Sequence[Source]) -> tuple[Table, ...]:
    rows: Rows = tuple(
        (
            source.label,
            len(source.episodes),
            *(
                sum(one.outcome == way for one in source.episodes)
                for way in ("said End", "out of rounds", "unfinished")
            ),
            round(sum(one.steps for one in source.episodes) / max(len(source.episodes), 1), 2),
            round(sum(one.ending.robot_seconds for one in source.episodes if one.ending), 1),
        )
        for source in sources
    )
    heads = ("episodes", "said End", "out of rounds", "unfinished", "steps each", "robot seconds")
    note = "Single runs have no key path and no goal: whether the task was done is not judged."
    counts = {source.label: _all_errors(source) for source in sources}
    errors: Rows = tuple((label, *counts_by_head(one).values(), one.steps) for label, one in counts.items())
    return (
        Table("Single runs", (RUN, *(Column(head, "count") for head in heads)), rows, (note,)),
        Table("Errors in single runs, counts", (RUN, *(Column(head, "count") for head in (*HEADS, "steps"))), errors),
        skill_table({source.label: source.results for source in sources}),
    )


def _all_errors(source: Source) -> ErrorCounts:
    scores = source.results.scores
    return ErrorCounts(folded(raw_errors(scores)), sum(score.scored_steps for score in scores))


def _outcomes(episodes: Iterable[Shown]) -> dict[str, float]:
    found = Counter[str](one.outcome for one in episodes)
    order = ("succeeded", "failed", "not scored", "said End", "out of rounds")
    return {name: float(found[name]) for name in order if found[name]}

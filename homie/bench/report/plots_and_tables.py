"""Plots and tables of a report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from homie.bench.report.runs_and_episodes import PageEpisode, Source
from homie.bench.report.svg_drawing import Bar, Stack, columns, legend, share_bars, stacked_bars, totals
from homie.bench.score.compare import compare_runs
from homie.bench.score.compare_tables import RUN, Intervals, Rows, skill_table
from homie.bench.score.emmoe_error_rows import HEADS, counts_by_head
from homie.bench.score.error_code_of_feedback import CODES, merge_e3
from homie.bench.score.metrics import WORLD, ErrorCounts, error_counts, metrics, raw_errors, shown_in
from homie.bench.score.results import groups
from homie.bench.suite.suite import read_subtask
from homie.bench.table_formats import Column, Table
from homie.kernel.support.text import format_count
from homie.kernel.types import ErrorCode

MEANINGS = {code: ErrorCode(code).meaning for code in CODES}
"""Short descriptions of the error codes (docs/error-codes.md)."""
COLUMNS, LABELLED = 40, 20
"""Maximum number of columns in the plot of steps, and of labelled columns: more would not be legible."""
REACHED = ((0.0, "0 %"), (0.25, "1-25"), (0.5, "26-50"), (0.75, "51-75"), (0.9999, "76-99"), (math.inf, "100 %"))
"""Bins of the reached share of a key path: upper bound and label. 0.9999 separates complete from partial paths."""


def glossary() -> dict[str, str]:
    """Return the meanings of the headings in the table of metrics (docs/metrics.md)."""
    known = metrics()
    return {
        **{name: known[name].meaning for name in (*shown_in("metrics"), WORLD)},
        "disagree": "episodes that count as succeeded by their subtasks and not by the world, or the other way round",
        "lost": "episodes that infrastructure ended, such as a server or a crash, or an error in code of your own",
    }


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its title and caption."""

    title: str
    caption: str
    drawing: Markup


def figures(sources: Sequence[Source], intervals: Intervals) -> tuple[Figure, ...]:
    """Return all plots of a report except empty ones."""
    benches = [source for source in sources if source.bench is not None]
    candidates = [
        *([attribute_figure(benches, intervals)] if benches else []),
        error_figure(sources),
        *(steps_figure(source, many=len(sources) > 1) for source in sources if source.results.scores),
        *(keypath_figure(source, many=len(sources) > 1) for source in benches),
    ]
    return tuple(figure for figure in candidates if figure is not None)


def attribute_figure(sources: Sequence[Source], intervals: Intervals) -> Figure:
    """Plot the success rate over all tasks and by attribute, one bar per run."""
    bars: list[Bar] = []
    for name in (
        "all",
        *dict.fromkeys(name for judged in sources if judged.bench for name in groups(judged.bench.suite)),
    ):
        for index, source in enumerate(sources):
            tasks = groups(source.bench.suite) if source.bench else {}
            part = source.results if name == "all" else source.results.only(tasks.get(name, frozenset()))
            rate = intervals.of(part, "SR")
            note = f"of {format_count(len(part.scores), 'episode')}"
            bars.append(
                Bar(
                    label="" if index else name,
                    value=rate.value,
                    interval=rate.interval,
                    note=note,
                    style=f"s{index % 6}",
                )
            )
    key = legend([(f"s{index % 6}", source.label) for index, source in enumerate(sources)])
    caption = f"Success rate (SR) with {100 * intervals.confidence:g} % intervals, clustered by task."
    return Figure("Success by attribute", caption, share_bars("Success rate by attribute", bars) + key)


def error_figure(sources: Sequence[Source]) -> Figure | None:
    """Plot errors per 100 steps by code and run, separate for successful and failed episodes where success is known."""
    stacks: list[Stack] = []
    counted: list[Stack] = []
    for source in sources:
        parts = [(source.label, _all_errors(source))]
        if source.bench is not None:
            outcomes = ((True, "succeeded"), (False, "failed"))
            parts = [(f"{source.label}, {name}", error_counts(source.results, success=good)) for good, name in outcomes]
        for label, counts in parts:
            per_step = {code: 100 * counts.codes[code] / max(counts.steps, 1) for code in CODES}
            stacks.append(Stack(label, per_step, f"{counts.total}/{counts.steps}"))
            counted.append(Stack(label, {code: float(counts.codes[code]) for code in CODES}))
    amounts = totals(counted)
    if not amounts:
        return None
    key = legend([(code, f"{code} {MEANINGS[code]}: {amounts[code]:g}") for code in CODES if code in amounts])
    caption = "Errors per 100 steps, by code; behind each bar: errors / steps."
    return Figure("Errors by planner", caption, stacked_bars("Errors per 100 steps by planner", stacks) + key)


def steps_figure(source: Source, *, many: bool) -> Figure:
    """Plot a histogram of the steps per episode."""
    played = [episode for episode in source.episodes if episode.outcome not in ("lost", "unfinished")]
    longest = max((episode.steps for episode in played), default=0)
    bin_width = max(1, -(-longest // COLUMNS))
    stacks = []
    for lower in range(1, longest + 1, bin_width):
        binned = [episode for episode in played if lower <= episode.steps < lower + bin_width]
        label = str(lower) if bin_width == 1 else f"{lower}-{lower + bin_width - 1}"
        stacks.append(Stack(label, _outcomes(binned)))
    key = legend([(name, f"{name}: {amount:g}") for name, amount in _outcomes(played).items()])
    title = f"Steps: {source.label}" if many else "Steps"
    caption = "Episodes by number of subtasks, End included; lost episodes are left out."
    label_step = max(1, -(-len(stacks) // LABELLED))
    return Figure(title, caption, columns("Episodes by steps", stacks, label_step) + key)


def keypath_figure(source: Source, *, many: bool) -> Figure | None:
    """Plot how far failed episodes got on their best key path, by action of the first node that they missed."""
    failed = [
        episode.score
        for episode in source.episodes
        if episode.outcome == "failed" and episode.score and episode.keypaths
    ]
    shares = [(score.tp, score.next_node) for score in failed if score.tp is not None]
    if not shares:
        return None
    bins: dict[str, Counter[str]] = {label: Counter() for _, label in REACHED}
    for share, node in shares:
        label = next(label for bound, label in REACHED if share <= bound)
        bins[label][read_subtask(node).action if node else "no End"] += 1
    stacks = [Stack(label, dict(counts)) for label, counts in bins.items()]
    key = legend([(name, f"{name}: {amount:g}") for name, amount in totals(stacks).items()])
    title = f"Where episodes fail: {source.label}" if many else "Where episodes fail"
    caption = "Failed episodes by the reached share of their best key path; colour: action of the first missed node."
    return Figure(title, caption, columns("Failed episodes along the key path", stacks) + key)


def tables(sources: Sequence[Source], intervals: Intervals) -> tuple[Table, ...]:
    """Return the tables of a report: those of `homie compare` for bench runs, counts for single runs. Raises
    BadInput."""
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
                sum(item.outcome == outcome for item in source.episodes)
                for outcome in ("said End", "out of rounds", "unfinished")
            ),
            round(sum(item.steps for item in source.episodes) / max(len(source.episodes), 1), 2),
            round(sum(item.ending.robot_seconds for item in source.episodes if item.ending), 1),
        )
        for source in sources
    )
    heads = ("episodes", "said End", "out of rounds", "unfinished", "steps each", "robot seconds")
    note = "Single runs have no key path and no success condition: success is not judged."
    counts = {source.label: _all_errors(source) for source in sources}
    errors: Rows = tuple((label, *counts_by_head(item).values(), item.steps) for label, item in counts.items())
    return (
        Table("Single runs", (RUN, *(Column(head, "count") for head in heads)), rows, (note,)),
        Table("Errors in single runs, counts", (RUN, *(Column(head, "count") for head in (*HEADS, "steps"))), errors),
        skill_table({source.label: source.results for source in sources}),
    )


def _all_errors(source: Source) -> ErrorCounts:
    scores = source.results.scores
    return ErrorCounts(merge_e3(raw_errors(scores)), sum(score.scored_steps for score in scores))


def _outcomes(episodes: Iterable[PageEpisode]) -> dict[str, float]:
    counts = Counter[str](episode.outcome for episode in episodes)
    order = ("succeeded", "failed", "not scored", "said End", "out of rounds")
    return {name: float(counts[name]) for name in order if counts[name]}

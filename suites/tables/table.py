"""The table: a row for each suite and each of its subsets, from the output of Homie's commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from homie.bench.intervals_and_tests import Term, clustered_wilson
from homie.bench.suite.suite import find_suite
from suites.tables.suites import PlayedSuite

HEAD = ("protocol", "suite", "subset", "n", "%", "95 %", "minutes")
"""Columns. %: SR of a bench, B of homie-vigil, right answers of questions."""
ALL = "all"


class Row(NamedTuple):
    """Result of a suite or of a subset.

    Attributes:
        value, low, high: Percent.
    """

    subset: str
    n: int
    value: float
    low: float
    high: float


def rows_of(played: PlayedSuite, printed: Mapping[str, Any]) -> list[Row]:
    """Compute the rows, `all` first.

    Args:
        printed: The JSON object that the command printed.
    """
    if played.kind == "bench":
        return list(_of_bench(played.suite, printed))
    table = printed["rows"]
    if played.kind == "vigil":
        rows = [Row(row["family"], row["n"], *(row["benchmark"][k] for k in ("value", "low", "high"))) for row in table]
    else:
        rows = [Row(row["dimension"], row["n"], *(100 * row[k] for k in ("accuracy", "low", "high"))) for row in table]
    return sorted(rows, key=lambda row: row.subset != ALL)


def _of_bench(suite: str, printed: Mapping[str, Any]) -> Iterator[Row]:
    lost = [line["task"] for line in printed["lines"] if line["cause"]]
    if lost:
        raise SystemExit(f"{suite}: infrastructure ended {', '.join(lost)}: see {printed['run_folder']}")
    tasks = find_suite(suite).by_id
    groups: dict[str, list[Term]] = {ALL: []}
    for line in printed["lines"]:
        for group in (ALL, *tasks[line["task"]].attributes):
            groups.setdefault(group, []).append(Term(line["task"], float(line["success"]), 1.0))
    for name, terms in groups.items():
        estimate = clustered_wilson(terms)
        low, high = estimate.interval or (0.0, 1.0)
        yield Row(name, len(terms), 100 * (estimate.value or 0.0), 100 * low, 100 * high)


def lines(played: PlayedSuite, rows: list[Row], seconds: float) -> list[str]:
    """The rows as Markdown lines; the first has the minutes."""
    return [
        _line(
            played.protocol,
            f"`{played.suite}`",
            row.subset.replace("_", " ").replace("-", " "),
            str(row.n),
            f"{row.value:.1f}",
            f"{row.low:.1f} to {row.high:.1f}",
            f"{seconds / 60:.1f}" if row.subset == ALL else "",
        )
        for row in rows
    ]


def not_played(played: PlayedSuite, why: str) -> list[str]:
    """The line for a suite that a planner cannot play."""
    return [_line(played.protocol, f"`{played.suite}`", f"cannot be played: {why}", "", "", "", "")]


def head() -> list[str]:
    """The header lines."""
    return [_line(*HEAD), _line(*("---",) * len(HEAD))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"

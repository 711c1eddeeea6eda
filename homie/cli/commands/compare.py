"""`homie compare`: the tables of one or several runs of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from homie.bench.finished_episodes import is_bench
from homie.bench.options import CompareOptions
from homie.bench.runs_inside import check_apart, check_different, is_run, readable, runs_inside
from homie.bench.score.compare import compare
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.plugin_runs import Comparison, comparisons, page_across
from homie.bench.score.series import BY_TASK, WORLDS
from homie.bench.table_formats import Table, write
from homie.cli.output import say, tell
from homie.cli.parameters import Config, build, options_from
from homie.kernel.errors import BadInput
from homie.kernel.support.files import write_atomically, writing
from homie.kernel.support.text import format_count

LEGEND = (
    "SR: success rate, PLWSR: success rate weighted by path length, TP: task progress, SRR: success re-plan rate, SER: "
    "success end rate, GP: goal progress, world: the goal holds in the final state. docs/metrics.md defines them."
)
"""Explanation of the headers of the first table."""
FIRST = (
    WORLDS,
    BY_TASK,
    "Metrics",
    "Mixed runs",
    "Differences to ",
    "Usage",
    "Lost episodes",
    "Tasks by run",
    "What feedback changed",
)
"""Starts of the titles of the tables that a terminal shows without `--all-tables`."""


@options_from(CompareOptions)
def compare_command(
    config: Config = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout (as --form json).")] = False,
    **values: Any,
) -> None:
    """Compare runs."""
    options = build(CompareOptions, config, values)
    for out in (options.out, options.protocols):
        check_apart(out, options.runs)
    if options.protocols is None:
        options = options.model_copy(update={"runs": _comparable(options.runs)})
    runs, problems = readable(options.runs)
    for sentence in problems:
        tell(f"not read: {sentence}")
    options = options.model_copy(update={"runs": runs})
    intervals = Intervals(options.confidence, options.resamples, options.seed)
    if options.protocols is not None:
        shares, size = page_across(options.runs, options.profile, intervals, options.protocols)
        tell(f"{options.protocols}  ({size / 1024:.0f} KiB)")
        tables: tuple[Table, ...] = (shares,)
    elif comparison := _comparison(options.runs):
        check_different(options.runs)
        tables = comparison.tables(options.runs)
    else:
        tables = compare(options.runs, options.profile, intervals, tasks=options.tasks)
    if len(options.runs) == 1 and options.protocols is None:
        tell("One run is given, so nothing is compared: give a second one for differences.")
    if options.out is None and options.form == "markdown" and not json:
        _show(tables, show_all=options.all_tables or options.protocols is not None)
        return
    text = write(tables, "json" if json else options.form)
    if options.out is None:
        say(text, end="")
        return
    with writing(options.out, "the tables to"):
        write_atomically(options.out, text.encode())
    tell(f"{options.out}  ({format_count(len(options.runs), 'run')})")


def _show(tables: Sequence[Table], *, show_all: bool) -> None:
    """Print tables for a reader: the most important ones, or all."""
    visible = [table for table in tables if show_all or table.title.startswith(FIRST)]
    say(write(visible, "markdown"), end="")
    if any(table.title == "Metrics" for table in visible):
        tell(LEGEND)
    if hidden := [table.title for table in tables if table not in visible]:
        tell(f"With --all-tables also: {'; '.join(hidden)}.")


def _comparison(folders: Sequence[Path]) -> Comparison | None:
    """Return the comparison of the package whose command wrote all folders, None if there is none."""
    return next(
        (candidate for candidate in comparisons() if all((folder / candidate.head).is_file() for folder in folders)),
        None,
    )


def _comparable(folders: list[Path]) -> list[Path]:
    """Return the runs of suites in folders. Raises BadInput for a folder that holds only runs of `homie run`."""
    heads = [comparison.head for comparison in comparisons()]
    runs = runs_inside(folders, lambda folder: is_bench(folder) or any((folder / head).is_file() for head in heads))
    for folder in runs:
        single = sum(map(is_run, folder.iterdir())) if folder.is_dir() and not is_bench(folder) else 0
        if (is_run(folder) and not is_bench(folder)) or single:
            relation = "holds runs of" if single else "is a run of"
            raise BadInput(
                f"{folder} {relation} `homie run`, whose tasks have no goal to compare by; `homie report {folder}` "
                "shows it."
            )
    return runs

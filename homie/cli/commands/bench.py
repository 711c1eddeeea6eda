"""`homie bench`: runs a suite of tasks and writes a run folder of finished episodes."""

from __future__ import annotations

from typing import Any

import typer
from pydantic import TypeAdapter

from homie.bench.episode import describe_loss
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.bench.play.sweep import SweepSummary, sweep
from homie.bench.table_formats import format_cell
from homie.cli.output import print_json, progress_console, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.kernel.errors import InfrastructureError


@options_from(BenchOptions)
def bench_command(
    config: Config = None,
    json: Json = False,
    **values: Any,
) -> None:
    """Run a suite."""
    options = build(BenchOptions, config, values)
    summary: BenchSummary | SweepSummary
    if options.sweep:
        summary = sweep(options, lambda: Progress(progress_console()), lambda name: tell(f"\n{name}"))
    else:
        summary = bench(options, Progress(progress_console()))
    if json:
        print_json(TypeAdapter(type(summary)).dump_python(summary, mode="json"))
    elif isinstance(summary, SweepSummary):
        _tell_all(summary)
    else:
        _tell(summary)
    if summary.infrastructure:
        raise typer.Exit(InfrastructureError.exit_code)


def _tell(summary: BenchSummary) -> None:
    tell(f"run folder  {summary.run_folder}")
    tell(f"episodes    {summary.episodes}")
    for name, estimate in summary.metrics.items():
        tell(f"{name:<11} {format_cell(estimate, 'percent')}")
    for note in summary.notes:
        tell(note)
    if summary.infrastructure:
        causes = ", ".join(
            f"{count} ended by {describe_loss(cause)}" for cause, count in sorted(summary.causes.items())
        )
        tell(
            f"not run     {summary.infrastructure}: {causes}; "
            f"the same command with --out {summary.run_folder} --again runs them again"
        )


def _tell_all(summary: SweepSummary) -> None:
    for name, run in summary.runs.items():
        tell(f"\n{name}")
        _tell(run)
    tell(f"\none table   homie compare {summary.run_folder}/*/")

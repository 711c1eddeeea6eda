"""`homie bench`: a suite of tasks from its file to a run folder of finished episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter

from homie.bench.play.runner import BenchSummary, bench
from homie.bench.play.sweep import SweepSummary, sweep
from homie.cli.output import print_json
from homie.cli.parameters import options_from, settings
from homie.errors import InfrastructureError
from homie.options import BenchOptions


@options_from(BenchOptions, positional="suite")
def bench_command(
    config: Annotated[Path | None, typer.Option(help="A YAML file of options; the command line wins.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
    **given: Any,
) -> None:
    """Run a suite."""
    options = BenchOptions.build(config, **settings(given))
    summary = sweep(options, told=lambda name: typer.echo(f"\n{name}", err=True)) if options.sweep else bench(options)
    if json:
        print_json(TypeAdapter(type(summary)).dump_python(summary, mode="json"))
    elif isinstance(summary, SweepSummary):
        _tell_all(summary)
    else:
        _tell(summary)
    if summary.infrastructure:
        raise typer.Exit(InfrastructureError.exit_code)


def _tell(summary: BenchSummary) -> None:
    typer.echo(f"run folder  {summary.run_folder}", err=True)
    typer.echo(f"episodes    {summary.episodes}", err=True)
    if summary.success is not None and summary.interval is not None:
        low, high = summary.interval
        share = f"{100 * summary.success:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        typer.echo(f"success     {share}  ({summary.successes} of {summary.judged}, by the world's state)", err=True)
    if summary.infrastructure:
        causes = ", ".join(f"{count} {cause}" for cause, count in sorted(summary.causes.items()))
        typer.echo(
            f"not run     {summary.infrastructure} ended by infrastructure ({causes}); "
            f"the same command with --out {summary.run_folder} --again runs them again",
            err=True,
        )


def _tell_all(summary: SweepSummary) -> None:
    for name, run in summary.runs.items():
        typer.echo(f"\n{name}", err=True)
        _tell(run)
    typer.echo(f"\none table   homie compare {summary.run_folder}/*/", err=True)

"""`homie report`: one HTML page of one or several runs, and a recording of an episode for Rerun."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from homie.bench.report import MEBIBYTE, report
from homie.cli.output import print_json
from homie.cli.parameters import options_from
from homie.options import ReportOptions


@options_from(ReportOptions, positional="runs")
def report_command(
    config: Annotated[Path | None, typer.Option(help="A YAML file of options; the command line wins.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, nothing else.")] = False,
    **given: Any,
) -> None:
    """Show runs in one HTML page."""
    options = ReportOptions.build(config, **given)
    made = report(options)
    if json:
        told = {"report": str(made.path), "bytes": made.size, "episodes": made.episodes, "linked": made.linked}
        if options.rerun is not None:
            told |= {"recording": str(options.rerun), "recording_bytes": made.recording}
        print_json(told)
        return
    linked = f", {made.linked} pictures and videos linked" if made.linked else ""
    typer.echo(f"{made.path}  ({made.episodes} episodes, {made.size / MEBIBYTE:.1f} MiB{linked})", err=True)
    if options.rerun is not None:
        typer.echo(
            f"{options.rerun}  ({made.recording / MEBIBYTE:.1f} MiB; `rerun {options.rerun}` shows it)", err=True
        )

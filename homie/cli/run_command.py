"""`homie run`: one task from its instruction to a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter

from homie import session
from homie.cli.output import print_json
from homie.cli.parameters import options_from, settings
from homie.display import ProgressDisplay
from homie.options import RunOptions


@options_from(RunOptions, positional="task")
def run_command(
    config: Annotated[Path | None, typer.Option(help="A YAML file of options; the command line wins.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
    **given: Any,
) -> None:
    """Run one task."""
    options = RunOptions.build(config, **{"task": "" if config is None else None, **settings(given)})
    display = ProgressDisplay()
    try:
        summary = session.run(options, [display])
    finally:
        display.close()
    if json:
        print_json(TypeAdapter(session.EpisodeSummary).dump_python(summary, mode="json"))
    else:
        typer.echo(f"run folder  {summary.run_folder}", err=True)
        if summary.video:
            typer.echo(f"video       {summary.video}", err=True)

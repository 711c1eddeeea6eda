"""`homie report`: one HTML page of one or several runs, and a recording of an episode for Rerun."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from homie.bench.report import MEBIBYTE, report
from homie.cli.output import print_json, tell
from homie.cli.parameters import Config, build, options_from
from homie.kernel.options import ReportOptions
from homie.kernel.text import counted


@options_from(ReportOptions, positional="runs")
def report_command(
    config: Config = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, nothing else.")] = False,
    **given: Any,
) -> None:
    """Show runs in one HTML page."""
    options = build(ReportOptions, config, given)
    made = report(options)
    if json:
        told = {"report": str(made.path), "bytes": made.size, "episodes": made.episodes, "linked": made.linked}
        if options.rerun is not None:
            told |= {"recording": str(options.rerun), "recording_bytes": made.recording}
        print_json(told)
        return
    linked = f", {counted(made.linked, 'picture or video', 'pictures and videos')} linked" if made.linked else ""
    tell(f"{made.path}  ({counted(made.episodes, 'episode')}, {made.size / MEBIBYTE:.1f} MiB{linked})")
    if options.rerun is not None:
        tell(f"{options.rerun}  ({made.recording / MEBIBYTE:.1f} MiB; `rerun {options.rerun}` shows it)")

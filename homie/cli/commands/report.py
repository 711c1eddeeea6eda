"""`homie report`: one HTML page of one or several runs, and a recording of an episode for Rerun."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from homie.bench.options import ReportOptions
from homie.bench.report import MEBIBYTE, report
from homie.bench.runs_inside import check_apart
from homie.cli.output import print_json, tell
from homie.cli.parameters import Config, build, options_from
from homie.kernel.support.text import format_count


@options_from(ReportOptions)
def report_command(
    config: Config = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, nothing else.")] = False,
    **values: Any,
) -> None:
    """Show runs in one HTML page."""
    options = build(ReportOptions, config, values)
    for out in (options.out, options.rerun):
        check_apart(out, options.runs)
    page = report(options)
    for problem in page.unread:
        tell(f"not read: {problem}")
    if json:
        result = {"report": str(page.path), "bytes": page.size, "episodes": page.episodes, "linked": page.linked}
        result |= {"unread": list(page.unread)} if page.unread else {}
        if options.rerun is not None:
            result |= {"recording": str(options.rerun), "recording_bytes": page.recording}
        print_json(result)
        return
    linked = f", {format_count(page.linked, 'picture or video', 'pictures and videos')} linked" if page.linked else ""
    tell(f"{page.path}  ({format_count(page.episodes, 'episode')}, {page.size / MEBIBYTE:.1f} MiB{linked})")
    if options.rerun is not None:
        tell(f"{options.rerun}  ({page.recording / MEBIBYTE:.1f} MiB; `rerun {options.rerun}` shows it)")

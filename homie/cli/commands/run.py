"""`homie run`: runs one task and writes a run folder."""

from __future__ import annotations

from typing import Any

import typer
from pydantic import TypeAdapter
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from homie.cli.output import print_json, progress_console, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.kernel import exit_codes
from homie.kernel.options import RunOptions
from homie.kernel.support.text import printable
from homie.runtime import session
from homie.runtime.display import ProgressDisplay
from homie.runtime.task_outcome import NOTHING, Conclusion, Status

STYLES: dict[Status, str] = {
    "done": "green",
    "not done": "red",
    "declined": "yellow",
    "nothing done": "yellow",
    "not checked": "blue",
}


@options_from(RunOptions)
def run_command(
    config: Config = None,
    json: Json = False,
    **values: Any,
) -> None:
    """Run one task."""
    options = build(RunOptions, config, values)
    if not config and not (values.get("task") or "").strip():
        tell("No instruction was given: the scene's own is used.")
    console = progress_console()
    display = ProgressDisplay(console)
    try:
        summary = session.run(options, [display])
    finally:
        display.close()
    conclusion = summary.conclusion or Conclusion.of(summary.result, summary.verdict)
    if json:
        print_json(TypeAdapter(session.EpisodeSummary).dump_python(summary, mode="json"))
    else:
        _show_card(console, conclusion, _rows(summary, conclusion))
    if conclusion.status in NOTHING:
        raise typer.Exit(exit_codes.NOTHING_DONE)


def _rows(summary: session.EpisodeSummary, conclusion: Conclusion) -> list[tuple[str, str]]:
    """Return names and sentences of the end card, without empty ones."""
    rows = [
        ("outcome", conclusion.status),
        ("reason", conclusion.reason),
        ("answer", summary.result.answer),
        ("world", conclusion.world),
        ("planner", conclusion.planner),
        ("subtasks", conclusion.subtasks),
        ("run folder", str(summary.run_folder)),
        ("video", str(summary.video or "")),
    ]
    return [(name, text) for name, text in rows if text]


def _show_card(console: Console, conclusion: Conclusion, rows: list[tuple[str, str]]) -> None:
    """Print the end card: a panel on a terminal, plain lines elsewhere."""
    if not console.is_terminal:
        for name, text in rows:
            tell(f"{name:<12}{text}")
        return
    style = STYLES[conclusion.status]
    lines = [
        Text.assemble((f"{name:<12}", "dim"), (printable(text), f"bold {style}" if name == "outcome" else ""))
        for name, text in rows
    ]
    console.print(Panel(Text("\n").join(lines), border_style=style, title="Result", title_align="left"))

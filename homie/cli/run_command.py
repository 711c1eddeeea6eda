"""`homie run`: one task from its instruction to a run folder."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from homie import session
from homie.agent import EpisodeResult
from homie.cli.output import print_json, progress_console, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.display import ProgressDisplay
from homie.options import RunOptions
from homie.text import counted


@options_from(RunOptions, positional="task")
def run_command(
    config: Config = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Run one task."""
    options = build(RunOptions, config, given)
    display = ProgressDisplay(progress_console())
    try:
        summary = session.run(options, [display])
    finally:
        display.close()
    if json:
        print_json(TypeAdapter(session.EpisodeSummary).dump_python(summary, mode="json"))
    else:
        tell(f"run folder  {summary.run_folder}")
        if summary.video:
            tell(f"video       {summary.video}")
        tell(f"result      {_ending(summary.result)}")


def _ending(result: EpisodeResult) -> str:
    """What ended the run. Nobody has judged whether the task is done, so this does not say so."""
    how = "the planner ended the task" if result.ended_by == "ended" else "the rounds ran out"
    tried = [item for item in result.history if item.subtask.action != "End"]
    well = sum(item.feedback.ok for item in tried)
    return f"{how} after {counted(result.rounds, 'round')}; {well} of {counted(len(tried), 'subtask')} succeeded"

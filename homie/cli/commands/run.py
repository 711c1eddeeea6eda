"""`homie run`: runs one task and writes a run folder."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from homie.cli.output import print_json, progress_console, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.kernel.setup.options import RunOptions
from homie.kernel.support.text import counted
from homie.kernel.types import END, ENDINGS, EpisodeResult
from homie.runtime import session
from homie.runtime.display import ProgressDisplay


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
        if summary.verdict is not None:
            tell(f"verdict     {_verdict_text(summary.verdict, options.task)}")


def _ending(result: EpisodeResult) -> str:
    """What ended the run, and how many subtasks succeeded. It does not say whether the task is done."""
    how = ENDINGS[result.ended_by]
    tried = [item for item in result.history if item.subtask.action != END.action]
    well = sum(item.feedback.ok for item in tried)
    return f"{how} after {counted(result.rounds, 'round')}; {well} of {counted(len(tried), 'subtask')} succeeded"


def _verdict_text(verdict: session.Verdict, task: str) -> str:
    """The verdict of the simulated world, with the task that was judged if it differs from the instruction."""
    done = "done" if verdict.done else "not done"
    if verdict.task == task:
        return f"{done}, by the state of the simulated world"
    return f'{done}: not the instruction was judged but the scene\'s own task, "{verdict.task}"'

"""Live progress of an episode on stderr: colours and a running clock on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.status import Status
from rich.text import Text

from homie.kernel.interfaces import EpisodeListener
from homie.kernel.support.text import format_count, printable
from homie.kernel.types import (
    END,
    Attempt,
    AttemptEnded,
    Check,
    Decision,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    Observation,
    Outcome,
    PeriodPassed,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    RoundRecord,
    Subtask,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
    in_sight,
)

STYLES = {
    Outcome.SUCCEEDED: "green",
    Outcome.FAILED: "red",
    Outcome.TIMED_OUT: "red",
    Outcome.STOPPED: "yellow",
    Outcome.RUNNING: "",
}

QUIET_SECONDS = 30.0
"""Wall time (s) after which a log, which has no running clock, gets a line that a skill is still running."""


class ProgressDisplay(EpisodeListener):
    """Listener that prints one line per event, so that a log reads like the screen."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._status: Status | None = None
        self._checks: list[Check] = []
        self._subtask_text: str = ""
        self._start_stamp: float | None = None
        self._last_line_time: float = clock()

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self._line("task  ", task, style="bold")
            case PlannerAsked(planner_input, observation):
                self._show_sight(planner_input, observation)
            case PlannerAnswered(_, decision):
                self._show_decision(decision)
            case SubtaskStarted(_, subtask):
                self._start_clock(subtask)
            case SubtaskChecked(check):
                self._show_check(check)
            case AttemptEnded(attempt):
                self._show_attempt(attempt)
            case PeriodPassed(observation):
                self._advance_clock(observation)
            case SubtaskRecorded(record):
                self._show_record(record)
            case EpisodeEnded(result):
                ending_text = result.ending.capitalize()
                rounds = format_count(result.rounds, "round")
                self._line("\n", f"{ending_text} after {rounds} and {result.robot_seconds:.1f} s of robot time.")

    def _show_sight(self, planner_input: PlannerInput, observation: Observation) -> None:
        names = sorted({detection.name for detection in in_sight(planner_input.detections) if not detection.is_room})
        self._line(f"\nround {planner_input.round}", f"  {observation.stamp:.1f} s", style="bold", rest="dim")
        self._line("  sees      ", ", ".join(names) or "nothing it knows", rest="dim")

    def _show_decision(self, decision: Decision) -> None:
        if decision.analysis:
            # Highlighted because people need to read why the task was declined or not done.
            rest_style = "bold yellow" if decision.report in ("failure", "declined") else "dim"
            self._line("  analysis  ", decision.analysis, rest=rest_style)
        subtasks = " ".join(str(subtask) for subtask in decision.subtasks)
        model = f"  with {decision.model}" if decision.model else ""
        self._line("  decision  ", (subtasks or "none that can be read") + model, rest="bold cyan")

    def _start_clock(self, subtask: Subtask) -> None:
        self._checks = []
        self._start_stamp = None
        self._subtask_text = printable(str(subtask))
        self._last_line_time = self._clock()
        # Live clock only while a skill runs: the planner may be a person typing at this terminal.
        if self._console.is_terminal:
            self._status = self._console.status(Text(self._subtask_text))
            self._status.start()
        else:
            self._line("  doing     ", self._subtask_text, rest="dim")

    def _show_check(self, check: Check) -> None:
        self._checks.append(check)
        if check.code is not None or check.layer == "distance":
            self._show_checks()

    def _show_attempt(self, attempt: Attempt) -> None:
        reason = f": {attempt.reason}" if attempt.reason and attempt.outcome is not Outcome.SUCCEEDED else ""
        place = f" in place of {attempt.stands_in_for}" if attempt.stands_in_for else ""
        text = f"{attempt.skill}{place} {attempt.outcome.replace('_', ' ')} after {attempt.robot_seconds:.1f} s{reason}"
        self._line(f"  attempt {attempt.number} ", text, rest=STYLES[attempt.outcome])

    def _advance_clock(self, observation: Observation) -> None:
        self._start_stamp = observation.stamp if self._start_stamp is None else self._start_stamp
        elapsed_text = f"{observation.stamp - self._start_stamp:.0f} s"
        if self._status is not None:
            self._status.update(Text(f"{self._subtask_text}  {elapsed_text}"))
        elif self._clock() - self._last_line_time >= QUIET_SECONDS:
            self._last_line_time = self._clock()
            self._line("  at work   ", f"{self._subtask_text}  {elapsed_text} of robot time", rest="dim")

    def _show_record(self, record: RoundRecord) -> None:
        self.close()
        feedback = record.execution.feedback
        robot_seconds = sum(attempt.robot_seconds for attempt in record.execution.attempts)
        if (skill_seconds := record.timings.get("skill", 0.0)) > robot_seconds > 0.0:
            warning = (
                f"the skill thought for {skill_seconds:.1f} s over {robot_seconds:.1f} s of robot time, "
                "which waited for it"
            )
            self._line("  slow      ", warning, rest="yellow")
        if feedback.ok and record.execution.subtask.action == END.action:
            self._show_end(record.decision)
        else:
            text = "success" if feedback.ok else f"fail {feedback.code}"
            text = ": ".join(filter(None, (text, feedback.words)))
            self._line("  feedback  ", text, rest="green" if feedback.ok else "red")
        self._line("  inventory ", " ".join(record.inventory) or "nothing", rest="dim")

    def _show_end(self, decision: Decision) -> None:
        """Print the planner's answer and report instead of the feedback, which is always success for End."""
        if decision.answer:
            self._line("  answer    ", decision.answer, rest="bold")
        rest_style = {"": "dim", "success": "green"}.get(decision.report, "bold yellow")
        self._line("  report    ", decision.report_in_words, rest=rest_style)

    def close(self) -> None:
        """Remove the running clock from the screen. Idempotent."""
        if self._status is not None:
            self._status.stop()

    def _show_checks(self) -> None:
        """Print the results of the checks before execution, in order. Attempts show that of the execution check."""
        results = "  ".join(f"{check.layer} {check.code or 'ok'}" for check in self._checks)
        self._line("  checks    ", results, rest="red" if self._checks[-1].code else "dim")
        self._checks = []

    def _line(self, head: str, text: str, *, style: str = "dim", rest: str = "") -> None:
        # A Text does not interpret markup in a planner's output, and escape sequences are printed, not executed; soft
        # wrap keeps each line a single line in a log.
        self._console.print(Text.assemble((head, style), (printable(text), rest)), soft_wrap=True)

"""Live progress of an episode on stderr: colours and a running clock on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.status import Status
from rich.text import Text

from homie.kernel.agent import EpisodeListener, EpisodeResult
from homie.kernel.text import counted, printable
from homie.kernel.types import (
    Attempt,
    Check,
    Decision,
    Observation,
    Outcome,
    PlannerInput,
    RoundRecord,
    Subtask,
    in_sight,
)

STYLES = {Outcome.SUCCEEDED: "green", Outcome.FAILED: "red", Outcome.TIMED_OUT: "red", Outcome.RUNNING: ""}

QUIET_SECONDS = 30.0
"""Seconds of wall clock after which a log, which has no running clock, is told that a skill is still at work."""


class ProgressDisplay(EpisodeListener):
    """Writes one line for everything that happens, so that a log of it reads like the screen."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._status: Status | None = None
        self._checks: list[Check] = []
        self._doing: str = ""
        self._began: float | None = None
        self._told: float = clock()

    def started(self, task: str) -> None:
        self._line("task  ", task, style="bold")

    def observed(self, given: PlannerInput, observation: Observation) -> None:
        names = sorted({detection.name for detection in in_sight(given.detections) if not detection.is_room})
        self._line(f"\nround {given.round}", f"  {observation.stamp:.1f} s", style="bold", rest="dim")
        self._line("  sees      ", ", ".join(names) or "nothing it knows", rest="dim")

    def decided(self, round_number: int, decision: Decision) -> None:
        if decision.analysis:
            self._line("  analysis  ", decision.analysis, rest="dim")
        subtasks = " ".join(str(subtask) for subtask in decision.subtasks)
        model = f"  with {decision.model}" if decision.model else ""
        self._line("  decision  ", (subtasks or "none that can be read") + model, rest="bold cyan")

    def executing(self, round_number: int, subtask: Subtask) -> None:
        self._checks = []
        self._began = None
        self._doing = printable(str(subtask))
        self._told = self._clock()
        # Only while a skill runs: a planner may be a person at this terminal.
        if self._console.is_terminal:
            self._status = self._console.status(Text(self._doing))
            self._status.start()
        else:
            self._line("  doing     ", self._doing, rest="dim")

    def checked(self, check: Check) -> None:
        self._checks.append(check)
        if check.code is not None or check.layer == "distance":
            self._tell_checks()

    def attempted(self, attempt: Attempt) -> None:
        why = f": {attempt.reason}" if attempt.reason and attempt.outcome is not Outcome.SUCCEEDED else ""
        place = f" in place of {attempt.stands_in_for}" if attempt.stands_in_for else ""
        done = f"{attempt.skill}{place} {attempt.outcome.replace('_', ' ')} after {attempt.robot_seconds:.1f} s{why}"
        self._line(f"  attempt {attempt.number} ", done, rest=STYLES[attempt.outcome])

    def ticked(self, observation: Observation) -> None:
        self._began = observation.stamp if self._began is None else self._began
        passed = f"{observation.stamp - self._began:.0f} s"
        if self._status is not None:
            self._status.update(Text(f"{self._doing}  {passed}"))
        elif self._clock() - self._told >= QUIET_SECONDS:
            self._told = self._clock()
            self._line("  at work   ", f"{self._doing}  {passed} of robot time", rest="dim")

    def recorded(self, record: RoundRecord) -> None:
        self.close()
        feedback = record.execution.feedback
        moved = sum(attempt.robot_seconds for attempt in record.execution.attempts)
        if (thought := record.timings.get("skill", 0.0)) > moved > 0.0:
            slow = f"the skill thought for {thought:.1f} s over {moved:.1f} s of robot time, which waited for it"
            self._line("  slow      ", slow, rest="yellow")
        said = "success" if feedback.ok else f"fail {feedback.code}: {feedback.message}"
        self._line("  feedback  ", said, rest="green" if feedback.ok else "red")
        self._line("  inventory ", " ".join(record.inventory) or "nothing", rest="dim")

    def finished(self, result: EpisodeResult) -> None:
        how = "The planner ended the task" if result.ended_by == "ended" else "The rounds ran out"
        self._line(
            "\n", f"{how} after {counted(result.rounds, 'round')} and {result.robot_seconds:.1f} s of robot time."
        )

    def close(self) -> None:
        """Take the running clock off the screen. Idempotent."""
        if self._status is not None:
            self._status.stop()

    def _tell_checks(self) -> None:
        """The layers that looked, in their order. The execution check is told by the attempts."""
        said = "  ".join(f"{check.layer} {check.code or 'ok'}" for check in self._checks)
        self._line("  checks    ", said, rest="red" if self._checks[-1].code else "dim")
        self._checks = []

    def _line(self, head: str, text: str, *, style: str = "dim", rest: str = "") -> None:
        # A Text takes no markup from what a planner wrote, and escape sequences are shown, not obeyed; soft wrap keeps
        # one line one line in a log.
        self._console.print(Text.assemble((head, style), (printable(text), rest)), soft_wrap=True)

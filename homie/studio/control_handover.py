"""Handover of control between person and planner: the planner and listener of an operation's episodes, its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.support.text import printable
from homie.kernel.types import Decision, Event, PeriodPassed, PlannerInput, SubtaskStarted


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """State of an operation that is displayed next to the pictures.

    Attributes:
        task: the instruction, "" before an episode was begun.
        in_charge: `person`, or the name of the planner.
        doing: the running subtask, `thinks` while a planner decides, or "".
        stamp: robot time, s.
        recording: the run folder that is being written, None without a recording.
        last: the episode folder of the latest recording.
    """

    task: str
    in_charge: str
    planner: str
    doing: str
    round: int
    inventory: tuple[str, ...]
    stamp: float
    recording: Path | None
    last: Path | None
    actions: tuple[str, ...]
    models: tuple[str, ...]


class OperatorPlanner(Planner):
    """Planner that returns the person's pending decision, or else asks the wrapped planner."""

    name = "operator"

    def __init__(self, planner: Planner, ask: Callable[[Planner, PlannerInput], Decision]) -> None:
        self.planner, self._ask = planner, ask
        self.answer: Decision | None = None

    @property
    def uses_wrist_camera(self) -> bool:  # type: ignore[override]
        return self.planner.uses_wrist_camera

    def reset(self, task: str, *, seed: int) -> None:
        self.planner.reset(task, seed=seed)

    def decide(self, planner_input: PlannerInput) -> Decision:
        answer, self.answer = self.answer, None
        return self._ask(self.planner, planner_input) if answer is None else answer


class Watch(EpisodeListener):
    """Listener that calls back after each control period, where a stop may be raised, and when a subtask starts."""

    def __init__(self, passed: Callable[[], None], doing: Callable[[str], None]) -> None:
        self._passed, self._doing = passed, doing

    def on(self, event: Event) -> None:
        match event:
            case PeriodPassed():
                self._passed()
            case SubtaskStarted(_, subtask):
                self._doing(printable(str(subtask)))

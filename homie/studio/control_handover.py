"""Who is in charge of a robot: the planner and the listener that an operation gives to the loop, and what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.support.text import printable
from homie.kernel.types import Decision, Event, PeriodPassed, PlannerInput, SubtaskStarted


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What there is to show in addition to pictures.

    Attributes:
        task: the instruction, "" while nothing was begun.
        in_charge: `person`, or the name of the planner.
        doing: the subtask that runs, or `thinks`; "" for nothing.
        recording: the run folder that is written, None for none.
        last: the last episode folder that was recorded.
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


class Asked(Planner):
    """Who decides: the person, whose answer waits, or the planner, which is asked."""

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
    """Says when a control period has passed, and lets a stop through; says which subtask runs."""

    def __init__(self, passed: Callable[[], None], doing: Callable[[str], None]) -> None:
        self._passed, self._doing = passed, doing

    def on(self, event: Event) -> None:
        match event:
            case PeriodPassed():
                self._passed()
            case SubtaskStarted(_, subtask):
                self._doing(printable(str(subtask)))

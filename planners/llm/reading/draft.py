"""A parsed answer, before it is compared with the lists of actions and models."""

from __future__ import annotations

from dataclasses import dataclass

from homie.kernel.types import Report, Subtask


@dataclass(frozen=True, slots=True)
class Draft:
    """Subtasks in order; analysis, model, and the report and answer with End, as written, "" for none."""

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""
    report: Report = ""
    answer: str = ""

"""An answer taken apart, before its lists are looked at."""

from __future__ import annotations

from dataclasses import dataclass

from homie.kernel.types import Subtask


@dataclass(frozen=True, slots=True)
class Draft:
    """Subtasks in order; analysis and model as written, "" where there are none."""

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""

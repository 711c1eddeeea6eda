"""A parsed answer, before it is compared with the lists of actions and models."""

from __future__ import annotations

from dataclasses import dataclass

from homie.kernel.types import Subtask


@dataclass(frozen=True, slots=True)
class Draft:
    """Subtasks in order; analysis and model as written, "" for none."""

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""

"""How a language model answers: the formats that templates ask for, and what is said when an answer is not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

AnswerFormat: TypeAlias = Literal["text", "json", "plan"]
"""`text`: Analysis, Subtask, Model (EMMOE, appendix D). `json`: equation 5. `plan`: the JSON of EmbodiedBench."""

_HOW = {
    "text": "Write three lines: 'Analysis: ...', 'Subtask: [action, target]' and 'Model: ...'.",
    "json": 'Write one JSON object and nothing else: {"analysis": "...", '
    '"subtask": {"action": "...", "target": "..."}, "model": "..."}.',
    "plan": 'Write one JSON object and nothing else, with "visual_state_description", "reasoning_and_reflection", '
    '"language_plan" and "executable_plan": [{"action": "...", "target": "..."}].',
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What to expect of an answer: its format, and which counts where a text holds several."""

    answer: AnswerFormat
    block: Literal["first", "last"] = "last"


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer taken apart: subtasks as lists of their parts, in order; analysis and model as written."""

    subtasks: tuple[tuple[str, ...], ...]
    analysis: str = ""
    model: str = ""


class Unreadable(Exception):
    """An answer that is no decision. The message tells the model what is wrong and what to write instead."""


def how(answer: AnswerFormat) -> str:
    """The sentence that says how to answer."""
    return _HOW[answer]

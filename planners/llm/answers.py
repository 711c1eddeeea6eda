"""How a language model answers: the formats that templates ask for, and what is said when an answer is not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

AnswerFormat: TypeAlias = Literal["text", "json", "plan", "ids"]
"""`text`: Analysis, Subtask, Model (EMMOE, appendix D). `json`: equation 5. `plan`: the JSON of EmbodiedBench with
subtasks for steps. `ids`: the same with the numbers of a suite's actions."""
Profile: TypeAlias = Literal["homie", "strict-emmoe"]
"""`homie`: one answer or none. `strict-emmoe`: as the official code reads, of several the last."""

_HOW = {
    "text": "Write three lines: 'Analysis: ...', 'Subtask: [action, target]' and 'Model: ...'.",
    "json": 'Write one JSON object and nothing else: {"analysis": "...", '
    '"subtask": {"action": "...", "target": "..."}, "model": "..."}.',
    "plan": 'Write one JSON object and nothing else, with "visual_state_description", "reasoning_and_reflection", '
    '"language_plan" and "executable_plan": [{"action": "...", "target": "..."}].',
    "ids": 'Write one JSON object and nothing else, with "visual_state_description", "reasoning_and_reflection", '
    '"language_plan" and "executable_plan": [{"action_id": 3, "action_name": "..."}].',
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What to expect of an answer: its format, and by which profile it is read."""

    answer: AnswerFormat
    profile: Profile = "homie"


def how(answer: AnswerFormat) -> str:
    """The sentence that says how to answer."""
    return _HOW[answer]

"""How a language model answers: the formats that templates ask for, and what is said when an answer is not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

AnswerFormat: TypeAlias = Literal["text", "json", "plan", "ids", "poses"]
"""`text`: Analysis, Subtask, Model (EMMOE, appendix D). `json`: equation 5. `plan`: the JSON of EmbodiedBench with
subtasks for steps. `ids`: the same with the numbers of a suite's actions. `poses`: the same with seven numbers for
each step, and an empty plan at the end."""
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
    "poses": 'Write one JSON object and nothing else, with "visual_state_description", "reasoning_and_reflection", '
    '"language_plan" and "executable_plan": [[x, y, z, roll, pitch, yaw, gripper], ...], which is [] if the task is '
    "done.",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What to expect of an answer: its format, and by which profile it is read."""

    answer: AnswerFormat
    profile: Profile = "homie"

    @property
    def has_steps(self) -> bool:
        """Whether subtasks of an answer are the steps of a plan, of which there may be several."""
        return self.answer in ("plan", "poses")


def how(answer: AnswerFormat) -> str:
    """The sentence that says how to answer."""
    return _HOW[answer]

"""Answer formats of language models, and the sentence that explains a format after an invalid answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

AnswerFormat: TypeAlias = Literal["text", "json", "plan", "ids", "poses"]
"""`text`: Analysis, Subtask, Model (EMMOE, appendix D). `json`: equation 5. `plan`: the JSON of EmbodiedBench with
subtasks as steps. `ids`: the same with the numbers of a suite's actions. `poses`: the same with seven numbers for
each step, and an empty plan at the end."""
Profile: TypeAlias = Literal["homie", "strict-emmoe"]
"""`homie`: exactly one answer. `strict-emmoe`: the last of several answers, as the official code parses them."""

_INSTRUCTIONS = {
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
    """Expected form of an answer: its format, and the profile by which it is parsed."""

    answer: AnswerFormat
    profile: Profile = "homie"

    @property
    def has_steps(self) -> bool:
        """Whether an answer is a plan that may have several steps."""
        return self.answer in ("plan", "poses")


def format_instruction(answer: AnswerFormat) -> str:
    """Return the sentence that explains an answer format."""
    return _INSTRUCTIONS[answer]

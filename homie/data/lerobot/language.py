"""Plan, subtask and failure in LeRobot's form: its two language columns, or one string column each.

A stage with frames is a subtask that stays active until the next one (style `subtask`, with the subtask in JSON as a
tool call); its analysis has style `plan`. Feedback about a failure is an event (style `interjection`, by the user) at
the frame at which the planner received it. LeRobot forbids two rows of one style at the same time, so only the failure
is written for stages without frames.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from homie.data.examples.analyses import in_words
from homie.data.lerobot.columns import EVENTS, FAILURE, PERSISTENT, PLAN, SUBTASK, Language
from homie.data.recording.demonstration import Demonstration, Stage
from homie.kernel.types import END

TOOL = "subtask"
_CALLS = pa.list_(
    pa.struct([("type", pa.string()), ("function", pa.struct([("name", pa.string()), ("arguments", pa.string())]))])
)
_TEXT_FIELDS = [("role", pa.string()), ("content", pa.string()), ("style", pa.string())]
_CALL_FIELDS = [("camera", pa.string()), ("tool_calls", _CALLS)]
PERSISTENT_TYPE = pa.list_(pa.struct([*_TEXT_FIELDS, ("timestamp", pa.float32()), *_CALL_FIELDS]))
EVENTS_TYPE = pa.list_(pa.struct([*_TEXT_FIELDS, *_CALL_FIELDS]))


def language_columns(demonstration: Demonstration, language: Language) -> dict[str, pa.Array]:
    """Return the columns of an episode that hold plans, subtasks and feedback."""
    length = len(demonstration)
    spans = list(_spans(demonstration))
    failures = [""] * length
    for stage, _, end in spans:
        if not stage.feedback.ok:
            at = min(end, length - 1)
            failures[at] = " ".join(filter(None, (failures[at], stage.feedback.message)))
    if language == "strings":
        texts = {SUBTASK: [""] * length, PLAN: [""] * length}
        for stage, first, end in spans:
            texts[SUBTASK][first:end] = [in_words(stage.subtask)] * (end - first)
            texts[PLAN][first:end] = [stage.analysis] * (end - first)
        return {name: pa.array(values, pa.string()) for name, values in {**texts, FAILURE: failures}.items()}
    fps = demonstration.layout.fps
    rows = [row for stage, first, end in spans if end > first for row in _rows(stage, first / fps)]
    events = [[_row("user", text, "interjection")] if text else [] for text in failures]
    row_list = pa.array([rows], PERSISTENT_TYPE)
    return {PERSISTENT: row_list.take(pa.array([0] * length)), EVENTS: pa.array(events, EVENTS_TYPE)}


def _spans(demonstration: Demonstration) -> Iterator[tuple[Stage, int, int]]:
    """Yield the stages except End, which has no motion, each with its first frame and the one after its last."""
    moving = [stage for stage in demonstration.stages if stage.subtask.action != END.action]
    for stage, next_stage in zip_longest(moving, moving[1:]):
        yield stage, stage.first, len(demonstration) if next_stage is None else next_stage.first


def _rows(stage: Stage, moment: float) -> Iterator[dict[str, Any]]:
    if stage.analysis:
        yield {**_row("assistant", stage.analysis, PLAN), "timestamp": moment}
    subtask = stage.subtask
    arguments = {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
    call = {"type": "function", "function": {"name": TOOL, "arguments": json.dumps(arguments)}}
    yield {**_row("assistant", in_words(subtask), SUBTASK), "timestamp": moment, "tool_calls": [call]}


def _row(role: str, content: str, style: str) -> dict[str, Any]:
    return {"role": role, "content": content, "style": style, "camera": None, "tool_calls": None}


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": TOOL,
            "description": "Have the robot carry out a subtask.",
            "parameters": {
                "type": "object",
                "properties": {
                    "action": {"type": "string", "description": "What to do, as Go to, Pick, Put, Open or Close."},
                    "target": {"type": "string", "description": "To which object or furniture."},
                    "destination": {"type": "string", "description": "Of a Put: where to."},
                },
                "required": ["action"],
            },
        },
    }
]
"""Description of the subtask tool in `info.json`, for chat templates."""

"""Plan, subtask and failure in the words of LeRobot: its two language columns, or a string column for each.

A stage with frames of its own is a subtask that stays active until the next (style `subtask`, with the JSON subtask as
a tool call), with its analysis as style `plan`. Feedback about a failure is an event (style `interjection`, by the
user) on the frame at which the planner got it. LeRobot wants no two rows of a style at one moment: of stages without
frames only the failure is written.
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
_SAID = [("role", pa.string()), ("content", pa.string()), ("style", pa.string())]
_LAST = [("camera", pa.string()), ("tool_calls", _CALLS)]
PERSISTENT_TYPE = pa.list_(pa.struct([*_SAID, ("timestamp", pa.float32()), *_LAST]))
EVENTS_TYPE = pa.list_(pa.struct([*_SAID, *_LAST]))


def language_columns(demonstration: Demonstration, language: Language) -> dict[str, pa.Array]:
    """The columns of an episode with plans, subtasks and feedback in words."""
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
    interjections = [[_row("user", text, "interjection")] if text else [] for text in failures]
    once = pa.array([rows], PERSISTENT_TYPE)
    return {PERSISTENT: once.take(pa.array([0] * length)), EVENTS: pa.array(interjections, EVENTS_TYPE)}


def _spans(demonstration: Demonstration) -> Iterator[tuple[Stage, int, int]]:
    """The stages but for End, in which nothing is done, each with its first frame and the one after its last."""
    acted = [stage for stage in demonstration.stages if stage.subtask.action != END.action]
    for stage, following in zip_longest(acted, acted[1:]):
        yield stage, stage.first, len(demonstration) if following is None else following.first


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
"""The subtask as `info.json` describes it, so that chat templates can."""

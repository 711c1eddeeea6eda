"""Where the answer is in a reply: text, parts, objects and calls of tools, as APIs and servers that imitate them write.

`content` --read_content--> Content (text, thoughts, refusal)      `tool_calls` --call_text--> text like a tool call
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planners.llm.calls.body_parsing import parse, words

_THOUGHTS = frozenset({"thinking", "reasoning", "reasoning_text", "thought", "redacted_thinking", "summary_text"})
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "function"})
_HOLDERS = ("json", "object", "parsed", "value")
"""Keys of parts that hold an object in the place of a text."""


@dataclass(frozen=True, slots=True)
class Content:
    """What was read.

    Attributes:
        odd: Some of it was an object in the place of a text.
    """

    text: str = ""
    thought: str = ""
    refusal: str = ""
    odd: bool = False


def read_content(value: object) -> Content:
    """The content of a message: a text, a part, a list of parts, or the object of an answer itself."""
    if value is None or isinstance(value, str):
        return Content(value or "")
    if isinstance(value, list | tuple):
        return _joined(map(read_content, value))
    if not isinstance(value, Mapping):
        return Content(json.dumps(value), odd=True)
    kind = str(value.get("type", "")).lower()
    if kind in _THOUGHTS or value.get("thought") is True:
        return Content(thought=words(value))
    if kind in _CALLS:
        return Content(called([value]))
    if kind == "refusal" or (not kind and set(value) == {"refusal"}):
        return Content(refusal=words(value.get("refusal")))
    for key in ("text", *_HOLDERS):
        held = value.get(key)
        if isinstance(held, str):
            return Content(held)
        if isinstance(held, Mapping):
            inner = held.get("value")
            return Content(inner) if isinstance(inner, str) else Content(_dumped(held), odd=True)
    if "content" in value:
        return read_content(value["content"])
    return Content() if kind or not value or set(value) == {"text"} else Content(_dumped(value), odd=True)


def called(calls: object) -> str:
    """Calls of tools as text, a line each: `{"name": ..., "arguments": ...}`, which is read as a tool call is; "" for
    none. Arguments that are not a JSON object stay as they were written."""
    if isinstance(calls, Mapping):
        calls = [calls]
    if not isinstance(calls, list | tuple):
        return ""
    return "\n".join(text for call in calls if isinstance(call, Mapping) and (text := _call_text(call)))


def arguments_of(call: Mapping[str, object]) -> object:
    """The arguments of a call: an object, else the text as it was written."""
    keys = ("arguments", "input", "args", "parameters")
    held = next((call[key] for key in keys if call.get(key) is not None), None)
    if not isinstance(held, str):
        return held if isinstance(held, Mapping) else {}
    try:
        inside = parse(held)
    except ValueError:
        return held
    return inside if isinstance(inside, Mapping) else held


def _call_text(call: Mapping[str, object]) -> str:
    inner = next((held for key in ("function", "custom") if isinstance(held := call.get(key), Mapping)), call)
    name, arguments = words(inner.get("name")), arguments_of(inner)
    if isinstance(arguments, str):
        return arguments
    return _dumped({"name": name, "arguments": arguments}) if name else _dumped(arguments) if arguments else ""


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _joined(contents: Iterable[Content]) -> Content:
    parts = list(contents)
    return Content(
        "".join(part.text for part in parts),
        "\n".join(part.thought for part in parts if part.thought),
        "".join(part.refusal for part in parts),
        any(part.odd for part in parts),
    )

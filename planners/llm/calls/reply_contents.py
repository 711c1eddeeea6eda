"""Extraction of the answer from a reply: text, parts, objects and tool calls, in the variants of APIs and their clones.

`content` --read_content--> Content (text, thoughts, refusal)      `tool_calls` --called--> text like a tool call
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planners.llm.calls.body_parsing import parse, words

_THOUGHTS = frozenset({"thinking", "reasoning", "reasoning_text", "thought", "redacted_thinking", "summary_text"})
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "function"})
_HOLDERS = ("json", "object", "parsed", "value")
"""Keys of parts with an object instead of a text."""


@dataclass(frozen=True, slots=True)
class Content:
    """Parsed content.

    Attributes:
        odd: Whether part of it was an object instead of a text.
    """

    text: str = ""
    thought: str = ""
    refusal: str = ""
    odd: bool = False


def read_content(value: object) -> Content:
    """Parse the content of a message: a text, a part, a list of parts, or the answer as an object."""
    if value is None or isinstance(value, str):
        return Content(value or "")
    if isinstance(value, list | tuple):
        return _join(map(read_content, value))
    if not isinstance(value, Mapping):
        return Content(json.dumps(value), odd=True)
    kind = str(value.get("type", "")).lower()
    if kind in _THOUGHTS or value.get("thought") is True:
        return Content(thought=words(value))
    if kind in _CALLS:
        return Content(calls_as_text([value]))
    if kind == "refusal" or (not kind and set(value) == {"refusal"}):
        return Content(refusal=words(value.get("refusal")))
    for key in ("text", *_HOLDERS):
        content = value.get(key)
        if isinstance(content, str):
            return Content(content)
        if isinstance(content, Mapping):
            inner = content.get("value")
            return Content(inner) if isinstance(inner, str) else Content(_to_json(content), odd=True)
    if "content" in value:
        return read_content(value["content"])
    return Content() if kind or not value or set(value) == {"text"} else Content(_to_json(value), odd=True)


def calls_as_text(calls: object) -> str:
    """Return tool calls as text, a line each, `{"name": ..., "arguments": ...}`, which is parsed like a tool call; ""
    for none. Arguments that are not a JSON object stay as written."""
    if isinstance(calls, Mapping):
        calls = [calls]
    if not isinstance(calls, list | tuple):
        return ""
    return "\n".join(text for call in calls if isinstance(call, Mapping) and (text := _call_text(call)))


def arguments_of(call: Mapping[str, object]) -> object:
    """Return the arguments of a call: an object, else the text as written."""
    keys = ("arguments", "input", "args", "parameters")
    content = next((call[key] for key in keys if call.get(key) is not None), None)
    if not isinstance(content, str):
        return content if isinstance(content, Mapping) else {}
    try:
        inside = parse(content)
    except ValueError:
        return content
    return inside if isinstance(inside, Mapping) else content


def _call_text(call: Mapping[str, object]) -> str:
    inner = next((content for key in ("function", "custom") if isinstance(content := call.get(key), Mapping)), call)
    name, arguments = words(inner.get("name")), arguments_of(inner)
    if isinstance(arguments, str):
        return arguments
    return _to_json({"name": name, "arguments": arguments}) if name else _to_json(arguments) if arguments else ""


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join(contents: Iterable[Content]) -> Content:
    parts = list(contents)
    return Content(
        "".join(part.text for part in parts),
        "\n".join(part.thought for part in parts if part.thought),
        "".join(part.refusal for part in parts),
        any(part.odd for part in parts),
    )

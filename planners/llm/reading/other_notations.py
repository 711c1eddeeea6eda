"""Convert answers in other notations to JSON, for a single parser: XML calls, `\\boxed{}`, YAML.

A notation is converted only if all of it fits; otherwise the text stays unchanged, or the answer is unclear.
"""

from __future__ import annotations

import json
import re
from functools import partial

from planners.llm.reading.rules import Rules, UnclearAnswer

_CALL = re.compile(
    r"<(?P<tag>function|invoke)(?:=|\s+name\s*=\s*)[\"']?(?P<name>[\w .-]{1,40})[\"']?\s*>(?P<body>.*?)</(?P=tag)\s*>",
    re.DOTALL | re.IGNORECASE,
)
"""A call in the form of Qwen3-Coder, `<function=Pick>`, or of prompts for Claude, `<invoke name="Pick">`."""
_CALL_START = re.compile(r"<(?:function|invoke)(?:=|\s+name\s*=)", re.IGNORECASE)
_PARAMETER = re.compile(
    r"\s*<parameter(?:=|\s+name\s*=\s*)[\"']?(?P<name>[\w .-]{1,40})[\"']?\s*>(?P<value>.*?)</parameter\s*>\s*",
    re.DOTALL | re.IGNORECASE,
)
_PAIRS = re.compile(r"<tool_call>\s*(?P<name>[\w .-]{1,40}?)\s*(?P<body><arg_key>.*?)</tool_call>", re.DOTALL)
"""A call in the form of GLM: its name, then alternating keys and values."""
_PAIR = re.compile(r"\s*<arg_key>(?P<name>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>\s*", re.DOTALL)

_BOXED = re.compile(r"(?:\$\$?|\\\[|\\\()?\s*\\boxed\s*\{")
_BOX_END = re.compile(r"\s*(?:\$\$?|\\\]|\\\))")
_TEXT = re.compile(r"\\(?:text|mathrm|texttt)\s*\{([^{}]*)\}")

_LINE = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_][\w ]{0,40}?) ?:(?: +(?P<value>.*))?")
_ANSWER_KEYS = frozenset({"analysis", "subtask", "model"})
_PART_KEYS = frozenset({"action", "target", "destination"})
_SPECIAL = ("|", ">", "&", "*", "!", "%", "@", "`", "- ", "? ")


def replace_xml_calls(text: str, rules: Rules) -> str:
    """Replace XML calls by JSON calls. Raises UnclearAnswer for a call that is not closed or has other content than
    parameters."""
    for call_pattern, parameter_pattern in ((_CALL, _PARAMETER), (_PAIRS, _PAIR)):
        text = call_pattern.sub(partial(_as_json, part=parameter_pattern, rules=rules), text)
    if _CALL_START.search(text):
        raise UnclearAnswer("The call in the answer is not closed.")
    return text


def _as_json(call: re.Match[str], part: re.Pattern[str], rules: Rules) -> str:
    arguments: dict[str, object] = {}
    at, body = 0, call["body"]
    while match := part.match(body, at):
        name = match["name"].strip()
        if name in arguments:
            raise UnclearAnswer(f"The call in the answer has '{name}' twice.")
        arguments[name] = _value(match["value"].strip())
        at = match.end()
    if body[at:].strip():
        raise UnclearAnswer("The call in the answer has more in it than parameters.")
    rules.use("tool-call")
    return "\n" + json.dumps({"name": call["name"].strip(), "arguments": arguments}, ensure_ascii=False) + "\n"


def _value(text: str) -> object:
    """Parse a text that is a JSON object, list or string; return other texts unchanged."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return content if isinstance(content, dict | list | str) else text


def unbox(text: str, rules: Rules) -> str:
    """Replace `\\boxed{...}` by its content. Raises UnclearAnswer for a box that is not closed."""
    while match := _BOXED.search(text):
        end = _closing(text, match.end())
        if end < 0:
            raise UnclearAnswer("The box of the answer is not closed.")
        rules.use("wrapper")
        inside = _TEXT.sub(r"\1", text[match.end() : end]).replace("\\{", "{").replace("\\}", "}").replace("\\_", "_")
        trailing = _BOX_END.match(text, end + 1)
        text = f"{text[: match.start()]}\n{inside}\n{text[trailing.end() if trailing else end + 1 :]}"
    return text


def _closing(text: str, start: int) -> int:
    """Return the index of the brace that closes one before `start`, ignoring braces in JSON strings; -1 for none."""
    depth, quoted, at = 1, False, start
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text) and (quoted or text[at + 1] in "{}\\"):
            at += 2
            continue
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return at
        at += 1
    return -1


def yaml_as_json(text: str) -> str:
    """Convert a YAML answer to JSON: `analysis`, `subtask` with its parts below it, `model`, a line each, or only the
    parts of a subtask. "" for any other text."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines() if line.strip() and line.strip() != "---"]
    answer: dict[str, object] = {}
    parts: dict[str, object] | None = None
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            return ""
        key, value = match["key"].lower(), (match["value"] or "").strip()
        inside = bool(match["indent"]) and parts is not None
        content = parts if inside and parts is not None else answer
        allowed_keys = _PART_KEYS if inside else _ANSWER_KEYS | _PART_KEYS
        if key not in allowed_keys or key in content or value.startswith(_SPECIAL) or (match["indent"] and not inside):
            return ""
        if key == "subtask" and not value:
            parts = {}
            answer[key] = parts
            continue
        content[key] = _scalar(value)
    return json.dumps(answer, ensure_ascii=False) if _is_answer(answer) else ""


def _scalar(value: str) -> object:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if value.startswith(('"', "{", "[")):
        return _value(value)
    return None if value in ("", "~", "null", "None") else value


def _is_answer(answer: dict[str, object]) -> bool:
    """Return whether there is one subtask with an action."""
    subtask = answer.get("subtask")
    has_parts = any(key in answer for key in _PART_KEYS)
    if "subtask" in answer:
        return isinstance(subtask, dict) and bool(subtask.get("action")) and not has_parts
    return bool(answer.get("action"))

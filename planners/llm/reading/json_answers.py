"""Decisions in JSON: equation 5 of EMMOE, the plans of EmbodiedBench, and the variants that models write.

An object is parsed key by key. An unknown key that could carry meaning makes the answer unclear, and the message names
it; such a key is never dropped or replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from homie.kernel.pose_action import MOVE
from homie.kernel.types import END, REPORTS, Subtask
from planners.llm.answer_formats import Layout
from planners.llm.reading.draft import Draft
from planners.llm.reading.loose_json import BrokenObject, Members, Value, plain_key
from planners.llm.reading.rules import Rules, UnclearAnswer
from planners.llm.reading.subtasks import (
    DECORATION,
    Lists,
    check_name,
    is_nothing,
    match_action,
    subtask_of,
    text_subtask,
)

_PLANS = ("executable_plan", "subtasks")
_HOLDERS = (*_PLANS, "subtask")
"""Keys that hold subtasks."""
_SPELLINGS: Mapping[str, str] = {
    "sub_task": "subtask",
    "next_subtask": "subtask",
    "next_sub_task": "subtask",
    "current_subtask": "subtask",
    "sub_tasks": "subtasks",
    "executable_plans": "executable_plan",
    "executableplan": "executable_plan",
    "chosen_model": "model",
    "model_name": "model",
    "selected_model": "model",
    "reasoning": "analysis",
    "thought": "analysis",
    "thoughts": "analysis",
    "explanation": "analysis",
    "rationale": "analysis",
    "analyses": "analysis",
}
_TEXT_KEYS = ("analysis", "visual_state_description", "reasoning_and_reflection", "language_plan")
_REMARKS = frozenset(
    (
        *_TEXT_KEYS,
        "reason",
        "why",
        "description",
        "comment",
        "note",
        "confidence",
        "step",
        "step_number",
        "id",
        "index",
        "number",
    )
)
"""Keys in or next to a subtask that do not change its meaning."""
_PARTS = ("action", "target", "destination")
_ARGUMENTS = (*_PARTS, "action_name", "place", "location", "to", "receptacle", "object", "item", "from", "where")
"""Keys of the parts of a subtask, which must not be ignored next to one."""
_END_KEYS = ("report", "answer")
"""Keys of the report and answer with End, in the subtask or next to it."""
_WRAPPERS = ("answer", "response", "output", "decision", "result", "final_answer", "final", "json")
_CALL_ARGUMENTS = ("arguments", "parameters", "input", "args")
_CALL_NAMES = ("name", "tool_name", "function", "tool", "function_name")
_NUMBERS = re.compile(r"\[\s*[-+\d.eE]+(\s*,\s*[-+\d.eE]+)*\s*\]")


def is_decision(value: Value | BrokenObject, *, bare: bool) -> bool:
    """Return whether a value is a decision, or the broken beginning of one.

    Args:
        value: A JSON value.
        bare: Whether subtasks without an object around them count.
    """
    if isinstance(value, BrokenObject):
        return not value.keys.isdisjoint((*_HOLDERS, *_TEXT_KEYS, *_SPELLINGS, "action", "action_name"))
    try:
        inner = unwrap(value, Lists(), Rules())
    except UnclearAnswer:
        return True
    if isinstance(inner, list):
        return bare and bool(inner) and all(isinstance(step, Members) and _has_action(step) for step in inner)
    if not isinstance(inner, Members):
        return False
    return any(_values(inner, key) for key in _HOLDERS) or (bare and _has_action(inner) and not inner.cut)


def is_step(value: Value | BrokenObject) -> bool:
    """Return whether a value is a single subtask without an object around it."""
    return isinstance(value, Members) and _has_action(value) and not any(_values(value, key) for key in _HOLDERS)


def draft_of(value: Value, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """Parse the draft in a JSON value. Raises UnclearAnswer."""
    value = unwrap(value, lists, rules)
    if isinstance(value, Members):
        return _draft_with_ending(value, layout, lists, rules)
    if isinstance(value, list):
        return Draft(_steps(value, layout, lists, rules))
    raise UnclearAnswer("The answer is not an object.")


def _draft_with_ending(value: Members, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """Parse an object, with the report and answer of End in the subtask or next to it."""
    texts_by_key: dict[str, str] = {}
    content = _only(value, "subtask")
    inside = content if isinstance(content, Members) else None
    for key in _END_KEYS:
        texts = [text for part in (value, inside) if part is not None and (text := _end_text(part, key))]
        if texts and any(text != texts[0] for text in texts):
            raise UnclearAnswer(f"'{key}' is written twice with different values.")
        texts_by_key |= {key: texts[0]} if texts else {}
    if inside is not None:
        value = Members(tuple((k, _without_end_keys(inside) if v is inside else v) for k, v in value.pairs), value.cut)
    draft = _draft_of_object(_without_end_keys(value), layout, lists, rules)
    if not texts_by_key:
        return draft
    if draft.subtasks[-1].action != END.action:
        raise UnclearAnswer(f"'{next(iter(texts_by_key))}' belongs to End, and the subtask is another one.")
    report = texts_by_key.get("report", "").lower()
    if report not in REPORTS:
        raise UnclearAnswer(f"'report' is one of {', '.join(name for name in REPORTS if name)}.")
    return replace(
        draft, report=next(name for name in REPORTS if name == report), answer=texts_by_key.get("answer", "")
    )


def _end_text(value: Members, key: str) -> str:
    """Return the text of a key; `none` is an answer, unlike for the parts of a subtask. Raises UnclearAnswer for a
    value that is not a text."""
    content = _only(value, key)
    if content is not None and not isinstance(content, str):
        raise UnclearAnswer(f"'{key}' must be text in quotes.")
    return " ".join((content or "").split())


def _without_end_keys(value: Members) -> Members:
    """Return an object without the report and answer of End."""
    return Members(tuple(pair for pair in value.pairs if _key(pair[0]) not in _END_KEYS), value.cut)


def _draft_of_object(value: Members, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """Parse an object without a report or an answer."""
    if value.cut:
        rules.use("missing-brace")
    _record_spelling(value, rules)
    holders = [key for key in _HOLDERS if _values(value, key)]
    if len(holders) > 1:
        raise UnclearAnswer(f"The answer has both '{holders[0]}' and '{holders[1]}'.")
    analysis = "\n".join(
        text.strip() for key in _TEXT_KEYS for text in _values(value, key)[:1] if isinstance(text, str)
    )
    if not holders:
        model = _model(value, lists, rules)
        return Draft((_step(value, lists, rules, sibling_keys=_TEXT_KEYS),), analysis, model)
    if stray_key := next((key for key, _ in _pairs(value) if key in _ARGUMENTS), ""):
        raise UnclearAnswer(f"The answer has both '{holders[0]}' and '{stray_key}' beside it.")
    content = _only(value, holders[0])
    is_plan = isinstance(content, list) and not (holders[0] == "subtask" and _is_parts(content, lists))
    steps = (
        _steps(content, layout, lists, rules)
        if is_plan and isinstance(content, list)
        else (_step(content, lists, rules),)
    )
    if layout.has_steps and holders[0] == "subtask":
        rules.use("other-form")
    return Draft(steps, analysis, _model(value, lists, rules) or _model_of_steps(content, lists, rules))


# ---------------------------------------------------------------- wrappers


def unwrap(value: Value, lists: Lists, rules: Rules) -> Value:
    """Remove lists, objects and tool calls around the answer."""
    for _ in range(4):  # the deepest known nesting: tool_calls, function, arguments, answer
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Members):
            inner: Value = value[0]
            rule = "list"
        elif isinstance(value, Members) and not any(
            _values(value, key) for key in (*_HOLDERS, "action", "action_name")
        ):
            inner, rule = _call(value, lists)
            if not rule:
                inner, rule = _unwrap_key(value)
        else:
            return value
        if not rule or inner is None:
            return value
        rules.use(rule)
        value = inner
    return value


def _call(value: Members, lists: Lists) -> tuple[Value, str]:
    """Return the arguments of a tool call and the leniency; the subtask if the tool is named after an action."""
    for key in ("tool_calls", "tool_call", "function_call", "function"):
        content = _only(value, key)
        if isinstance(content, Members | list):
            return content, "tool-call"
    key = next((candidate for candidate in _CALL_ARGUMENTS if _values(value, candidate)), "")
    name = next((_only(value, candidate) for candidate in _CALL_NAMES if _values(value, candidate)), None)
    if not key or not isinstance(name, str):
        return None, ""
    arguments = _object(_only(value, key))
    if arguments is None:
        return None, ""
    if is_decision(arguments, bare=False) or (_has_action(arguments) and match_action(name, lists, Rules()) is None):
        return arguments, "tool-call"
    return Members((("action", name), *arguments.pairs)), "tool-call"


def _unwrap_key(value: Members) -> tuple[Value, str]:
    keys = [key for key in _WRAPPERS if _values(value, key)]
    if len(keys) != 1 or any(key not in (*_REMARKS, "model", keys[0]) for key, _ in _pairs(value)):
        return None, ""
    inner = _only(value, keys[0])
    content = _object(inner) or (inner if isinstance(inner, list) else None)
    if isinstance(content, Members):  # the keys next to it belong to the answer
        other_pairs = tuple(pair for pair in value.pairs if _key(pair[0]) != keys[0])
        return Members((*other_pairs, *content.pairs), value.cut), "wrapper"
    return content, "wrapper" if content is not None else ""


def _object(value: Value) -> Members | None:
    """Return an object, parsing it if it is a JSON text; None for other values."""
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=lambda pairs: Members(tuple(pairs)))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Members) else None


# ---------------------------------------------------------------- subtasks


def _steps(values: Sequence[Value], layout: Layout, lists: Lists, rules: Rules) -> tuple[Subtask, ...]:
    """Parse the subtasks of a list: several if a plan was requested, otherwise one."""
    if not values and layout.answer == "poses":
        return (END,)
    if not values:
        raise UnclearAnswer("The plan is empty: write at least one step, or End if the task is done.")
    if _is_parts(values, lists):
        rules.use("list")
        return (_step(list(values), lists, rules),)
    if not layout.has_steps:
        if len(values) > 1:
            raise UnclearAnswer(f"The answer has {len(values)} subtasks, and one is asked for.")
        rules.use("list")
    subtasks = []
    for number, value in enumerate(values, 1):
        try:
            subtasks.append(_step(value, lists, rules))
        except UnclearAnswer as error:
            raise UnclearAnswer(f"Step {number} of the plan: {error}" if len(values) > 1 else str(error)) from error
    return tuple(subtasks)


def _is_parts(values: Sequence[Value], lists: Lists) -> bool:
    """Return whether a list has the parts of a single subtask: an action followed by names."""
    words = [value for value in values if isinstance(value, str)]
    if not words or len(words) < len(values) or any(mark in word for word in words for mark in ",[]"):
        return False
    first, *remaining = words
    recognized = match_action(first, lists, Rules()) is not None
    return recognized and all(match_action(word, lists, Rules()) is None for word in remaining) and (len(words) > 1)


def _step(value: Value, lists: Lists, rules: Rules, *, sibling_keys: Sequence[str] = ()) -> Subtask:
    """Parse one subtask. Raises UnclearAnswer.

    Args:
        value: A JSON value.
        lists: The listed actions and models.
        rules: Records the leniencies used.
        sibling_keys: Keys that belong to the surrounding answer.
    """
    if numbers := _numbers(_only(value, "action") if isinstance(value, Members) else value, lists):
        return Subtask(MOVE, numbers)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        rules.use("list")
        return _step(value[0], lists, rules)
    if isinstance(value, list):
        words = [part for part in value if isinstance(part, str)]
        if len(words) < len(value) or any(mark in word for word in words for mark in ",[]"):
            raise UnclearAnswer("A subtask is one action with its target, not a list of subtasks.")
        rules.use("list")
        return subtask_of(words, lists, rules)
    if isinstance(value, str):
        rules.use("text-subtask")
        return text_subtask(value, lists, rules)
    if not isinstance(value, Members):
        raise UnclearAnswer("A subtask must be an object with 'action' and 'target'.")
    return _subtask_of_members(value, lists, rules, sibling_keys)


def _subtask_of_members(value: Members, lists: Lists, rules: Rules, sibling_keys: Sequence[str]) -> Subtask:
    _record_spelling(value, rules)
    named = bool(_values(value, "action_name"))
    if named and _values(value, "action"):
        raise UnclearAnswer("A subtask has both 'action' and 'action_name'.")
    for key, inner in _pairs(value):
        recognized = key in (*_PARTS, "model", *sibling_keys) or (named and key in ("action_name", "action_id"))
        if key in _PARTS and (inner is None or (isinstance(inner, str) and is_nothing(inner.strip()))):
            rules.use("empty-parts")
        if recognized or inner is None:
            continue
        if key not in _REMARKS:
            raise UnclearAnswer(f"A subtask has no '{key}': it has 'action', 'target' and, for Put, 'destination'.")
        rules.use("remark")
    action = _text(value, "action_name" if named else "action")
    if named:
        rules.use("action-name")
    if not action:
        raise UnclearAnswer("A subtask has no 'action'.")
    if action.casefold() == MOVE.casefold() and (numbers := _numbers(_only(value, "target"), lists)):
        return Subtask(MOVE, numbers)
    target, destination = _text(value, "target"), _text(value, "destination")
    if destination and not target:
        raise UnclearAnswer("A subtask has a 'destination' but no 'target'.")
    if not target and (any(mark in action for mark in ",[(") or named):
        if not named:
            rules.use("text-subtask")
        return text_subtask(action, lists, rules)
    for name in (target, destination):
        if name:
            check_name(name)
    return subtask_of([part for part in (action, target, destination) if part], lists, rules)


def _numbers(value: Value, lists: Lists) -> str:
    """Return a list of numbers, or its JSON text, as text: `[54, 90, 49, 0, 60, 90, 1]`. "" for anything else."""
    if MOVE not in lists.actions:
        return ""
    if isinstance(value, list) and value and all(type(number) in (int, float) for number in value):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, str) and _NUMBERS.fullmatch(value.strip()):
        return " ".join(value.split())
    return ""


# ---------------------------------------------------------------- models


def _model(value: Members, lists: Lists, rules: Rules) -> str:
    """Return the model as written, "" for none."""
    content = _only(value, "model")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], str):
        rules.use("model-form")
        content = content[0]
    if isinstance(content, str) or content is None:
        return "" if content is None or is_nothing(content.strip()) else content
    if len(lists.models) > 1:
        raise UnclearAnswer("'model' must be text in quotes.")
    rules.use("model-form")
    return ""


def _model_of_steps(content: Value, lists: Lists, rules: Rules) -> str:
    """Return the model named inside the subtasks. Raises UnclearAnswer if they name different models."""
    inside = [
        _model(item, lists, rules)
        for item in (content if isinstance(content, list) else [content])
        if isinstance(item, Members)
    ]
    named = {item for item in inside if item}
    if len(named) > 1:
        raise UnclearAnswer("The steps name different models, and a plan has one.")
    if named:
        rules.use("remark")
    return next(iter(named), "")


# ---------------------------------------------------------------- keys


def _key(name: str) -> str:
    normalised = plain_key(name)
    return _SPELLINGS.get(normalised, normalised)


def _pairs(value: Members) -> list[tuple[str, Value]]:
    return [(_key(name), inner) for name, inner in value.pairs]


def _record_spelling(value: Members, rules: Rules) -> None:
    """Record alternative spellings of keys."""
    recognized = {*_HOLDERS, *_TEXT_KEYS, *_PARTS, "model"}
    if any(_key(name) in recognized and _key(name) != name for name, _ in value.pairs):
        rules.use("key-spelling")


def _values(value: Members, key: str) -> list[Value]:
    """Return the distinct values of a key in any spelling, at most two; null does not count."""
    values: list[Value] = []
    for name, inner in value.pairs:
        if len(values) < 2 and _key(name) == key and inner is not None and inner not in values:
            values.append(inner)
    return values


def _has_action(value: Members) -> bool:
    return bool(_values(value, "action") or _values(value, "action_name"))


def _text(value: Members, key: str) -> str:
    """Return the text of a key, "" if the key is missing. Raises UnclearAnswer for any other value."""
    content = _only(value, key)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise UnclearAnswer(f"'{key}' must be text in quotes.")
    text = " ".join(content.split()).strip(DECORATION)
    return "" if is_nothing(text) else text


def _only(value: Members, key: str) -> Value:
    values = _values(value, key)
    if len(values) > 1:
        raise UnclearAnswer(f"'{key}' is written twice with different values.")
    return values[0] if values else None

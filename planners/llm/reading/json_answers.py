"""Decisions in JSON: equation 5 of EMMOE, the plans of EmbodiedBench, and what models make of them.

An object is taken apart key by key. A key that an answer does not have is named and asked again where it could have
meant something; it is never dropped, and nothing is put in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from homie.kernel.types import Subtask
from planners.llm.answers import Layout
from planners.llm.reading.draft import Draft
from planners.llm.reading.loose_json import Broken, Members, Value, plain_key
from planners.llm.reading.rules import Rules, Unclear
from planners.llm.reading.subtasks import (
    DECORATION,
    MOVE,
    Lists,
    check_name,
    is_nothing,
    named_action,
    subtask_of,
    text_subtask,
)

_PLANS = ("executable_plan", "subtasks")
_HOLDERS = (*_PLANS, "subtask")
"""Keys that hold what is to be done."""
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
_SAID = ("analysis", "visual_state_description", "reasoning_and_reflection", "language_plan")
_REMARKS = frozenset(
    (
        *_SAID,
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
"""What may stand in or beside a subtask without saying what is to be done."""
_PARTS = ("action", "target", "destination")
_ARGUMENTS = (*_PARTS, "action_name", "place", "location", "to", "receptacle", "object", "item", "from", "where")
"""Keys that say something of a subtask, and so are none to leave out beside one."""
_WRAPPERS = ("answer", "response", "output", "decision", "result", "final_answer", "final", "json")
_CALLED = ("arguments", "parameters", "input", "args")
_CALLS = ("name", "tool_name", "function", "tool", "function_name")
_NUMBERS = re.compile(r"\[\s*[-+\d.eE]+(\s*,\s*[-+\d.eE]+)*\s*\]")
ANY = Rules()
"""For a look at an answer that records nothing."""


def speaks(value: Value | Broken, *, bare: bool) -> bool:
    """Whether it tells what to do, or broke before it could. `bare`: subtasks without an object around them count."""
    if isinstance(value, Broken):
        return not value.keys.isdisjoint((*_HOLDERS, *_SAID, *_SPELLINGS, "action", "action_name"))
    try:
        inner = _unwrapped(value, Lists(), Rules())
    except Unclear:
        return True
    if isinstance(inner, list):
        return bare and bool(inner) and all(isinstance(step, Members) and _acts(step) for step in inner)
    if not isinstance(inner, Members):
        return False
    return any(_all(inner, key) for key in _HOLDERS) or (bare and _acts(inner) and not inner.cut)


def is_step(value: Value | Broken) -> bool:
    """Whether it is one subtask without an object around it."""
    return isinstance(value, Members) and _acts(value) and not any(_all(value, key) for key in _HOLDERS)


def draft_of(value: Value, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """What a JSON value says. Raises Unclear."""
    value = _unwrapped(value, lists, rules)
    if isinstance(value, list):
        return Draft(_steps(value, layout, lists, rules))
    if not isinstance(value, Members):
        raise Unclear("The answer is no object.")
    if value.cut:
        rules.use("missing-brace")
    _note_spelling(value, rules)
    holders = [key for key in _HOLDERS if _all(value, key)]
    if len(holders) > 1:
        raise Unclear(f"The answer has both '{holders[0]}' and '{holders[1]}'.")
    said = "\n".join(text.strip() for key in _SAID for text in _all(value, key)[:1] if isinstance(text, str))
    if not holders:
        model = _model(value, lists, rules)
        return Draft((_step(value, lists, rules, beside=_SAID),), said, model)
    if beside := next((key for key, _ in _pairs(value) if key in _ARGUMENTS), ""):
        raise Unclear(f"The answer has both '{holders[0]}' and '{beside}' beside it.")
    held = _only(value, holders[0])
    several = isinstance(held, list) and not (holders[0] == "subtask" and _is_parts(held, lists))
    steps = _steps(held, layout, lists, rules) if several and isinstance(held, list) else (_step(held, lists, rules),)
    if layout.answer == "plan" and holders[0] == "subtask":
        rules.use("other-form")
    return Draft(steps, said, _model(value, lists, rules) or _model_within(held, lists, rules))


# ---------------------------------------------------------------- around an answer


def _unwrapped(value: Value, lists: Lists, rules: Rules) -> Value:
    """Without lists, objects and tool calls around the answer."""
    for _ in range(4):  # as deep as anybody wraps an answer: tool_calls, function, arguments, answer
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Members):
            inner: Value = value[0]
            rule = "list"
        elif isinstance(value, Members) and not any(_all(value, key) for key in (*_HOLDERS, "action", "action_name")):
            inner, rule = _call(value, lists)
            if not rule:
                inner, rule = _wrapped(value)
        else:
            return value
        if not rule or inner is None:
            return value
        rules.use(rule)
        value = inner
    return value


def _call(value: Members, lists: Lists) -> tuple[Value, str]:
    """What a tool is called with; where the name is that of an action, the subtask that it makes."""
    for key in ("tool_calls", "tool_call", "function_call", "function"):
        held = _only(value, key)
        if isinstance(held, Members | list):
            return held, "tool-call"
    key = next((one for one in _CALLED if _all(value, one)), "")
    name = next((_only(value, one) for one in _CALLS if _all(value, one)), None)
    if not key or not isinstance(name, str):
        return None, ""
    arguments = _object(_only(value, key))
    if arguments is None:
        return None, ""
    if speaks(arguments, bare=False) or (_acts(arguments) and named_action(name, lists, Rules()) is None):
        return arguments, "tool-call"
    return Members((("action", name), *arguments.pairs)), "tool-call"


def _wrapped(value: Members) -> tuple[Value, str]:
    keys = [key for key in _WRAPPERS if _all(value, key)]
    if len(keys) != 1 or any(key not in (*_REMARKS, "model", keys[0]) for key, _ in _pairs(value)):
        return None, ""
    inner = _only(value, keys[0])
    held = _object(inner) or (inner if isinstance(inner, list) else None)
    if isinstance(held, Members):  # what stands beside it belongs to the answer
        rest = tuple(pair for pair in value.pairs if _key(pair[0]) != keys[0])
        return Members((*rest, *held.pairs), value.cut), "wrapper"
    return held, "wrapper" if held is not None else ""


def _object(value: Value) -> Members | None:
    """An object, or the text of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=lambda pairs: Members(tuple(pairs)))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Members) else None


# ---------------------------------------------------------------- subtasks


def _steps(values: Sequence[Value], layout: Layout, lists: Lists, rules: Rules) -> tuple[Subtask, ...]:
    """The subtasks of a list: a plan where plans are asked for, else one."""
    if not values:
        raise Unclear("The plan is empty: write at least one step, or End if the task is done.")
    if _is_parts(values, lists):
        rules.use("list")
        return (_step(list(values), lists, rules),)
    if layout.answer != "plan":
        if len(values) > 1:
            raise Unclear(f"The answer has {len(values)} subtasks, and one is asked for.")
        rules.use("list")
    made = []
    for number, value in enumerate(values, 1):
        try:
            made.append(_step(value, lists, rules))
        except Unclear as error:
            raise Unclear(f"Step {number} of the plan: {error}" if len(values) > 1 else str(error)) from error
    return tuple(made)


def _is_parts(values: Sequence[Value], lists: Lists) -> bool:
    """Whether a list begins with an action and goes on with words: the parts of one subtask, not several."""
    words = [value for value in values if isinstance(value, str)]
    if not words or len(words) < len(values) or any(mark in word for word in words for mark in ",[]"):
        return False
    first, *others = words
    known = named_action(first, lists, Rules()) is not None
    return known and all(named_action(word, lists, Rules()) is None for word in others) and (len(words) > 1)


def _step(value: Value, lists: Lists, rules: Rules, *, beside: Sequence[str] = ()) -> Subtask:
    """One subtask. beside: keys that belong to the answer around it. Raises Unclear."""
    if numbers := _numbers(_only(value, "action") if isinstance(value, Members) else value, lists):
        return Subtask(MOVE, numbers)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        rules.use("list")
        return _step(value[0], lists, rules)
    if isinstance(value, list):
        words = [part for part in value if isinstance(part, str)]
        if len(words) < len(value) or any(mark in word for word in words for mark in ",[]"):
            raise Unclear("A subtask is one action with its target, not a list of subtasks.")
        rules.use("list")
        return subtask_of(words, lists, rules)
    if isinstance(value, str):
        rules.use("text-subtask")
        return text_subtask(value, lists, rules)
    if not isinstance(value, Members):
        raise Unclear("A subtask must be an object with 'action' and 'target'.")
    return _of_members(value, lists, rules, beside)


def _of_members(value: Members, lists: Lists, rules: Rules, beside: Sequence[str]) -> Subtask:
    _note_spelling(value, rules)
    named = bool(_all(value, "action_name"))
    if named and _all(value, "action"):
        raise Unclear("A subtask has both 'action' and 'action_name'.")
    for key, inner in _pairs(value):
        known = key in (*_PARTS, "model", *beside) or (named and key in ("action_name", "action_id"))
        if key in _PARTS and (inner is None or (isinstance(inner, str) and is_nothing(inner.strip()))):
            rules.use("empty-parts")
        if known or inner is None:
            continue
        if key not in _REMARKS:
            raise Unclear(f"A subtask has no '{key}': it has 'action', 'target' and, for Put, 'destination'.")
        rules.use("remark")
    action = _text(value, "action_name" if named else "action")
    if named:
        rules.use("action-name")
    if not action:
        raise Unclear("A subtask has no 'action'.")
    if action.casefold() == MOVE.casefold() and (numbers := _numbers(_only(value, "target"), lists)):
        return Subtask(MOVE, numbers)
    target, destination = _text(value, "target"), _text(value, "destination")
    if destination and not target:
        raise Unclear("A subtask has a 'destination' but no 'target'.")
    if not target and (any(mark in action for mark in ",[(") or named):
        if not named:
            rules.use("text-subtask")
        return text_subtask(action, lists, rules)
    for name in (target, destination):
        if name:
            check_name(name)
    return subtask_of([part for part in (action, target, destination) if part], lists, rules)


def _numbers(value: Value, lists: Lists) -> str:
    """Numbers in a list, or a text of such a list, as text: `[54, 90, 49, 0, 60, 90, 1]`. "" for anything else."""
    if MOVE not in lists.actions:
        return ""
    if isinstance(value, list) and value and all(type(one) in (int, float) for one in value):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, str) and _NUMBERS.fullmatch(value.strip()):
        return " ".join(value.split())
    return ""


# ---------------------------------------------------------------- models


def _model(value: Members, lists: Lists, rules: Rules) -> str:
    """The model as it was written, "" for none."""
    held = _only(value, "model")
    if isinstance(held, list) and len(held) == 1 and isinstance(held[0], str):
        rules.use("model-form")
        held = held[0]
    if isinstance(held, str) or held is None:
        return "" if held is None or is_nothing(held.strip()) else held
    if len(lists.models) > 1:
        raise Unclear("'model' must be text in quotes.")
    rules.use("model-form")
    return ""


def _model_within(held: Value, lists: Lists, rules: Rules) -> str:
    """The model that stands inside the subtasks, the same in all of them. Raises Unclear where they differ."""
    inside = [
        _model(one, lists, rules) for one in (held if isinstance(held, list) else [held]) if isinstance(one, Members)
    ]
    named = {one for one in inside if one}
    if len(named) > 1:
        raise Unclear("The steps name different models, and a plan has one.")
    if named:
        rules.use("remark")
    return next(iter(named), "")


# ---------------------------------------------------------------- keys


def _key(name: str) -> str:
    plain = plain_key(name)
    return _SPELLINGS.get(plain, plain)


def _pairs(value: Members) -> list[tuple[str, Value]]:
    return [(_key(name), inner) for name, inner in value.pairs]


def _note_spelling(value: Members, rules: Rules) -> None:
    """Keys of answers and subtasks that are spelt otherwise."""
    known = {*_HOLDERS, *_SAID, *_PARTS, "model"}
    if any(_key(name) in known and _key(name) != name for name, _ in value.pairs):
        rules.use("key-spelling")


def _all(value: Members, key: str) -> list[Value]:
    """The different values of a key, at most two, however it is spelt; null is none."""
    found: list[Value] = []
    for name, inner in value.pairs:
        if len(found) < 2 and _key(name) == key and inner is not None and inner not in found:
            found.append(inner)
    return found


def _acts(value: Members) -> bool:
    return bool(_all(value, "action") or _all(value, "action_name"))


def _text(value: Members, key: str) -> str:
    """The text of a key, "" where it is not there. Raises Unclear for anything but one text."""
    held = _only(value, key)
    if held is None:
        return ""
    if not isinstance(held, str):
        raise Unclear(f"'{key}' must be text in quotes.")
    text = " ".join(held.split()).strip(DECORATION)
    return "" if is_nothing(text) else text


def _only(value: Members, key: str) -> Value:
    values = _all(value, key)
    if len(values) > 1:
        raise Unclear(f"'{key}' is written twice with different values.")
    return values[0] if values else None

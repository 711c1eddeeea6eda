"""Decisions in JSON: equation 5 of EMMOE, the plans of EmbodiedBench, and what models make of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from homie.errors import BadInput
from planners.answers import Draft, Layout, Unreadable, how
from planners.loose_json import Broken, Members, Value, find_json
from planners.parsing import make_subtask, parse_subtask

_LISTS = ("executable_plan", "subtasks")
_HOLDERS = (*_LISTS, "subtask")
"""Keys that hold what is to be done."""
_SAID = ("analysis", "visual_state_description", "reasoning_and_reflection", "language_plan")
MOVE = "Move"
"""The action whose target is a list of numbers. EmbodiedBench's plans for an arm leave its name out."""
_NUMBERS = re.compile(r"\[\s*[-+\d.eE]+(\s*,\s*[-+\d.eE]+)*\s*\]")
_NOTHING = frozenset(("", "none", "null", "n/a"))
"""How models fill in a target that an action does not have."""


def draft_from_json(text: str, layout: Layout, actions: Sequence[str]) -> Draft | None:
    """The decision in the first or last JSON of a text; None if it has none that speaks of subtasks.

    Raises Unreadable for one that is broken or that can be read in two ways.
    """
    found = find_json(text)
    broken = any(isinstance(one, Broken) for one in found)
    spoken = [one for one in found if _speaks(one, bare=not broken)]
    if not spoken:
        return None
    chosen = spoken[0 if layout.block == "first" else -1]
    if isinstance(chosen, Broken):
        if layout.answer == "text":
            return None
        raise Unreadable(f"The JSON of the answer is broken: {chosen}. {how(layout.answer)}")
    try:
        return _draft(chosen, actions)
    except BadInput as error:
        raise Unreadable(f"{error} {how(layout.answer)}") from error


def _speaks(one: Members | list[Value] | Broken, *, bare: bool) -> bool:
    """Whether it tells what to do, or broke before it could. `bare`: subtasks without an object around them count."""
    if isinstance(one, Broken):
        return not one.keys.isdisjoint((*_HOLDERS, *_SAID, "action"))
    if isinstance(one, list):
        return bare and bool(one) and all(isinstance(step, Members) and step.all("action") for step in one)
    return any(one.all(key) for key in _HOLDERS) or (bare and bool(one.all("action")) and not one.cut)


def _draft(one: Members | list[Value], actions: Sequence[str]) -> Draft:
    if isinstance(one, list):
        return Draft(_steps(one, actions))
    holders = [key for key in _HOLDERS if one.all(key)]
    if len(holders) > 1:
        raise BadInput(f"The answer has both '{holders[0]}' and '{holders[1]}'.")
    said = "\n".join(text.strip() for key in _SAID for text in one.all(key)[:1] if isinstance(text, str))
    model = _text(one, "model")
    if not holders:
        return Draft((_step(one, actions),), said, model)
    value = _only(one, holders[0])
    if holders[0] in _LISTS and isinstance(value, list):
        return Draft(_steps(value, actions), said, model)
    return Draft((_step(value, actions),), said, model)


def _steps(values: list[Value], actions: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    if not values:
        raise BadInput("The plan is empty: write at least one step, or End if the task is done.")
    if not any(isinstance(value, Members | list) for value in values) and len(values) > 1 and _listed(values, actions):
        return (_step(values, actions),)
    made = []
    for number, value in enumerate(values, 1):
        try:
            made.append(_step(value, actions))
        except BadInput as error:
            raise BadInput(f"Step {number} of the plan: {error}") from error
    return tuple(made)


def _listed(values: list[Value], actions: Sequence[str]) -> bool:
    """Whether a list begins with an action and goes on with words: the parts of one subtask, not several."""
    words = [value for value in values if isinstance(value, str)]
    known = {action.casefold() for action in actions}
    return len(words) == len(values) and words[0].casefold() in known and words[-1].casefold() not in known


def _step(value: Value, actions: Sequence[str]) -> tuple[str, ...]:
    """The parts of one subtask. Raises BadInput."""
    if MOVE in actions and (numbers := _numbers(_only(value, "action") if isinstance(value, Members) else value)):
        return (MOVE, numbers)
    if isinstance(value, list) and len(value) == 1:
        return _step(value[0], actions)
    if isinstance(value, list):
        words = [part for part in value if isinstance(part, str)]
        if len(words) < len(value) or any(mark in word for word in words for mark in ",[]"):
            raise BadInput("A subtask is one action with its target, not a list of subtasks.")
        return _parts(words)
    if isinstance(value, str):
        subtask = parse_subtask(value.strip(" \t\r\n*_`"))
        return tuple(part for part in (subtask.action, subtask.target, subtask.destination) if part)
    if not isinstance(value, Members):
        raise BadInput("A subtask must be an object with 'action' and 'target'.")
    action = _text(value, "action")
    if "," in action or "[" in action:
        return _step(action, actions)
    if action.casefold() == MOVE.casefold() and (numbers := _numbers(_only(value, "target"))):
        return (action, numbers)
    target, destination = _text(value, "target"), _text(value, "destination")
    if not action:
        raise BadInput("A subtask has no 'action'.")
    if destination and not target:
        raise BadInput("A subtask has a 'destination' but no 'target'.")
    for name in (target, destination):
        if any(mark in name for mark in ",[]"):
            raise BadInput(f"'{name}' is not one name: name one thing, without commas and brackets.")
    return _parts([action, target, destination])


def _numbers(value: Value) -> str:
    """Numbers in a list, or a text of such a list, as text: `[54, 90, 49, 0, 60, 90, 1]`. "" for anything else."""
    if isinstance(value, list) and value and all(type(one) in (int, float) for one in value):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, str) and _NUMBERS.fullmatch(value.strip()):
        return " ".join(value.split())
    return ""


def _parts(words: list[str]) -> tuple[str, ...]:
    """The parts that say something, checked."""
    kept = [word for word in words if " ".join(word.split()).casefold() not in _NOTHING]
    make_subtask(kept)
    return tuple(kept)


def _text(one: Members, key: str) -> str:
    """The text of a key, "" where it is not there. Raises BadInput for anything but one text."""
    value = _only(one, key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"'{key}' must be text in quotes.")
    text = " ".join(value.split())
    return "" if text.casefold() in _NOTHING else text


def _only(one: Members, key: str) -> Value:
    values = one.all(key)
    if len(values) > 1:
        raise BadInput(f"'{key}' is written twice with different values.")
    return values[0] if values else None

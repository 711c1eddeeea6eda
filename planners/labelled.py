"""Decisions as text: `Analysis: ... Subtask: [Pick, apple] Model: ...` (EMMOE, appendix D), as models write it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from homie.errors import BadInput
from planners.answers import Draft, Layout, Unreadable, how
from planners.parsing import MAX_PARTS

_LABEL = re.compile(
    r"(?<![^\W_])(?P<label>analysis|sub-?task|model)[*_`]{0,3} {0,3}[:：]"
    r"|^[ \t]{0,8}#{1,6}[ \t]{0,8}[*_]{0,3}(?P<heading>analysis|sub-?task|model)[*_]{0,3}[ \t]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)
_DECORATION = " \t\r\n*_`'\"“”‘’"
_CLOSING = {"[": "]", "(": ")"}
_ANALYSIS, _MODEL = "Analysis:", "Model:"
_SUBTASK = re.compile(r"Subtask: *\[")


@dataclass(frozen=True, slots=True)
class _Field:
    """A label, where it begins and ends, and what stands between it and the next one. followed: there is a next one."""

    name: str
    start: int
    end: int
    value: str
    followed: bool


def draft_from_labels(text: str, layout: Layout, actions: Sequence[str]) -> Draft | None:
    """The decision in labelled text; None if nothing in it is labelled as a subtask.

    What the official strict form accepts is read exactly as it is there. Beyond it: labels in any case, emphasised or
    as headings, no brackets around a subtask that begins with a listed action, no Analysis or no Model. Raises
    Unreadable.
    """
    official = _official(text) if layout.block == "last" else None
    if official is not None:
        return official
    fields = _fields(text)
    subtasks = [at for at, one in enumerate(fields) if one.name == "subtask"]
    try:
        if subtasks:
            return _around(text, fields, subtasks[0 if layout.block == "first" else -1], actions)
        alone = text.strip(_DECORATION)
        if alone.startswith("[") and alone.find("]") == len(alone) - 1:
            return Draft((_parts(alone[1:-1]),))
    except BadInput as error:
        raise Unreadable(f"{error} {how(layout.answer)}") from error
    return None


def _official(text: str) -> Draft | None:
    """The strict form: the last `Analysis:` that is followed by `Subtask: [...]` and, anywhere after it, `Model:`.

    The analysis has at least one character, the model is all that follows the last `Model:`. Linear in the text.
    """
    model = text.rfind(_MODEL)
    starts = [(one.start(), one.end()) for one in _SUBTASK.finditer(text)]
    at = text.rfind(_ANALYSIS)
    while at >= 0 and model >= 0:
        after = at + len(_ANALYSIS)
        first = bisect_left(starts, (after + 1, 0))
        if first < len(starts):
            closing = text.find("]", starts[first][1])
            if 0 <= closing < model:
                said = text[after : starts[first][0]].strip()
                return Draft((_parts(text[starts[first][1] : closing]),), said, text[model + len(_MODEL) :].strip())
        at = text.rfind(_ANALYSIS, 0, at)
    return None


def _fields(text: str) -> list[_Field]:
    labels = list(_LABEL.finditer(text))
    ends = [*(one.start() for one in labels[1:]), len(text)][: len(labels)]
    made = []
    for one, end in zip(labels, ends, strict=True):
        name = (one["label"] or one["heading"]).lower().replace("-", "")
        made.append(_Field(name, one.start(), one.end(), text[one.end() : end], one is not labels[-1]))
    return made


def _around(text: str, fields: Sequence[_Field], at: int, actions: Sequence[str]) -> Draft:
    """The subtask of a field, with the analysis before it (that may speak of models) and the model after it."""
    analysis = model = ""
    for one in fields[:at]:
        if one.name == "analysis":
            analysis = text[one.end : fields[at].start]
        elif one.name == "subtask":
            analysis = ""
    for one in fields[at + 1 :]:
        if one.name != "model":
            break
        model = one.value
    inside = _inside(fields[at], actions)
    return Draft((_parts(inside),), analysis.strip(_DECORATION), model.strip(" \t\r\n*_`"))


def _inside(field: _Field, actions: Sequence[str]) -> str:
    """The parts of a subtask as one text, without brackets. Raises BadInput."""
    value = field.value.replace("\\[", "[").replace("\\]", "]").strip(_DECORATION)
    line, _, rest = value.partition("\n")
    if value[:1] in _CLOSING and value:
        closing = value.find(_CLOSING[value[0]])
        if closing >= 0:
            return value[1:closing]
        if not (rest or field.followed) or not _begins_well(line[1:], actions):
            raise BadInput(f"The bracket of the subtask '{_short(line)}' is not closed.")
        return line[1:]
    if not line.strip():
        raise BadInput("The subtask is empty.")
    line = line.strip(f"{_DECORATION}.")
    if not _begins_well(line, actions):
        raise BadInput(f"The subtask '{_short(line)}' does not begin with an action of the list and a comma.")
    return line


def _begins_well(text: str, actions: Sequence[str]) -> bool:
    """Whether it can only be a subtask: a listed action, and no more parts than a subtask has."""
    parts = [part.strip(_DECORATION) for part in text.split(",")]
    listed = {action.casefold() for action in actions}
    return len(parts) <= MAX_PARTS and (not listed or parts[0].casefold() in listed)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip(_DECORATION) for part in text.split(","))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]} ..."

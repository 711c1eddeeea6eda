"""Decisions as labelled text: `Analysis: ... Subtask: [Pick, apple] Model: ...` (EMMOE, appendix D)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from planners.llm.reading.draft import Draft
from planners.llm.reading.rules import Rules, UnclearAnswer
from planners.llm.reading.subtasks import (
    DECORATION,
    MAX_PARTS,
    Lists,
    is_nothing,
    match_action,
    short,
    split_brackets,
    strip_number,
    subtask_of,
)
from planners.llm.reading.surroundings import check_tail

_NAMES = r"analysis|(?:(?:next|current|chosen)[ \t]{1,2})?sub[-_ ]?task(?:[ \t]?#?\d{1,2})?|model"
_LABEL = re.compile(
    rf"(?<![^\W_])(?P<label>{_NAMES})[*_`]{{0,3}} {{0,3}}[:：]"
    rf"|^[ \t]{{0,8}}(?:#{{1,6}}[ \t]{{0,8}}[*_]{{0,3}}|[*_]{{2,3}})(?P<heading>{_NAMES})"
    r"[*_]{0,3}[:：]?[*_]{0,3}[ \t]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)
_EXACT = frozenset(("Analysis:", "Subtask:", "Model:"))
_KEY = re.compile(r"(?:-\s*)?(?:action|target)\s*:", re.IGNORECASE)
_REASON = re.compile(r"[,;]?\s*(?:because|since|as|so that|in order to)\b", re.IGNORECASE)
"""Beginnings of a remark after a subtask that only gives its reason."""
CONTEXT = 60
"""Number of characters before a label that are searched for the end of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A label in a text.

    Attributes:
        start, end: Position of the label.
        stop: End of its value, at the next label.
        inline: Whether the label is in the middle of a sentence.
        exact: Whether it is written as in the protocol.
    """

    name: str
    start: int
    end: int
    stop: int
    inline: bool
    exact: bool


def find_fields(text: str, hidden: Sequence[tuple[int, int]] = ()) -> list[Field]:
    """Find the labels of a text, in order.

    Args:
        text: The text.
        hidden: Parts of the text to ignore, such as JSON objects.
    """
    labels = [match for match in _LABEL.finditer(text) if not _is_hidden(hidden, match.start())]
    fields = []
    for at, match in enumerate(labels):
        stop = labels[at + 1].start() if at + 1 < len(labels) else len(text)
        name = "subtask" if "task" in (label := (match["label"] or match["heading"]).lower()) else label
        exact = match.group() in _EXACT and text[match.start() - 1 : match.start()] not in ("*", "_", "`")
        fields.append(
            Field(
                name=name,
                start=match.start(),
                end=match.end(),
                stop=stop,
                inline=_is_inside_sentence(text, match.start()),
                exact=exact,
            )
        )
    return fields


def _is_hidden(parts: Sequence[tuple[int, int]], at: int) -> bool:
    """Return whether a position is in one of some sorted, disjoint parts."""
    index = bisect_right(parts, at, key=lambda part: part[0]) - 1
    return index >= 0 and at < parts[index][1]


def _is_inside_sentence(text: str, at: int) -> bool:
    """Return whether a position is in the middle of a sentence: not at the beginning of a line, after the end of a
    sentence or after two blanks."""
    context = text[max(0, at - CONTEXT) : at]
    line = context.rpartition("\n")[2] if "\n" in context or at <= CONTEXT else context
    line_start = line.rstrip(f"{DECORATION}>-•#1234567890.)(")
    if not line_start or line.endswith("  "):
        return False
    return not line.rstrip(" \t*_`\"'”").endswith((".", "!", "?", ")", "]", "。"))


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled subtask with the analysis before it and the model after it, from `start` to `end`."""

    draft: Draft
    start: int
    end: int


def block_of(text: str, fields: Sequence[Field], at: int, lists: Lists, rules: Rules) -> Block:
    """Parse the block of the subtask in `fields[at]`. Raises UnclearAnswer."""
    field = fields[at]
    if field.inline:
        raise UnclearAnswer("The label of the subtask stands inside a sentence.")
    followed = at + 1 < len(fields)
    inside, trailing = _value(text[field.end : field.stop], followed, lists, rules)
    subtask = subtask_of(inside.split(","), lists, rules)
    same_line, newline, following_lines = trailing.partition("\n")
    _check_rest_of_line(same_line, rules)
    start, analysis = find_block(text, fields, at)
    model, end = model_after(text, fields, at, field.stop - len(newline + following_lines))
    if followed and fields[at + 1].name == "model" and following_lines.strip(f"{DECORATION}-|"):
        rules.use("prose")
        check_tail(newline + following_lines)
    block_fields = [item for item in fields if start <= item.start < end]
    if start == field.start or not all(item.exact for item in block_fields):
        rules.use("labels")
    return Block(Draft((subtask,), analysis, model), start, end)


def find_block(text: str, fields: Sequence[Field], at: int) -> tuple[int, str]:
    """Return the start of the block of a subtask, and its analysis, which may mention models; "" for none."""
    start, analysis = fields[at].start, ""
    for item in fields[:at]:
        if item.name == "analysis":
            start, analysis = item.start, text[item.end : fields[at].start]
        elif item.name == "subtask":
            start, analysis = fields[at].start, ""
    return start, analysis.strip(DECORATION)


def model_after(text: str, fields: Sequence[Field], at: int, end: int) -> tuple[str, int]:
    """Return the model after a subtask, "" for none, and the end of the block (`end` without a model)."""
    model = ""
    for item in fields[at + 1 :]:
        if item.name != "model":
            break
        value = text[item.end : item.stop]
        lead = len(value) - len(value.lstrip(DECORATION))
        line = value[lead:].partition("\n")[0]
        model, end = line.strip(" \t\r*_`"), item.end + lead + len(line)
    return ("" if is_nothing(model.strip(DECORATION)) else model), end


def _value(value: str, followed: bool, lists: Lists, rules: Rules) -> tuple[str, str]:
    """Return the parts of a subtask as one text without brackets, and the text after it. Raises UnclearAnswer."""
    value = value.lstrip(DECORATION)
    if not value.strip(DECORATION):
        raise UnclearAnswer("The subtask is empty.")
    if _KEY.match(value):
        raise UnclearAnswer("The subtask is written as YAML, which is not the form that was asked for.")
    line, newline, following_lines = value.partition("\n")
    body = strip_number(line).lstrip(DECORATION + "\\")
    if body[:1] in ("[", "("):
        if ("]" if body[0] == "[" else ")") in value:
            return split_brackets(value, rules)
        words = body[1:].strip(DECORATION)
        if not (followed or following_lines.strip()) or not _begins_with_subtask(words, lists):
            raise UnclearAnswer(f"The bracket of the subtask '{short(body)}' is not closed.")
        rules.use("open-bracket")
        return words, newline + following_lines
    leniency_count = len(rules.used)
    inside, _ = split_brackets(line, rules)
    if "call" not in rules.used[leniency_count:]:
        rules.use("no-brackets")
    return inside, newline + following_lines


def _begins_with_subtask(text: str, lists: Lists) -> bool:
    """Return whether a text can only be a subtask: a listed action and its names."""
    parts = [part.strip(DECORATION) for part in text.split(",")]
    return len(parts) <= MAX_PARTS and (not lists.actions or match_action(parts[0], lists, Rules()) is not None)


def _check_rest_of_line(line: str, rules: Rules) -> None:
    """Raise UnclearAnswer if the rest of a subtask's line is more than a reason."""
    words = line.strip(f"{DECORATION}.|")
    if not words:
        return
    if not _REASON.match(words):
        raise UnclearAnswer(f"'{short(words)}' stands behind the subtask, on the same line.")
    rules.use("prose")

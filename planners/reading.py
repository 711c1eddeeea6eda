"""Reading: from what a language model wrote to a decision, or to a sentence that tells it what to write.

text --JSON, or Analysis / Subtask / Model--> Draft --> Decision
                                           `--> Unreadable
Nothing is evaluated and no action is made up: every word of a subtask stands in the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from homie.errors import BadInput
from homie.types import Decision, Subtask
from planners.answers import AnswerFormat, Draft, Layout, Unreadable, how
from planners.json_answers import draft_from_json
from planners.labelled import draft_from_labels
from planners.parsing import make_subtask

__all__ = ["AnswerFormat", "Layout", "Unreadable", "read"]

MAX_TEXT = 100_000
"""Characters of an answer that is read at all."""
_THOUGHT = "</think>"


def read(text: str, layout: Layout, actions: Sequence[str] = (), models: Sequence[str] = ()) -> Decision:
    """The decision in an answer, with the answer as its raw text. Raises Unreadable and nothing else.

    `actions` and `models` are the lists of the round. They help to tell a subtask from prose; whether an action may be
    taken is for the executor (F1). A model is kept as written unless what surrounds a listed name is decoration.
    """
    if len(text) > MAX_TEXT:
        raise Unreadable(f"The answer has {len(text)} characters, which is too long. {how(layout.answer)}")
    clean = text.encode("utf-8", "replace").decode()
    if clean.lstrip().startswith("<think>") and _THOUGHT in clean:
        clean = clean.rpartition(_THOUGHT)[2]
    if not clean.strip():
        raise Unreadable(f"The answer is empty. {how(layout.answer)}")
    try:
        draft = _draft(clean, layout, actions)
    except BadInput as error:
        raise Unreadable(f"{error} {how(layout.answer)}") from error
    if draft is None:
        raise Unreadable(f"The answer has no subtask that can be read. {how(layout.answer)}")
    subtasks = tuple(_subtask(parts, layout.answer) for parts in draft.subtasks)
    return Decision(subtasks, _sound(draft.analysis), listed_model(_sound(draft.model), models), raw=text)


def listed_model(written: str, models: Sequence[str]) -> str:
    """The listed name if the first line is one but for brackets, quotes and marks; otherwise all as it was written."""
    plain = written.strip()
    first = (plain.splitlines() or [""])[0].partition("</s>")[0].partition("<|")[0].partition("|")[0]
    bare = first.strip(" \t*_`'\"“”‘’[]().,;")
    known = {name.casefold(): name for name in models}
    return known.get(plain.casefold()) or known.get(bare.casefold()) or plain


def _draft(text: str, layout: Layout, actions: Sequence[str]) -> Draft | None:
    if layout.answer == "text":
        return draft_from_labels(text, layout, actions) or draft_from_json(text, layout, actions)
    return draft_from_json(text, layout, actions) or draft_from_labels(text, layout, actions)


def _subtask(parts: tuple[str, ...], answer: AnswerFormat) -> Subtask:
    try:
        return make_subtask([_sound(part) for part in parts])
    except BadInput as error:
        raise Unreadable(f"{error} {how(answer)}") from error


def _sound(text: str) -> str:
    """Without halves of surrogate pairs, which no file could keep, and without blanks around."""
    return text.encode("utf-8", "replace").decode().strip()

"""Household instructions as errands. What is not understood whole is not run in part: the error says what it was."""

from __future__ import annotations

from collections.abc import Sequence

from planners.rule.reading.clauses import Reader
from planners.rule.reading.nouns import Cursor, NotUnderstood, spelled
from planners.rule.reading.orders import CloseUp, Errand, Fetch, in_order, without_repeats

__all__ = ["NotUnderstood", "parse_instruction"]


def parse_instruction(text: str) -> tuple[Errand, ...]:
    """The errands in an instruction, in the order in which they are to be run.

    Raises NotUnderstood, with what the robot would have to know, unless every word of the text has its part in them.
    """
    reader = Reader(Cursor(spelled(text)))
    reader.text()
    errands = without_repeats(reader.errands)
    if not errands:
        raise NotUnderstood("do not see what is to be done")
    _check_hand(errands)
    return in_order(errands)


def _check_hand(errands: Sequence[Errand]) -> None:
    """Raise NotUnderstood if more would have to be held than one hand can hold."""
    held = [one.item for one in errands if isinstance(one, Fetch)]
    if len(held) > 1 or any(item.count != 1 for item in held):
        raise NotUnderstood("have one hand only and do not know where the things are to go")
    for at, errand in enumerate(errands):
        closed = next((one.words for one in errands[at:] if isinstance(one, CloseUp)), "")
        if isinstance(errand, Fetch) and closed:
            raise NotUnderstood(f"have one hand only and cannot close the {closed} with the {errand.item.words} in it")

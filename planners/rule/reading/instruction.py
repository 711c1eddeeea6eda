"""Parse household instructions into orders. An instruction that is not fully understood is rejected as a whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from planners.rule.reading import lexicon
from planners.rule.reading.clauses import Reader
from planners.rule.reading.nouns import Cursor, NotUnderstood, split_words
from planners.rule.reading.orders import CloseUp, Fetch, Order, drop_repeats, in_order, names_in
from planners.rule.reading.questions import question, strange
from planners.rule.reading.spelling import spelling_question

__all__ = ["NotUnderstood", "parse_instruction"]


def parse_instruction(text: str, known: Collection[str] = ()) -> tuple[Order, ...]:
    """Parse an instruction into orders, in the sequence in which they are run.

    Args:
        text: an instruction in English.
        known: names in addition to those of the vocabulary.

    Raises:
        NotUnderstood: some words have no role in an order; the message contains them, with a suggestion if they may be
            misspelt.

    Example:
        >>> parse_instruction("Put the apple in the fridge.")
        (Bring(item=Item(words='apple', count=1, source='', excluded=()), place=Place(words='fridge', inside=True)),)
    """
    try:
        orders = _parse_lines(text)
    except NotUnderstood as reason:
        quoted_texts = re.findall("'(.*)'", str(reason))
        if hint := spelling_question([word for words in quoted_texts for word in words.split()], known):
            raise NotUnderstood(f"{reason}: {hint}") from reason
        raise
    for name in names_in(orders):
        unknown_words = [] if lexicon.is_thing(name) or lexicon.is_place(name) or name in known else name.split()
        if hint := spelling_question(unknown_words, known):
            raise NotUnderstood(f"do not know '{name}': {hint}")
    return orders


def _parse_lines(text: str) -> tuple[Order, ...]:
    """Parse a text with arbitrary line breaks, or else a text whose lines are sentences."""
    try:
        return _parse(text)
    except NotUnderstood:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1:
            with suppress(NotUnderstood):
                return _parse(" . ".join(lines))
        raise


def _parse(text: str) -> tuple[Order, ...]:
    cursor = Cursor(split_words(text))
    if question_order := question(cursor):
        return (question_order,)
    reader = Reader(cursor)
    try:
        reader.text()
    except NotUnderstood:
        if words := strange(Cursor(split_words(text))):
            raise NotUnderstood(f"do not understand '{words}' in this question") from None
        raise
    orders = drop_repeats(reader.orders)
    if not orders:
        raise NotUnderstood("do not see what is to be done")
    _check_hand(orders)
    return in_order(orders)


def _check_hand(orders: Sequence[Order]) -> None:
    """Raise NotUnderstood if the orders would need a second hand."""
    items_to_hold = [order.item for order in orders if isinstance(order, Fetch)]
    if len(items_to_hold) > 1 or any(item.count != 1 for item in items_to_hold):
        raise NotUnderstood("have only one hand and do not know where to put the things")
    for at, order in enumerate(orders):
        closed = next((later_order.words for later_order in orders[at:] if isinstance(later_order, CloseUp)), "")
        if isinstance(order, Fetch) and closed:
            raise NotUnderstood(f"have only one hand and cannot close the {closed} with the {order.item.words} in it")

"""Conditions in instructions: whether an object is at a place."""

from __future__ import annotations

from dataclasses import dataclass

from planners.common_sense import is_container
from planners.rule.reading import lexicon
from planners.rule.reading.nouns import Cursor, Kind, Noun, noun
from planners.rule.reading.orders import Item, Place


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition that an item is at a place.

    Attributes:
        absent: Whether the condition is negated.
        searched: Whether it has the form `check the fridge for cans`, which needs an order for the case without them.
    """

    item: Item
    place: Place
    absent: bool
    searched: bool = False


def condition(cursor: Cursor) -> Condition | None:
    """Parse a condition at the cursor, which moves past it; None if there is none that is fully understood."""
    start = cursor.at
    understood = _search(cursor) or _existence_condition(cursor) or _place_condition(cursor)
    if understood is None:
        cursor.at = start
    return understood


def _search(cursor: Cursor) -> Condition | None:
    start = cursor.at
    if cursor.take(lexicon.SEARCH):
        place = noun(cursor)
        if cursor.take({"for"}) and (searched := _condition(noun(cursor), place, absent=False, searched=True)):
            return searched
    cursor.at = start
    return None


def _existence_condition(cursor: Cursor) -> Condition | None:
    """Parse `if there is no apple in the fridge`, `is there an apple in the fridge?`."""
    start = cursor.at
    is_question = cursor.take({"is there", "are there"})
    if is_question or cursor.take(lexicon.IF_THERE_IS):
        absent = bool(cursor.take({"no", "not any", "not a", "not an"}))
        item = noun(cursor)
        preposition = cursor.take(lexicon.AT)
        place = noun(cursor) if preposition else None
        if not is_question or cursor.sees({"."}):
            return _condition(item, place, absent=absent, inside=preposition in lexicon.INSIDE)
    cursor.at = start
    return None


def _place_condition(cursor: Cursor) -> Condition | None:
    """Parse `if the mug is in the sink`, `if the fridge has no apple`."""
    if not cursor.take(lexicon.IF):
        return None
    first = noun(cursor)
    if first is not None and first.kind is Kind.PLACE and cursor.take(lexicon.HAS):
        absent = bool(cursor.take({"no", "not any"}))
        parsed = _condition(noun(cursor), first, absent=absent)
        cursor.take({"in it", "on it", "inside"})
        return parsed
    if not cursor.take(lexicon.IS):
        return None
    absent = bool(cursor.take({"not"}))
    preposition = cursor.take(lexicon.AT)
    place = noun(cursor) if preposition else None
    return _condition(first, place, absent=absent, inside=preposition in lexicon.INSIDE)


def _condition(
    item: Noun | None, place: Noun | None, *, absent: bool, searched: bool = False, inside: bool = False
) -> Condition | None:
    if item is None or place is None or item.kind is not Kind.THING or place.kind is not Kind.PLACE:
        return None
    if place.count != 1 or item.other or place.other or item.words.endswith(" one"):
        return None
    count = 1 if item.count is None else item.count
    if count != 1:
        return None
    return Condition(Item(item.words), Place(place.words, inside or is_container(place.words)), absent, searched)

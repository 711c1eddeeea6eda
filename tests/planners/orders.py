"""Orders as tests write them down."""

from __future__ import annotations

from planners.rule.reading.orders import Bring, Item, Place


def bring(
    words: str,
    place: str,
    *,
    count: int | None = 1,
    source: str = "",
    excluded: tuple[str, ...] = (),
    inside: bool = False,
) -> Bring:
    """Bring what the words mean to a place."""
    return Bring(Item(words, count, source, excluded), Place(place, inside))

"""What an instruction asks for: errands, in the order in which they are to be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be handled. words: `green can`, "" for anything at the source; count: how many, None for all;
    source: the place it is taken from, "" where none is named; besides: what of it is to be left alone."""

    words: str
    count: int | None = 1
    source: str = ""
    besides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where to. inside: the instruction says `in`, not `on`."""

    words: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Bring:
    """Take an item to a place and leave it there."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Stock:
    """Bring as many of an item as are missing there; `item.count` is how many there are to be in the end."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Swap:
    """Two things change places."""

    one: Item
    other: Item


@dataclass(frozen=True, slots=True)
class Fetch:
    """Pick an item up and hold it."""

    item: Item


@dataclass(frozen=True, slots=True)
class Visit:
    """Go to a place or a thing."""

    words: str


@dataclass(frozen=True, slots=True)
class OpenUp:
    """Open a container and leave it open."""

    words: str


@dataclass(frozen=True, slots=True)
class CloseUp:
    """Close a container."""

    words: str


@dataclass(frozen=True, slots=True)
class IfThere:
    """Look whether an item is at a place; then the errands of the one case or of the other."""

    item: Item
    place: Place
    then: tuple[Errand, ...]
    otherwise: tuple[Errand, ...]


Errand: TypeAlias = "Bring | Stock | Swap | Fetch | Visit | OpenUp | CloseUp | IfThere"


def names_in(errands: tuple[Errand, ...]) -> Iterator[str]:
    """Every name of a thing or a place in errands, branches included; never an empty one."""
    for errand in errands:
        match errand:
            case Bring(item, place) | Stock(item, place):
                yield from _filled(item.words, item.source, *item.besides, place.words)
            case Swap(one, other):
                yield from _filled(one.words, one.source, other.words, other.source)
            case Fetch(item):
                yield from _filled(item.words, item.source, *item.besides)
            case Visit(words) | OpenUp(words) | CloseUp(words):
                yield words
            case IfThere(item, place, then, otherwise):
                yield from _filled(item.words, place.words)
                yield from names_in(then + otherwise)


def in_order(errands: Sequence[Errand]) -> tuple[Errand, ...]:
    """The errands as they can be run: with what is only picked up at the end, and every door closed after it was last
    needed."""
    return _closed_last(_held_last(list(errands)))


def without_repeats(errands: Sequence[Errand]) -> list[Errand]:
    """The errands without the looking and the picking up that a later one of the same thing includes."""
    kept: list[Errand] = []
    for at, errand in enumerate(errands):
        later = [one.item for one in errands[at + 1 :] if isinstance(one, Bring | Fetch)]
        if isinstance(errand, Visit) and any(item.words == errand.words for item in later):
            continue
        if isinstance(errand, Fetch) and any(_same(errand.item, item) for item in later):
            continue
        kept.append(errand)
    return kept


def _same(one: Item, other: Item) -> bool:
    return one.words == other.words and (bool(one.words) or one.source == other.source)


def _held_last(errands: list[Errand]) -> list[Errand]:
    """There is one hand: what is picked up to be held comes after everything that needs it."""
    at = next((i for i, one in enumerate(errands) if isinstance(one, Fetch)), len(errands))
    needed = [one for one in errands[at + 1 :] if not isinstance(one, Visit | Fetch)]
    return errands[:at] + needed + [one for one in errands[at:] if one not in needed]


def _closed_last(errands: list[Errand]) -> tuple[Errand, ...]:
    """Close what is still needed only after it was needed."""
    ordered = list(errands)
    for closing in [one for one in errands if isinstance(one, CloseUp)]:
        at = ordered.index(closing)
        needed = [i for i, one in enumerate(ordered) if i > at and closing.words in names_in((one,)) and one != closing]
        if needed and not any(isinstance(one, OpenUp) for one in ordered):
            ordered.insert(needed[-1], ordered.pop(at))
    return tuple(ordered)


def _filled(*names: str) -> Iterator[str]:
    return (name for name in names if name)

"""What an instruction asks for: errands, in the order in which they are to be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from planners.rule.phrases import Item


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
                yield from _filled(item.words, item.source, item.besides, place.words)
            case Swap(one, other):
                yield from _filled(one.words, one.source, other.words, other.source)
            case Fetch(item):
                yield from _filled(item.words, item.source, item.besides)
            case Visit(words) | OpenUp(words) | CloseUp(words):
                yield words
            case IfThere(item, place, then, otherwise):
                yield from _filled(item.words, place.words)
                yield from names_in(then + otherwise)


def closed_last(errands: Sequence[Errand]) -> tuple[Errand, ...]:
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

"""Errands: the orders of an instruction, and the order in which they are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Item:
    """The objects that an errand is about.

    words: `green can`, "" for anything at the source. count: how many, None for all. source: the place to take them
    from, "" if none is named. besides: names of objects to leave where they are.
    """

    words: str
    count: int | None = 1
    source: str = ""
    besides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A destination. inside: the instruction says `in`, not `on`."""

    words: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Bring:
    """Take an item to a place and leave it there."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Stock:
    """Bring as many of an item as are missing at a place; `item.count` is the number there should be in the end."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Swap:
    """Exchange the places of two items."""

    first: Item
    second: Item


@dataclass(frozen=True, slots=True)
class Fetch:
    """Pick an item up and hold it."""

    item: Item


@dataclass(frozen=True, slots=True)
class Visit:
    """Go to a place or an object."""

    words: str


@dataclass(frozen=True, slots=True)
class Return:
    """Go back to where the robot was given the task: whoever gave it and has not said where they are is there."""


@dataclass(frozen=True, slots=True)
class Use:
    """Do an action of a household: `Turn off` the lamp, `Wash` the plate, `Hand over` the apple to a person.

    item: what it is done to. to: a person, "" for none.
    """

    action: str
    item: Item
    to: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question by looking.

    about: `there` (is an item at a place, or anywhere?), `where` it is, `count`, `open` (is a container?), `closed`,
    `contents` (what is at a place), `state` (is an item in one?), `holds` (is anything in a vessel?). place: "" for the
    whole home. state: a word of `homie.kernel.vocabulary.knowledge.CONTRARY`; of a count, that of what counts.
    """

    about: Literal["there", "where", "count", "open", "closed", "contents", "state", "holds"]
    item: Item
    place: Place = Place("")
    state: str = ""


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
    """Check whether an item is at a place, then run the errands for that case."""

    item: Item
    place: Place
    then: tuple[Errand, ...]
    otherwise: tuple[Errand, ...]


Errand: TypeAlias = "Bring | Stock | Swap | Fetch | Visit | Return | Use | Ask | OpenUp | CloseUp | IfThere"


def names_in(errands: tuple[Errand, ...]) -> Iterator[str]:
    """Every non-empty name of an object or a place in the errands, including those of both cases."""
    for errand in errands:
        match errand:
            case Bring(item, place) | Stock(item, place):
                yield from _filled(item.words, item.source, *item.besides, place.words)
            case Swap(first, second):
                yield from _filled(first.words, first.source, second.words, second.source)
            case Fetch(item):
                yield from _filled(item.words, item.source, *item.besides)
            case Use(_, item, to):
                yield from _filled(item.words, item.source, to)
            case Ask(_, item, place):
                yield from _filled(item.words, place.words)
            case Visit(words) | OpenUp(words) | CloseUp(words):
                yield words
            case IfThere(item, place, then, otherwise):
                yield from _filled(item.words, place.words)
                yield from names_in(then + otherwise)


def in_order(errands: Sequence[Errand]) -> tuple[Errand, ...]:
    """The errands in a feasible order: items to hold are picked up last, and doors are closed after their last use."""
    return _closed_last(_held_last(list(errands)))


def without_repeats(errands: Sequence[Errand]) -> list[Errand]:
    """The errands without visits and pick-ups that a later errand for the same object includes."""
    kept: list[Errand] = []
    for at, errand in enumerate(errands):
        later = [after.item for after in errands[at + 1 :] if isinstance(after, Bring | Fetch)]
        if isinstance(errand, Visit) and any(item.words == errand.words for item in later):
            continue
        if isinstance(errand, Fetch) and any(_same(errand.item, item) for item in later):
            continue
        kept.append(errand)
    return kept


def _same(first: Item, second: Item) -> bool:
    return first.words == second.words and (bool(first.words) or first.source == second.source)


def _held_last(errands: list[Errand]) -> list[Errand]:
    """There is one hand: an item to hold is picked up after all errands that need the hand."""
    at = next((i for i, errand in enumerate(errands) if isinstance(errand, Fetch)), len(errands))
    needed = [errand for errand in errands[at + 1 :] if not isinstance(errand, Visit | Return | Fetch)]
    return errands[:at] + needed + [errand for errand in errands[at:] if errand not in needed]


def _closed_last(errands: list[Errand]) -> tuple[Errand, ...]:
    """Move the closing of a container behind the last errand that needs it open."""
    ordered = list(errands)
    for closing in [errand for errand in errands if isinstance(errand, CloseUp)]:
        at = ordered.index(closing)
        needed = [
            i
            for i, errand in enumerate(ordered)
            if i > at and closing.words in names_in((errand,)) and errand != closing
        ]
        if needed and not any(isinstance(errand, OpenUp) for errand in ordered):
            ordered.insert(needed[-1], ordered.pop(at))
    return tuple(ordered)


def _filled(*names: str) -> Iterator[str]:
    return (name for name in names if name)

"""The orders of an instruction, and the sequence in which they are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Item:
    """The objects of an order.

    Attributes:
        words: `green can`, "" for anything at the source.
        count: Number of objects, None for all.
        source: The place to take them from, "" if none is given.
        excluded: Names of objects to leave where they are.
    """

    words: str
    count: int | None = 1
    source: str = ""
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A destination.

    Attributes:
        inside: Whether the instruction says `in` instead of `on`.
    """

    words: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Bring:
    """Take an item to a place and leave it there."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Stock:
    """Bring as many of an item as are missing at a place; `item.count` is the required number at the end."""

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
    """Go back to where the robot was given the task: a person who has not said otherwise is there."""


@dataclass(frozen=True, slots=True)
class Use:
    """Do a household action: `Turn off` the lamp, `Wash` the plate, `Hand over` the apple to a person.

    Attributes:
        item: The target of the action.
        to: The person, "" for none.
    """

    action: str
    item: Item
    to: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question by looking.

    Attributes:
        about: `there` (is an item at a place, or anywhere?), `where` (location of an item), `count`, `open` (is a
            container open?), `closed`, `contents` (objects at a place), `state` (is an item in a state?), `holds` (is
            anything in a vessel?).
        place: "" for the whole home.
        state: A word of `homie.kernel.knowledge.CONTRARY`; for a count the state of the objects to count.
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
    """Check whether an item is at a place, then run the orders for that case."""

    item: Item
    place: Place
    then: tuple[Order, ...]
    otherwise: tuple[Order, ...]


Order: TypeAlias = "Bring | Stock | Swap | Fetch | Visit | Return | Use | Ask | OpenUp | CloseUp | IfThere"


def names_in(orders: tuple[Order, ...]) -> Iterator[str]:
    """Yield every non-empty name of an object or place in the orders, including both branches of conditions."""
    for order in orders:
        match order:
            case Bring(item, place) | Stock(item, place):
                yield from _nonempty(item.words, item.source, *item.excluded, place.words)
            case Swap(first, second):
                yield from _nonempty(first.words, first.source, second.words, second.source)
            case Fetch(item):
                yield from _nonempty(item.words, item.source, *item.excluded)
            case Use(_, item, to):
                yield from _nonempty(item.words, item.source, to)
            case Ask(_, item, place):
                yield from _nonempty(item.words, place.words)
            case Visit(words) | OpenUp(words) | CloseUp(words):
                yield words
            case IfThere(item, place, then, otherwise):
                yield from _nonempty(item.words, place.words)
                yield from names_in(then + otherwise)


def in_order(orders: Sequence[Order]) -> tuple[Order, ...]:
    """Return the orders in a feasible sequence: items to hold are picked up last, doors close after their last use."""
    return _close_last(_hold_last(list(orders)))


def drop_repeats(orders: Sequence[Order]) -> list[Order]:
    """Return the orders without visits and pick-ups that a later order for the same object includes."""
    remaining: list[Order] = []
    for at, order in enumerate(orders):
        later_items = [later_order.item for later_order in orders[at + 1 :] if isinstance(later_order, Bring | Fetch)]
        if isinstance(order, Visit) and any(item.words == order.words for item in later_items):
            continue
        if isinstance(order, Fetch) and any(_are_same(order.item, item) for item in later_items):
            continue
        remaining.append(order)
    return remaining


def _are_same(first: Item, second: Item) -> bool:
    return first.words == second.words and (bool(first.words) or first.source == second.source)


def _hold_last(orders: list[Order]) -> list[Order]:
    """Move the pick-up of an item to hold after all orders that need the only hand."""
    at = next((i for i, order in enumerate(orders) if isinstance(order, Fetch)), len(orders))
    hand_orders = [order for order in orders[at + 1 :] if not isinstance(order, Visit | Return | Fetch)]
    return orders[:at] + hand_orders + [order for order in orders[at:] if order not in hand_orders]


def _close_last(orders: list[Order]) -> tuple[Order, ...]:
    """Move the closing of a container after the last order that needs it open."""
    ordered = list(orders)
    for closing in [order for order in orders if isinstance(order, CloseUp)]:
        at = ordered.index(closing)
        users = [
            i for i, order in enumerate(ordered) if i > at and closing.words in names_in((order,)) and order != closing
        ]
        if users and not any(isinstance(order, OpenUp) for order in ordered):
            ordered.insert(users[-1], ordered.pop(at))
    return tuple(ordered)


def _nonempty(*names: str) -> Iterator[str]:
    return (name for name in names if name)

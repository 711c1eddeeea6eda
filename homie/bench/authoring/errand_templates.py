"""The templates: what is asked, in which words, of which houses.

A template draws its errand from a house, or says that the house has none. `{a}`, `{b}` are things, `{f}`, `{g}` places,
`{c}` what opens, `{room}` a room, as people call them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from homie.bench.authoring.house import House
from homie.bench.authoring.task_draft import Step, TaskDraft
from homie.kernel.world.furniture import kinds

SURFACES = frozenset(use.kind for use in kinds(lambda use: use.holds in ("top", "boards", "cooktop", "cushion")))
CONTAINERS = frozenset(use.kind for use in kinds(lambda use: use.opens))
SMALL = frozenset(use.kind for use in kinds(lambda use: use.one_more))
"""Furniture that takes one thing more, not two."""
FRUIT = ("apple", "banana", "lemon", "orange", "peach", "pear", "plum", "strawberry")
SEVERAL = (2, 3)
"""How many things belong to a set that is asked for."""

Draw: TypeAlias = Callable[["Situation"], TaskDraft | None]


class Situation:
    """A house to draw from.

    Args:
        kinds: Those of the things that may be asked for.
    """

    def __init__(self, house: House, kinds: Collection[str], rng: random.Random) -> None:
        self.house, self.rng, self._kinds = house, rng, kinds

    def things(self, *, inside: bool = False, of: Collection[str] = ()) -> list[str]:
        """Things with a name that means only them, in random order: in what is closed, or standing free."""
        house = self.house
        names = [
            name
            for name, item in house.objects.items()
            if item.kind in self._kinds
            and (not of or item.kind in of)
            and house.spoken(name)
            and item.at in house.furniture
            and (house.container(name) is not None) is inside
        ]
        return self.rng.sample(names, len(names))

    def places(
        self, kinds: Collection[str] = SURFACES, *, but: Collection[str] = (), for_two: bool = False
    ) -> list[str]:
        """Furniture to put something on or into, by a name that means only it, in random order."""
        small = SMALL if for_two else ()
        names = [name for name in self.house.of_kind(*(kind for kind in kinds if kind not in small)) if name not in but]
        names = [name for name in names if self.house.spoken(name)]
        return self.rng.sample(names, len(names))

    def rooms(self) -> list[str]:
        """Rooms whose kind there is once, in random order."""
        kinds = list(self.house.rooms.values())
        names = [name for name, kind in self.house.rooms.items() if kinds.count(kind) == 1]
        return self.rng.sample(names, len(names))

    def words(self, **names: str) -> dict[str, str]:
        """What a text calls rooms, furniture and things, by slot."""
        house = self.house
        return {slot: house.rooms.get(name) or house.spoken(name) or name for slot, name in names.items()}

    def at(self, name: str) -> str:
        return self.house.objects[name].at


@dataclass(frozen=True, slots=True)
class Template:
    """name: of its tasks. texts: ways to ask for it; `human` are said as people talk. opened: whether its houses have
    something that stands open."""

    name: str
    draw: Draw
    texts: tuple[str, ...]
    human: tuple[str, ...] = ()
    opened: bool = False


def _place(s: Situation) -> TaskDraft | None:
    for a in s.things():
        for f in s.places(but=[s.at(a)]):
            return TaskDraft((Step("carry", a, f),), s.words(a=a, f=f))
    return None


def _store(s: Situation) -> TaskDraft | None:
    for a in s.things():
        for c in s.places(CONTAINERS):
            return TaskDraft((Step("carry", a, c), Step("close", where=c)), s.words(a=a, c=c))
    return None


def _pair(s: Situation) -> TaskDraft | None:
    things = s.things()
    for f in s.places(for_two=True):
        free = [name for name in things if s.at(name) != f][:2]
        if len(free) == 2:
            return TaskDraft(tuple(Step("carry", name, f) for name in free), s.words(a=free[0], b=free[1], f=f))
    return None


def _sort(s: Situation) -> TaskDraft | None:
    things, places = s.things()[:2], s.places()
    if len(things) < 2:
        return None
    a, b = things
    to = [place for place in places if place not in (s.at(a), s.at(b))][:2]
    if len(to) < 2:
        return None
    return TaskDraft((Step("carry", a, to[0]), Step("carry", b, to[1])), s.words(a=a, b=b, f=to[0], g=to[1]))


def _then(s: Situation) -> TaskDraft | None:
    errand = _sort(s)
    return None if errand is None else TaskDraft(errand.steps, errand.words, ordered=True)


def _fetch(s: Situation) -> TaskDraft | None:
    for a in s.things():
        for room in s.rooms():
            if s.house.room(a) != room:
                return TaskDraft((Step("take", a), Step("visit", where=room)), s.words(a=a, room=room), ordered=True)
    return None


def _take_out(s: Situation) -> TaskDraft | None:
    for a in s.things(inside=True):
        c = s.at(a)
        for f in s.places():
            if s.house.spoken(c):
                return TaskDraft((Step("carry", a, f), Step("close", where=c)), s.words(a=a, c=c, f=f))
    return None


def _clear(s: Situation) -> TaskDraft | None:
    for f in s.places():
        there = s.house.things_at(f)
        known = set(s.things())
        for g in s.places(for_two=True, but=[f]):
            if len(there) in SEVERAL and known.issuperset(there):
                return TaskDraft(tuple(Step("carry", name, g) for name in there), s.words(f=f, g=g))
    return None


def _fruit(s: Situation) -> TaskDraft | None:
    all_fruit = [name for name, item in s.house.objects.items() if item.kind in FRUIT]
    free = s.things(of=FRUIT)
    for f in s.places(for_two=True, but=[s.at(name) for name in free]):
        if len(all_fruit) in SEVERAL and len(free) == len(all_fruit):
            return TaskDraft(tuple(Step("carry", name, f) for name in free), s.words(f=f))
    return None


def _nest(s: Situation) -> TaskDraft | None:
    for bowl in s.things(of=("bowl",)):
        for a in s.things(of=FRUIT):
            return TaskDraft((Step("carry", a, bowl),), s.words(a=a, b=bowl))
    return None


def _exchange(s: Situation) -> TaskDraft | None:
    things = s.things()
    for a in things:
        for b in things:
            here, there = s.at(a), s.at(b)
            if here != there and {here, there} <= set(s.places(for_two=True)):
                steps = (Step("carry", a, there), Step("carry", b, here))
                return TaskDraft(steps, s.words(a=a, b=b, f=there, g=here))
    return None


def _open(s: Situation) -> TaskDraft | None:
    for c in s.places(CONTAINERS):
        if not s.house.stands_open(c):
            return TaskDraft((Step("open", where=c),), s.words(c=c))
    return None


def _shut(s: Situation) -> TaskDraft | None:
    for c in s.places(CONTAINERS):
        if s.house.stands_open(c):
            return TaskDraft((Step("close", where=c),), s.words(c=c))
    return None


def _round(s: Situation) -> TaskDraft | None:
    here = s.house.state.robot.room
    rooms = [room for room in s.rooms() if room != here][:2]
    if len(rooms) < 2:
        return None
    steps = tuple(Step("visit", where=room) for room in rooms)
    return TaskDraft(steps, s.words(room=rooms[0], other=rooms[1]), ordered=True)


TEMPLATES = (
    Template(
        "place",
        _place,
        ("put the {a} on the {f}", "take the {a} to the {f}"),
        ("could you move the {a} over to the {f}, please?",),
    ),
    Template(
        "store",
        _store,
        ("put the {a} into the {c} and close it", "store the {a} in the {c}, then shut the {c}"),
        ("the {a} belongs into the {c}; and do not leave it open",),
    ),
    Template(
        "pair",
        _pair,
        ("put the {a} and the {b} on the {f}", "bring both the {a} and the {b} to the {f}"),
        ("I need the {a} and the {b} on the {f}",),
    ),
    Template(
        "sort",
        _sort,
        ("put the {a} on the {f} and the {b} on the {g}", "the {a} goes to the {f}, the {b} to the {g}"),
        ("would you tidy up a bit: the {a} to the {f} and the {b} to the {g}",),
    ),
    Template(
        "then",
        _then,
        (
            "first put the {a} on the {f}, and only then put the {b} on the {g}",
            "put the {a} on the {f}; after that put the {b} on the {g}",
        ),
    ),
    Template(
        "fetch",
        _fetch,
        ("bring the {a} to the {room}", "pick up the {a} and come to the {room}"),
        ("I am in the {room}, and I want the {a}",),
    ),
    Template(
        "take-out",
        _take_out,
        ("take the {a} out of the {c}, put it on the {f} and close the {c}",),
        ("there is a {a} in the {c}: I want it on the {f}, and the {c} shut again",),
    ),
    Template(
        "clear",
        _clear,
        ("clear the {f}: put everything on it on the {g}", "move all that is on the {f} to the {g}"),
        ("I need the {f}; put what is on it on the {g}",),
    ),
    Template(
        "fruit",
        _fruit,
        ("put all the fruit on the {f}", "collect the fruit of this home on the {f}"),
        ("could you gather all the fruit on the {f}?",),
    ),
    Template("nest", _nest, ("put the {a} into the {b}",), ("let the {a} lie in the {b}, please",)),
    Template(
        "exchange",
        _exchange,
        ("exchange the {a} and the {b}: each goes to where the other is now",),
        ("the {a} and the {b} are in each other's place; swap them",),
    ),
    Template("open", _open, ("open the {c}",), ("I want to look into the {c}: open it, please",)),
    Template("shut", _shut, ("close the {c}",), ("somebody has left the {c} open; shut it",), opened=True),
    Template(
        "round",
        _round,
        ("go to the {room}, then to the {other}", "look in at the {room} and end in the {other}"),
    ),
)
"""All of them."""

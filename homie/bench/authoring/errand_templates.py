"""Templates of errands: which tasks in which houses. Their wordings are in `errand_paraphrases.yaml`.

A template samples an errand in a house, or returns None if the house has none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from homie.bench.authoring.house import House
from homie.bench.authoring.task_draft import Step, TaskDraft
from homie.kernel.support.documents import load_yaml
from homie.kernel.world.furniture import kinds

SURFACES = frozenset(use.kind for use in kinds(lambda use: use.holds in ("top", "boards", "cooktop", "cushion")))
CONTAINERS = frozenset(use.kind for use in kinds(lambda use: use.opens))
SMALL = frozenset(use.kind for use in kinds(lambda use: use.one_more))
"""Furniture that has room for one more object, but not for two."""
FRUIT = ("apple", "banana", "lemon", "orange", "peach", "pear", "plum", "strawberry")
SEVERAL = (2, 3)
"""Possible sizes of a set of objects that a task refers to."""
HUMAN, OPENER, CLOSER = 0.4, 0.25, 0.15
"""Probabilities of a conversational text, of an opener and of a closer."""

Draw: TypeAlias = Callable[["Situation"], TaskDraft | None]


class Situation:
    """A house in which to sample an errand.

    Args:
        kinds: Kinds of objects that may be used.
    """

    def __init__(self, house: House, kinds: Collection[str], rng: random.Random) -> None:
        self.house, self.rng, self._kinds = house, rng, kinds

    def things(self, *, contained: bool = False, kinds: Collection[str] = ()) -> list[str]:
        """Return objects with an unambiguous name in random order: those in closed furniture, or those in the open."""
        house = self.house
        names = [
            name
            for name, item in house.objects.items()
            if item.kind in self._kinds
            and (not kinds or item.kind in kinds)
            and house.spoken(name)
            and item.at in house.furniture
            and (house.container(name) is not None) is contained
        ]
        return self.rng.sample(names, len(names))

    def places(
        self, kinds: Collection[str] = SURFACES, *, excluded: Collection[str] = (), for_two: bool = False
    ) -> list[str]:
        """Return furniture with an unambiguous name on or in which objects can be put, in random order."""
        small = SMALL if for_two else ()
        names = [
            name for name in self.house.of_kind(*(kind for kind in kinds if kind not in small)) if name not in excluded
        ]
        names = [name for name in names if self.house.spoken(name)]
        return self.rng.sample(names, len(names))

    def rooms(self) -> list[str]:
        """Return rooms whose kind is unique, in random order."""
        kinds = list(self.house.rooms.values())
        names = [name for name, kind in self.house.rooms.items() if kinds.count(kind) == 1]
        return self.rng.sample(names, len(names))

    def words(self, **names: str) -> dict[str, str]:
        """Return the words for rooms, furniture and objects in a text, by slot."""
        house = self.house
        return {slot: house.rooms.get(name) or house.spoken(name) or name for slot, name in names.items()}

    def at(self, name: str) -> str:
        return self.house.objects[name].at


@dataclass(frozen=True, slots=True)
class Wordings:
    """Wordings of the tasks of a template.

    Attributes:
        plain: Commands.
        human: Conversational wordings.
        free: Handwritten wordings for tests, never used in training.
    """

    plain: tuple[str, ...]
    human: tuple[str, ...]
    free: tuple[str, ...]

    def sample(self, rng: random.Random, *, free: Sequence[str] = ()) -> tuple[str, bool]:
        """Sample a wording with optional opener and closer, and return whether it is conversational.

        Args:
            rng: Random number generator.
            free: Free wordings to sample from instead.
        """
        if free:
            return rng.choice(free), True
        human = rng.random() < HUMAN
        text = rng.choice(self.human if human else self.plain)
        phrases = _wordings_file()
        opener = rng.choice(phrases["openers"]) if rng.random() < OPENER else ""
        closes = not text.endswith(("?", "!", ".")) and rng.random() < CLOSER
        closer = rng.choice(phrases["closers"]) if closes else ""
        return f"{opener}{text}{closer}", human


@dataclass(frozen=True, slots=True)
class Template:
    """Kind of task.

    Attributes:
        name: Part of the ids of its tasks, and the key of its wordings in `errand_paraphrases.yaml`.
        draw: Function that samples a draft in a house.
        opened: Whether its houses have furniture that is open.
        essential: Whether it is always in training, because no other template has a step of its kind.
    """

    name: str
    draw: Draw
    opened: bool = False
    essential: bool = False

    @property
    def wordings(self) -> Wordings:
        """Wordings of its tasks."""
        return Wordings(**{form: tuple(texts) for form, texts in _wordings_file()[self.name].items()})


@cache
def _wordings_file() -> dict[str, Any]:
    return dict(load_yaml(Path(__file__).with_name("errand_paraphrases.yaml")))


def _place(s: Situation) -> TaskDraft | None:
    for a in s.things():
        for f in s.places(excluded=[s.at(a)]):
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
    targets = [place for place in places if place not in (s.at(a), s.at(b))][:2]
    if len(targets) < 2:
        return None
    return TaskDraft(
        (Step("carry", a, targets[0]), Step("carry", b, targets[1])), s.words(a=a, b=b, f=targets[0], g=targets[1])
    )


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
    for a in s.things(contained=True):
        c = s.at(a)
        for f in s.places():
            if s.house.spoken(c):
                return TaskDraft((Step("carry", a, f), Step("close", where=c)), s.words(a=a, c=c, f=f))
    return None


def _clear(s: Situation) -> TaskDraft | None:
    for f in s.places():
        contents = s.house.things_at(f)
        names = set(s.things())
        for g in s.places(for_two=True, excluded=[f]):
            if len(contents) in SEVERAL and names.issuperset(contents):
                carries = tuple(Step("carry", name, g) for name in contents)
                return TaskDraft((Step("look", where=f), *carries), s.words(f=f, g=g))
    return None


def _fruit(s: Situation) -> TaskDraft | None:
    all_fruit = [name for name, item in s.house.objects.items() if item.kind in FRUIT]
    free = s.things(kinds=FRUIT)
    for f in s.places(for_two=True, excluded=[s.at(name) for name in free]):
        if len(all_fruit) in SEVERAL and len(free) == len(all_fruit):
            return TaskDraft(tuple(Step("carry", name, f) for name in free), s.words(f=f))
    return None


def _nest(s: Situation) -> TaskDraft | None:
    for bowl in s.things(kinds=("bowl",)):
        for a in s.things(kinds=FRUIT):
            return TaskDraft((Step("carry", a, bowl),), s.words(a=a, b=bowl))
    return None


def _exchange(s: Situation) -> TaskDraft | None:
    things = s.things()
    for a in things:
        for b in things:
            a_place, b_place = s.at(a), s.at(b)
            if a_place != b_place and {a_place, b_place} <= set(s.places(for_two=True)):
                steps = (Step("carry", a, b_place), Step("carry", b, a_place))
                return TaskDraft(steps, s.words(a=a, b=b, f=b_place, g=a_place))
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
    current_room = s.house.state.robot.room
    rooms = [room for room in s.rooms() if room != current_room][:2]
    if len(rooms) < 2:
        return None
    steps = tuple(Step("visit", where=room) for room in rooms)
    return TaskDraft(steps, s.words(room=rooms[0], other=rooms[1]), ordered=True)


def _all_but(s: Situation) -> TaskDraft | None:
    names = set(s.things())
    for f in s.places():
        contents = s.house.things_at(f)
        for g in s.places(for_two=True, excluded=[f]):
            if len(contents) in SEVERAL and names.issuperset(contents):
                remaining, *moved = s.rng.sample(contents, len(contents))
                carries = tuple(Step("carry", name, g) for name in moved)
                return TaskDraft((Step("look", where=f), *carries), s.words(a=remaining, f=f, g=g))
    return None


def _next_to(s: Situation) -> TaskDraft | None:
    things = s.things()
    free = s.places(for_two=True)
    for a in things:
        for b in things:
            if s.at(b) in free and s.at(a) != s.at(b):
                return TaskDraft((Step("carry", a, s.at(b), beside=b),), s.words(a=a, b=b))
    return None


def _store_pair(s: Situation) -> TaskDraft | None:
    things = s.things()[:2]
    for c in s.places(CONTAINERS, for_two=True):
        if len(things) == 2:
            carries = tuple(Step("carry", name, c) for name in things)
            return TaskDraft((*carries, Step("close", where=c)), s.words(a=things[0], b=things[1], c=c))
    return None


def _join(s: Situation) -> TaskDraft | None:
    things = s.things()
    free = s.places(for_two=True)
    for c in things:
        pair = [name for name in things if s.at(name) != s.at(c)][:2]
        if s.at(c) in free and len(pair) == 2:
            a, b = pair
            carries = tuple(Step("carry", name, s.at(c), beside=c) for name in pair)
            return TaskDraft(carries, s.words(a=a, b=b, c=c))
    return None


def _replace(s: Situation) -> TaskDraft | None:
    things = s.things()
    free = s.places(for_two=True)
    for a in things:
        for b in things:
            a_place = s.at(a)
            for f in s.places(excluded=[a_place, s.at(b)]):
                if a_place in free and s.at(b) != a_place:
                    return TaskDraft((Step("carry", a, f), Step("carry", b, a_place)), s.words(a=a, b=b, f=f))
    return None


def _chain(s: Situation) -> TaskDraft | None:
    things = _on_three_places(s)
    if things is None:
        return None
    a, b, c = things
    steps = (Step("carry", a, s.at(b), beside=b), Step("carry", b, s.at(c), beside=c))
    return TaskDraft(steps, s.words(a=a, b=b, c=c))


def _cycle(s: Situation) -> TaskDraft | None:
    things = _on_three_places(s)
    if things is None:
        return None
    a, b, c = things
    steps = (
        Step("carry", a, s.at(b), beside=b),
        Step("carry", b, s.at(c), beside=c),
        Step("carry", c, s.at(a)),
    )
    return TaskDraft(steps, s.words(a=a, b=b, c=c))


def _on_three_places(s: Situation) -> tuple[str, str, str] | None:
    """Return three objects on different furniture that has room for another object."""
    free = s.places(for_two=True)
    places: dict[str, str] = {}
    for name in s.things():
        if s.at(name) in free and s.at(name) not in places.values():
            places[name] = s.at(name)
        if len(places) == 3:
            a, b, c = places
            return a, b, c
    return None


TEMPLATES = (
    Template("place", _place),
    Template("store", _store),
    Template("pair", _pair),
    Template("sort", _sort),
    Template("then", _then),
    Template("fetch", _fetch, essential=True),
    Template("take-out", _take_out),
    Template("clear", _clear),
    Template("fruit", _fruit),
    Template("nest", _nest),
    Template("exchange", _exchange),
    Template("open", _open, essential=True),
    Template("shut", _shut, opened=True),
    Template("round", _round),
    Template("all-but", _all_but),
    Template("next-to", _next_to),
    Template("store-pair", _store_pair),
    Template("join", _join),
    Template("replace", _replace),
    Template("chain", _chain),
    Template("cycle", _cycle),
)
"""All templates. Append new ones at the end, so that existing suites can be sampled again unchanged."""

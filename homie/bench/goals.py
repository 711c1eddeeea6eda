"""Goal conditions: predicates on the state of the world at the end of an episode, as a suite file writes them.

    all:
      - in: [apple, fridge]
      - closed: fridge
      - not: {held: apple}

A word means what has exactly that name (`apple_1`), and every thing whose kind or name without its number it is
(`apple`). `anything` means every loose object. docs/suites.md lists the predicates.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from homie.errors import BadInput

OPEN, SHUT = 0.5, 0.06
"""Fraction of its range from which a door or drawer counts as open, and up to which as closed."""
ANYTHING, NOTHING = "anything", "nothing"

Word = Annotated[str, Field(min_length=1)]
Words = Word | Annotated[tuple[Word, ...], Field(min_length=1)]


class ObjectState(BaseModel):
    """A loose object: its kind and what it is directly `in` or `on` (`held`: in the hand)."""

    kind: str
    relation: Literal["in", "on", "held"]
    at: str
    room: str | None = None


class JointState(BaseModel):
    """A door or a drawer: whose it is, and how far open as a fraction of its range."""

    receptacle: str
    fraction: float


class RobotState(BaseModel):
    """Where the robot stands."""

    room: str | None = None


class State(BaseModel):
    """What goals ask of a snapshot of the world (`final_state.json`). The rest of the snapshot is ignored."""

    objects: dict[str, ObjectState] = {}
    joints: dict[str, JointState] = {}
    appliances: dict[str, bool] = {}
    held: str | None = None
    robot: RobotState = RobotState()

    def meant(self, words: Words) -> list[str]:
        """The loose objects that words mean."""
        return [name for name, thing in self.objects.items() if means(words, name, thing.kind)]

    def is_in_or_on(self, name: str, place: str, relations: tuple[str, ...]) -> bool:
        """Whether an object is there, by itself or in or on another that is: an apple in a bowl on the table."""
        seen: set[str] = set()
        while name in self.objects and name not in seen:
            seen.add(name)
            thing = self.objects[name]
            kind = self.objects[thing.at].kind if thing.at in self.objects else ""
            if thing.relation in relations and means(place, thing.at, kind):
                return True
            name = thing.at
        return False

    def fractions(self, word: str) -> list[list[float]]:
        """How far the doors and drawers of each receptacle are open that a word means. Raises BadInput for none."""
        found: dict[str, list[float]] = {}
        for joint in self.joints.values():
            if means(word, joint.receptacle):
                found.setdefault(joint.receptacle, []).append(joint.fraction)
        if not found:
            raise BadInput(f"The goal asks whether '{word}' is open or closed, and no such thing opens.")
        return list(found.values())

    def powered(self, word: str) -> list[bool]:
        """Whether each appliance that a word means is on. Raises BadInput for none."""
        found = [on for name, on in self.appliances.items() if means(word, name)]
        if not found:
            raise BadInput(f"The goal asks whether '{word}' is turned on, and there is no such appliance.")
        return found


def means(words: Words, name: str, kind: str = "") -> bool:
    """Whether one of the words means the thing of this name and kind."""
    unnumbered = re.sub(r"_\d+$", "", name)
    given = (words,) if isinstance(words, str) else words
    return any(word in (name, unnumbered, kind) or (word == ANYTHING and bool(kind)) for word in given)


class _Predicate(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @abstractmethod
    def holds(self, state: State) -> bool:
        """Whether it is so. Raises BadInput if it asks for what the world has not."""

    @abstractmethod
    def words(self) -> Iterator[Words]:
        """What names a thing or a place; words that stand together may mean the same."""


class AllOf(_Predicate):
    """Every one of them."""

    all: Annotated[tuple[Goal, ...], Field(min_length=1)]

    def holds(self, state: State) -> bool:
        verdicts = [goal.holds(state) for goal in self.all]  # every one, so that a mistake in any is told
        return all(verdicts)

    def words(self) -> Iterator[Words]:
        return (word for goal in self.all for word in goal.words())


class AnyOf(_Predicate):
    """At least one of them."""

    any: Annotated[tuple[Goal, ...], Field(min_length=1)]

    def holds(self, state: State) -> bool:
        verdicts = [goal.holds(state) for goal in self.any]
        return any(verdicts)

    def words(self) -> Iterator[Words]:
        return (word for goal in self.any for word in goal.words())


class Not(_Predicate):
    """The opposite."""

    no: Goal = Field(alias="not")

    def holds(self, state: State) -> bool:
        return not self.no.holds(state)

    def words(self) -> Iterator[Words]:
        return self.no.words()


class _Placed(_Predicate):
    """At least one object that the first words mean is at the place that the second means."""

    def pair(self) -> tuple[Words, str]:
        value: tuple[Words, str] = getattr(self, next(iter(type(self).model_fields)))
        return value

    def holds(self, state: State) -> bool:
        things, place = self.pair()
        return any(self.there(state, name, place) for name in state.meant(things))

    @staticmethod
    @abstractmethod
    def there(state: State, name: str, place: str) -> bool:
        """Whether the object is there."""

    def words(self) -> Iterator[Words]:
        things, place = self.pair()
        yield things
        yield place


class In(_Placed):
    """In a container, on a board of a shelf, in a bowl."""

    inside: tuple[Words, Word] = Field(alias="in")

    @staticmethod
    def there(state: State, name: str, place: str) -> bool:
        return state.is_in_or_on(name, place, ("in",))


class On(_Placed):
    """On furniture, on another object, on the floor of a room."""

    on: tuple[Words, Word]

    @staticmethod
    def there(state: State, name: str, place: str) -> bool:
        return state.is_in_or_on(name, place, ("on",))


class At(_Placed):
    """In or on it; of a room: anywhere in it."""

    at: tuple[Words, Word]

    @staticmethod
    def there(state: State, name: str, place: str) -> bool:
        return state.is_in_or_on(name, place, ("in", "on")) or means(place, state.objects[name].room or "")


class Open(_Predicate):
    """Something that the word means has a door or drawer at least half open."""

    open: Word

    def holds(self, state: State) -> bool:
        return any(max(fractions) >= OPEN for fractions in state.fractions(self.open))

    def words(self) -> Iterator[Words]:
        yield self.open


class Closed(_Predicate):
    """Everything that the word means is shut."""

    closed: Word

    def holds(self, state: State) -> bool:
        return all(max(fractions) <= SHUT for fractions in state.fractions(self.closed))

    def words(self) -> Iterator[Words]:
        yield self.closed


class TurnedOn(_Predicate):
    """Every appliance that the word means is on."""

    turned_on: Word

    def holds(self, state: State) -> bool:
        return all(state.powered(self.turned_on))

    def words(self) -> Iterator[Words]:
        yield self.turned_on


class TurnedOff(_Predicate):
    """Every appliance that the word means is off."""

    turned_off: Word

    def holds(self, state: State) -> bool:
        return not any(state.powered(self.turned_off))

    def words(self) -> Iterator[Words]:
        yield self.turned_off


class Held(_Predicate):
    """In the hand; `nothing`: the hand is empty."""

    held: Words

    def holds(self, state: State) -> bool:
        if state.held is None or self.held == NOTHING:
            return state.held is None and self.held == NOTHING
        thing = state.objects.get(state.held)
        return means(self.held, state.held, thing.kind if thing else "")

    def words(self) -> Iterator[Words]:
        yield from () if self.held == NOTHING else (self.held,)


class RobotIn(_Predicate):
    """The robot stands in the room."""

    robot_in: Word

    def holds(self, state: State) -> bool:
        return means(self.robot_in, state.robot.room or "")

    def words(self) -> Iterator[Words]:
        yield self.robot_in


class Amount(_Predicate):
    """How many objects that `of` means are at a place (anywhere, if none is given)."""

    of: Words
    inside: Word | None = Field(None, alias="in")
    on: Word | None = None
    at: Word | None = None
    at_least: int | None = Field(None, ge=0)
    at_most: int | None = Field(None, ge=0)
    exactly: int | None = Field(None, ge=0)
    every: Literal[True] | None = None

    @model_validator(mode="after")
    def _complete(self) -> Amount:
        if sum(place is not None for place in (self.inside, self.on, self.at)) > 1:
            raise ValueError("give one of in, on, at")
        if all(bound is None for bound in (self.at_least, self.at_most, self.exactly, self.every)):
            raise ValueError("give at_least, at_most, exactly or every: true")
        return self

    def holds(self, state: State) -> bool:
        things = state.meant(self.of)
        count = sum(self._there(state, name) for name in things)
        return (
            (self.at_least is None or count >= self.at_least)
            and (self.at_most is None or count <= self.at_most)
            and (self.exactly is None or count == self.exactly)
            and (self.every is None or count == len(things) > 0)
        )

    def _there(self, state: State, name: str) -> bool:
        for place, predicate in ((self.inside, In), (self.on, On), (self.at, At)):
            if place is not None:
                return predicate.there(state, name, place)
        return True

    def words(self) -> Iterator[Words]:
        yield self.of
        yield from (place for place in (self.inside, self.on, self.at) if place is not None)


class Count(_Predicate):
    """A number of objects."""

    count: Amount

    def holds(self, state: State) -> bool:
        return self.count.holds(state)

    def words(self) -> Iterator[Words]:
        return self.count.words()


PREDICATES: Mapping[str, type[_Predicate]] = {
    "all": AllOf,
    "any": AnyOf,
    "not": Not,
    "in": In,
    "on": On,
    "at": At,
    "open": Open,
    "closed": Closed,
    "turned_on": TurnedOn,
    "turned_off": TurnedOff,
    "held": Held,
    "robot_in": RobotIn,
    "count": Count,
}
"""Every predicate by the key that a suite file gives it."""


def _key(value: Any) -> str | None:
    """The predicate that a mapping is, by its only key."""
    if isinstance(value, _Predicate):
        return next((name for name, kind in PREDICATES.items() if type(value) is kind), None)
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else None


Goal: TypeAlias = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")]
    | Annotated[In, Tag("in")]
    | Annotated[On, Tag("on")]
    | Annotated[At, Tag("at")]
    | Annotated[Open, Tag("open")]
    | Annotated[Closed, Tag("closed")]
    | Annotated[TurnedOn, Tag("turned_on")]
    | Annotated[TurnedOff, Tag("turned_off")]
    | Annotated[Held, Tag("held")]
    | Annotated[RobotIn, Tag("robot_in")]
    | Annotated[Count, Tag("count")],
    Discriminator(
        _key,
        custom_error_type="predicate",
        custom_error_message=f"a goal is one predicate of: {', '.join(PREDICATES)}",
    ),
]
"""A predicate on the state of the world."""

for _composed in (AllOf, AnyOf, Not):
    _composed.model_rebuild()


def read_state(snapshot: Mapping[str, object], source: str = "final_state.json") -> State:
    """The state behind a snapshot of the world. Raises BadInput if it is none."""
    try:
        return State.model_validate(snapshot)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{source} is no snapshot that goals can be read from: {where}: {first['msg']}.") from error


def parse_goal(value: object) -> Goal:
    """A goal from what YAML or JSON made of it. Raises BadInput."""
    try:
        goal: Goal = TypeAdapter(Goal).validate_python(value)
    except ValidationError as error:
        raise BadInput(f"goal: {complaint(error)}") from error
    return goal


def complaint(error: ValidationError) -> str:
    """The first complaint of pydantic about a file, as a sentence that begins with the field."""
    first = error.errors()[0]
    location = first["loc"]
    # A predicate is there twice, as the tag and as the field.
    twice = [isinstance(part, str) and part == before for before, part in pairwise((None, *location))]
    path = [str(part) for part, again in zip(location, twice, strict=True) if not again]
    where = f"{'.'.join(path)}: " if path else ""
    said = first["msg"].removeprefix("Value error, ")
    return f"{where}{said[:1].lower()}{said[1:]}."


def unknown_words(goal: Goal, scene: Mapping[str, Any]) -> list[str]:
    """What a goal names and a scene spec (as a mapping) has not. Typing errors, most often.

    Of words that stand together (`[apple, pear, plum]`) one has to be there.
    """
    entities = [item for group in ("rooms", "furniture", "objects") for item in scene.get(group, ())]
    known = [(str(item["name"]), str(item.get("kind", ""))) for item in entities]
    lacking = [words for words in goal.words() if not any(means(words, name, kind) for name, kind in known)]
    return [words if isinstance(words, str) else ", ".join(words) for words in lacking if words != ANYTHING]

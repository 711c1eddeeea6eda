"""Predicates on the state of the world that hold nothing but words: where something is, what is open, held, on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from homie.bench.suite.goals.state import NOTHING, State, Word, Words, means
from homie.kernel import domain
from homie.kernel.errors import BadInput


class Predicate(BaseModel):
    """A condition that a state of the world meets or not."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @abstractmethod
    def holds(self, state: State) -> bool:
        """Whether it is so. Raises BadInput if it asks for what the world has not."""

    @abstractmethod
    def words(self) -> Iterator[Words]:
        """What names a thing or a place; words that stand together may mean the same."""


class _Placed(Predicate):
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


class Open(Predicate):
    """Something that the word means has a door or drawer at least half open."""

    open: Word

    def holds(self, state: State) -> bool:
        return any(domain.is_open(max(fractions)) for fractions in state.fractions(self.open))

    def words(self) -> Iterator[Words]:
        yield self.open


class Closed(Predicate):
    """Everything that the word means is shut; `everything`: all that opens."""

    closed: Word

    def holds(self, state: State) -> bool:
        return all(domain.is_closed(max(fractions)) for fractions in state.fractions(self.closed))

    def words(self) -> Iterator[Words]:
        yield self.closed


class TurnedOn(Predicate):
    """Every appliance that the word means is on."""

    turned_on: Word

    def holds(self, state: State) -> bool:
        return all(state.powered(self.turned_on))

    def words(self) -> Iterator[Words]:
        yield self.turned_on


class TurnedOff(Predicate):
    """Every appliance that the word means is off."""

    turned_off: Word

    def holds(self, state: State) -> bool:
        return not any(state.powered(self.turned_off))

    def words(self) -> Iterator[Words]:
        yield self.turned_off


class Held(Predicate):
    """In the hand; `nothing`: the hand is empty."""

    held: Words

    def holds(self, state: State) -> bool:
        if state.held is None or self.held == NOTHING:
            return state.held is None and self.held == NOTHING
        thing = state.objects.get(state.held)
        return means(self.held, state.held, thing.kind if thing else "")

    def words(self) -> Iterator[Words]:
        yield from () if self.held == NOTHING else (self.held,)


class RobotIn(Predicate):
    """The robot stands in the room."""

    robot_in: Word

    def holds(self, state: State) -> bool:
        return means(self.robot_in, state.robot.room or "")

    def words(self) -> Iterator[Words]:
        yield self.robot_in


class Amount(Predicate):
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


class Count(Predicate):
    """A number of objects."""

    count: Amount

    def holds(self, state: State) -> bool:
        return self.count.holds(state)

    def words(self) -> Iterator[Words]:
        return self.count.words()


class Done(Predicate):
    """The task that the scene itself sets, by the verdict of its world: those of the table have one."""

    done: Literal[True]

    def holds(self, state: State) -> bool:
        if state.success is None:
            raise BadInput("The goal asks whether the scene's own task is done, and this scene sets none.")
        return state.success

    def words(self) -> Iterator[Words]:
        yield from ()

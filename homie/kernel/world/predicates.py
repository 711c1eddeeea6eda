"""Elementary predicates on the state of the world: places of objects, and what is open, held or turned on."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from homie.kernel.errors import BadInput
from homie.kernel.world import thresholds
from homie.kernel.world.condition_words import (
    NOTHING,
    Word,
    Words,
    distance_on_floor,
    format_words,
    fractions,
    from_robot,
    likely,
    means,
    objects_meant,
    place_meant,
    spellings,
    states,
)
from homie.kernel.world.snapshot import Relation, State, WorldSnapshot


class Predicate(BaseModel):
    """A condition on a state of the world."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @abstractmethod
    def holds(self, world: WorldSnapshot) -> bool:
        """Whether it holds. Raises BadInput if it refers to something that the world does not have."""

    def parts(self, world: WorldSnapshot) -> tuple[float, int]:
        """Return how many of its conjuncts hold (with partial credit), and their number, 1 for an elementary predicate.
        Raises as `holds`."""
        return float(self.holds(world)), 1

    def progress(self, world: WorldSnapshot) -> float:
        """Return the fraction of its conjuncts that hold, from 0 to 1. Raises as `holds`."""
        met, number = self.parts(world)
        return met / number

    @abstractmethod
    def words(self) -> Iterator[Words]:
        """Yield the words that name entities or places; alternatives are yielded as one item."""


# ---------------------------------------------------------------- places


class Placed(Predicate):
    """At least one object that the first words match is at the place that the second word matches."""

    relations: ClassVar[tuple[Relation, ...]]

    @property
    def pair(self) -> tuple[Words, str]:
        """The words for the object, and the word for the place."""
        value: tuple[Words, str] = getattr(self, next(iter(type(self).model_fields)))
        return value

    def holds(self, world: WorldSnapshot) -> bool:
        objects, place = self.pair
        return any(self.is_at(world, name, place) for name in objects_meant(world, objects))

    @classmethod
    def is_at(cls, world: WorldSnapshot, name: str, place: str) -> bool:
        """Whether the object of this name is at the place."""
        return _is_placed(world, name, place, cls.relations)

    def words(self) -> Iterator[Words]:
        yield from self.pair


class In(Placed):
    """In a container, on a board of a shelf, in a bowl."""

    relations = ("in",)
    inside: tuple[Words, Word] = Field(alias="in")


class On(Placed):
    """On furniture, on another object, on the floor of a room."""

    relations = ("on",)
    on: tuple[Words, Word]


class Under(Placed):
    """Under furniture or another object, if the environment supplies that relation."""

    relations = ("under",)
    under: tuple[Words, Word]


class At(Placed):
    """In or on the place; for a room: anywhere in it."""

    relations = ("in", "on")
    at: tuple[Words, Word]

    @classmethod
    def is_at(cls, world: WorldSnapshot, name: str, place: str) -> bool:
        room = world.objects[name].room
        return super().is_at(world, name, place) or (room is not None and place_meant(world, place, room))


class Sorted(Placed):
    """In the compartment of its own kind: a star below the star-shaped hole of a shape sorter."""

    sorted: tuple[Words, Word]

    @classmethod
    def is_at(cls, world: WorldSnapshot, name: str, place: str) -> bool:
        item = world.objects[name]
        return item.relation == "in" and item.surface == item.kind and place_meant(world, place, item.at)


class Stacked(Predicate):
    """A tower, given from bottom to top: each object stands directly on the previous one."""

    stacked: Annotated[tuple[Words, ...], Field(min_length=2)]

    def holds(self, world: WorldSnapshot) -> bool:
        bottom, *upper_words = self.stacked
        places = (item.at for item in world.objects.values())
        below = {place for place in places if place_meant(world, bottom, place)}
        for words in upper_words:
            candidates = {name: world.objects[name] for name in objects_meant(world, words)}
            below = {name for name, item in candidates.items() if item.relation == "on" and item.at in below}
        return bool(below)

    def words(self) -> Iterator[Words]:
        yield from self.stacked


class Held(Predicate):
    """In the hand; `nothing`: the hand is empty."""

    held: Words

    def holds(self, world: WorldSnapshot) -> bool:
        if world.held is None or self.held == NOTHING:
            return world.held is None and self.held == NOTHING
        return means(self.held, world.held) or world.held in objects_meant(world, self.held)

    def words(self) -> Iterator[Words]:
        yield from () if self.held == NOTHING else (self.held,)


class RobotIn(Predicate):
    """The robot stands in the room."""

    robot_in: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return world.robot.room is not None and place_meant(world, self.robot_in, world.robot.room)

    def words(self) -> Iterator[Words]:
        yield self.robot_in


class Near(Predicate):
    """The robot is near an entity that the words match: the horizontal distance of its base to the entity's box is at
    most `thresholds.NEAR`."""

    near: Words

    def holds(self, world: WorldSnapshot) -> bool:
        robot = world.robot
        matches = [item for name, item in world.things.items() if place_meant(world, self.near, name)]
        if robot.x is None or robot.y is None or any(item.position is None for item in matches):
            raise BadInput(
                f"The goal asks whether the robot is near '{format_words(self.near)}', and this world tells no places."
            )
        return any(thresholds.is_near(distance_on_floor(item, robot.x, robot.y)) for item in matches)

    def words(self) -> Iterator[Words]:
        yield self.near


class Within(Predicate):
    """The horizontal distance of the robot's base to the centre of an entity that the words match is at most the given
    number of metres."""

    within: tuple[Words, Annotated[float, Field(gt=0.0, le=100.0)]]

    def holds(self, world: WorldSnapshot) -> bool:
        words, metres = self.within
        return any(math.hypot(dx, dy) <= metres for dx, dy in from_robot(world, words))

    def words(self) -> Iterator[Words]:
        yield self.within[0]


# ---------------------------------------------------------------- states


class Open(Predicate):
    """An entity that the word matches has a door or drawer at least half open."""

    open: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return any(thresholds.is_open(max(openings)) for openings in fractions(world, self.open))

    def words(self) -> Iterator[Words]:
        yield self.open


class Closed(Predicate):
    """Every entity that the word matches is closed; `everything`: all doors and drawers."""

    closed: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return all(thresholds.is_closed(max(openings)) for openings in fractions(world, self.closed))

    def words(self) -> Iterator[Words]:
        yield self.closed


class TurnedOn(Predicate):
    """Every appliance that the word matches is on."""

    turned_on: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return all(_power_states(world, self.turned_on))

    def words(self) -> Iterator[Words]:
        yield self.turned_on


class TurnedOff(Predicate):
    """Every appliance that the word matches is off."""

    turned_off: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return not any(_power_states(world, self.turned_off))

    def words(self) -> Iterator[Words]:
        yield self.turned_off


class Is(Predicate):
    """An entity that the words match is in a state: sliced, wiped, on. The environment defines the states."""

    in_state: tuple[Words, Word] = Field(alias="is")

    def holds(self, world: WorldSnapshot) -> bool:
        words, state = self.in_state
        return any(thresholds.is_so(state, value) for value in _state_values(world, words, state).values())

    def words(self) -> Iterator[Words]:
        yield self.in_state[0]


class IsNot(Predicate):
    """No entity that the words match is in a state, not even partly: an area to be spared is not wiped."""

    not_in_state: tuple[Words, Word] = Field(alias="is_not")

    def holds(self, world: WorldSnapshot) -> bool:
        words, state = self.not_in_state
        return all(thresholds.is_not_so(state, value) for value in _state_values(world, words, state).values())

    def words(self) -> Iterator[Words]:
        yield self.not_in_state[0]


def _power_states(world: WorldSnapshot, word: str) -> list[bool]:
    """Return whether each appliance that a word matches is on. Raises BadInput for none."""
    values = states(world, word, "on")
    if not values:
        hint = likely(word, _words_of(world, "on")) or "."
        raise BadInput(f"The goal asks whether '{word}' is turned on, and there is no such appliance{hint}")
    return [thresholds.is_so("on", value) for value in values.values()]


def _words_of(world: WorldSnapshot, state: str) -> list[str]:
    """Return the valid words for the entities of a world that have a state."""
    return spellings(world, {name for name, item in world.things.items() if state in item.states})


def _state_values(world: WorldSnapshot, words: Words, state: str) -> Mapping[str, State]:
    """Return the values of a state by name, for the entities that words match. Raises BadInput for none."""
    values = states(world, words, state)
    if not values:
        state_names = sorted({name for item in world.things.values() for name in item.states})
        state_list = (
            f": the states here are: {', '.join(state_names)}." if state_names else ": this world tells no states."
        )
        hint = likely(words, _words_of(world, state)) if state in state_names else likely(state, state_names)
        raise BadInput(
            f"The goal asks whether '{format_words(words)}' is {state}, "
            f"which nothing of that name can be{hint or state_list}"
        )
    return values


# ---------------------------------------------------------------- counts, and the scene's own task


class Amount(Predicate):
    """Bounds on the number of objects that `of` matches, at a place and in a state if these are given."""

    of: Words
    inside: Word | None = Field(None, alias="in")
    on: Word | None = None
    at: Word | None = None
    state: Word | None = Field(None, alias="is")
    at_least: int | None = Field(None, ge=0)
    at_most: int | None = Field(None, ge=0)
    exactly: int | None = Field(None, ge=0)
    every: Literal[True] | None = None

    @model_validator(mode="after")
    def _check_bounds(self) -> Amount:
        if sum(place is not None for place in (self.inside, self.on, self.at)) > 1:
            raise ValueError("give one of in, on, at")
        if all(bound is None for bound in (self.at_least, self.at_most, self.exactly, self.every)):
            raise ValueError("give at_least, at_most, exactly or every: true")
        lower_bound = max(bound for bound in (self.at_least, self.exactly, 0) if bound is not None)
        upper_bound = min((bound for bound in (self.at_most, self.exactly) if bound is not None), default=lower_bound)
        if lower_bound > upper_bound:
            raise ValueError(f"no number is at least {lower_bound} and at most {upper_bound}")
        return self

    def holds(self, world: WorldSnapshot) -> bool:
        objects = objects_meant(world, self.of)
        count = sum(self._matches(world, name) for name in objects)
        return (
            (self.at_least is None or count >= self.at_least)
            and (self.at_most is None or count <= self.at_most)
            and (self.exactly is None or count == self.exactly)
            and (self.every is None or count == len(objects) > 0)
        )

    def _matches(self, world: WorldSnapshot, name: str) -> bool:
        places: tuple[tuple[str | None, type[Placed]], ...] = ((self.inside, In), (self.on, On), (self.at, At))
        is_placed = all(place is None or predicate.is_at(world, name, place) for place, predicate in places)
        value = None if self.state is None else world.objects[name].states.get(self.state, False)
        return is_placed and (value is None or thresholds.is_so(str(self.state), value))

    def words(self) -> Iterator[Words]:
        yield self.of
        yield from (place for place in (self.inside, self.on, self.at) if place is not None)


class Count(Predicate):
    """The number of objects is within bounds."""

    count: Amount

    def holds(self, world: WorldSnapshot) -> bool:
        return self.count.holds(world)

    def words(self) -> Iterator[Words]:
        return self.count.words()


class Done(Predicate):
    """The scene's own task is done, as judged by its environment: the table scenes have one."""

    done: Literal[True]

    def holds(self, world: WorldSnapshot) -> bool:
        if world.success is None:
            raise BadInput("The goal asks whether the scene's own task is done, and this scene sets none.")
        return world.success

    def words(self) -> Iterator[Words]:
        yield from ()


def _is_placed(world: WorldSnapshot, name: str, place: str, relations: Collection[Relation]) -> bool:
    """Whether an object is at a place, directly or in or on another object there: an apple in a bowl on the table.

    The relation to the place itself, at the end of this chain, has to be one of the given ones.
    """
    return any(item.relation in relations and place_meant(world, place, item.at) for item in world.around(name))

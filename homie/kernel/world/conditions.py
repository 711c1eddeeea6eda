"""Conditions: predicates on the state of a world, used in suite files and scenes. The goal language of Homie.

    all:
      - in: [apple, fridge]
      - closed: fridge
      - not: {held: apple}

They are evaluated on a `homie.kernel.world.snapshot.WorldSnapshot` and therefore work in every environment that
supplies its state. They are in the kernel, below the environments, because some scenes (the Panda's tables) set a task
themselves.

A word matches the entity with exactly that name (`apple_1`), and every entity with that kind, or that name without its
number (`apple`). `anything` matches every loose object. docs/suites.md lists the predicates.

>>> from homie.kernel.world.snapshot import read_snapshot
>>> world = read_snapshot({"objects": {"mug_1": {"kind": "mug", "relation": "on", "at": "table_2"}}})
>>> parse_condition({"on": ["mug", "table"]}).holds(world)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError

from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.support.validation_sentences import fault_of, sentence_of
from homie.kernel.world.condition_words import (
    ANYTHING,
    EVERYTHING,
    Words,
    format_words,
    likely,
    means,
    names_and_kinds,
    spellings,
)
from homie.kernel.world.predicates import (
    At,
    Closed,
    Count,
    Done,
    Held,
    In,
    Is,
    IsNot,
    Near,
    On,
    Open,
    Predicate,
    RobotIn,
    Sorted,
    Stacked,
    TurnedOff,
    TurnedOn,
    Under,
    Within,
)
from homie.kernel.world.predicates_people import Followed, Given, Shown
from homie.kernel.world.snapshot import WorldSnapshot

__all__ = [
    "PREDICATES",
    "Condition",
    "Predicate",
    "conjuncts",
    "parse_condition",
    "problem_of",
    "serialize_condition",
    "unknown_words",
    "with_nearest",
]


class AllOf(Predicate):
    """All of the conditions hold."""

    all: Annotated[tuple[Condition, ...], Field(min_length=1)]

    def holds(self, world: WorldSnapshot) -> bool:
        verdicts = [
            condition.holds(world) for condition in self.all
        ]  # evaluate all, so that an invalid condition is always reported
        return all(verdicts)

    def parts(self, world: WorldSnapshot) -> tuple[float, int]:
        parts = [condition.parts(world) for condition in self.all]
        return sum(met for met, _ in parts), sum(number for _, number in parts)

    def words(self) -> Iterator[Words]:
        return (word for condition in self.all for word in condition.words())


class AnyOf(Predicate):
    """At least one of the conditions holds."""

    any: Annotated[tuple[Condition, ...], Field(min_length=1)]

    def holds(self, world: WorldSnapshot) -> bool:
        verdicts = [condition.holds(world) for condition in self.any]
        return any(verdicts)

    def parts(self, world: WorldSnapshot) -> tuple[float, int]:
        """Count as one condition, with the progress of the best alternative."""
        return max(condition.progress(world) for condition in self.any), 1

    def words(self) -> Iterator[Words]:
        return (word for condition in self.any for word in condition.words())


class Not(Predicate):
    """The condition does not hold."""

    no: Condition = Field(alias="not")

    def holds(self, world: WorldSnapshot) -> bool:
        return not self.no.holds(world)

    def words(self) -> Iterator[Words]:
        return self.no.words()


PREDICATES: Mapping[str, type[Predicate]] = {
    "all": AllOf,
    "any": AnyOf,
    "not": Not,
    "in": In,
    "on": On,
    "at": At,
    "under": Under,
    "sorted": Sorted,
    "stacked": Stacked,
    "is": Is,
    "is_not": IsNot,
    "open": Open,
    "closed": Closed,
    "turned_on": TurnedOn,
    "turned_off": TurnedOff,
    "held": Held,
    "given": Given,
    "shown": Shown,
    "followed": Followed,
    "near": Near,
    "within": Within,
    "robot_in": RobotIn,
    "count": Count,
    "done": Done,
}
"""Every predicate by its key in suite files."""


UNKNOWN = "predicate"
"""Pydantic's error type for an unknown predicate."""


def _key(value: Any) -> str | None:
    """Return the key of the predicate in a mapping, which has one key only."""
    if isinstance(value, Predicate):
        return next((name for name, kind in PREDICATES.items() if type(value) is kind), None)
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else None


Condition: TypeAlias = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")]
    | Annotated[In, Tag("in")]
    | Annotated[On, Tag("on")]
    | Annotated[At, Tag("at")]
    | Annotated[Under, Tag("under")]
    | Annotated[Sorted, Tag("sorted")]
    | Annotated[Stacked, Tag("stacked")]
    | Annotated[Is, Tag("is")]
    | Annotated[IsNot, Tag("is_not")]
    | Annotated[Open, Tag("open")]
    | Annotated[Closed, Tag("closed")]
    | Annotated[TurnedOn, Tag("turned_on")]
    | Annotated[TurnedOff, Tag("turned_off")]
    | Annotated[Held, Tag("held")]
    | Annotated[Given, Tag("given")]
    | Annotated[Shown, Tag("shown")]
    | Annotated[Followed, Tag("followed")]
    | Annotated[Near, Tag("near")]
    | Annotated[Within, Tag("within")]
    | Annotated[RobotIn, Tag("robot_in")]
    | Annotated[Count, Tag("count")]
    | Annotated[Done, Tag("done")],
    Discriminator(
        _key,
        custom_error_type=UNKNOWN,
        custom_error_message=f"a goal is one predicate of: {', '.join(PREDICATES)}",
    ),
]
"""A predicate on the state of the world."""

for _composed in (AllOf, AnyOf, Not):
    _composed.model_rebuild()


_CONDITION: TypeAdapter[Condition] = TypeAdapter(Condition)


def parse_condition(value: object) -> Condition:
    """Parse a condition from loaded YAML or JSON.

    Args:
        value: A mapping with the key of one predicate, such as `{"in": ["apple", "fridge"]}`, or a condition.

    Returns:
        The condition, to be evaluated by `holds(snapshot)`.

    Raises:
        BadInput: It is not a condition; the message says where.

    >>> parse_condition({"held": "nothing"}).holds(WorldSnapshot())
    True
    """
    try:
        return _CONDITION.validate_python(value)
    except ValidationError as error:
        raise BadInput(f"goal: {problem_of(error)}") from error


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Split a condition into its conjuncts: the members of an `all`, or the condition alone.

    >>> len(conjuncts(parse_condition({"all": [{"held": "nothing"}, {"closed": "fridge"}]})))
    2
    """
    return condition.all if isinstance(condition, AllOf) else (condition,)


def serialize_condition(condition: Condition) -> dict[str, Any]:
    """Serialize a condition as in a suite file, JSON-serializable: the inverse of `parse_condition`."""
    mapping: dict[str, Any] = _CONDITION.dump_python(condition, mode="json", by_alias=True, exclude_none=True)
    return mapping


def problem_of(error: ValidationError) -> str:
    """Format the first validation error of a file as a sentence that begins with the field."""
    fault = fault_of(error)
    location, value = fault["loc"], fault["input"]
    # The location has a predicate twice: as the tag of the union and as the field.
    repeats = [isinstance(part, str) and part == previous for previous, part in pairwise((None, *location))]
    path = [str(part) for part, repeated in zip(location, repeats, strict=True) if not repeated]
    if fault["type"] == UNKNOWN and isinstance(value, Mapping) and len(value) == 1:
        key = str(next(iter(value)))
        if hint := did_you_mean(key, PREDICATES):
            return f"{'.'.join(path) or 'it'} has no predicate '{key}'{hint}"
    return f"{sentence_of(fault, '.'.join(path), error=error)}."


def unknown_words(condition: Condition, world: WorldSnapshot) -> list[str]:
    """Return the words of a condition that match nothing in a world, most often typing errors.

    Of alternative words (`[apple, pear, plum]`) one has to match.
    """
    known = list(names_and_kinds(world))
    missing = [words for words in condition.words() if not any(means(words, name, kind) for name, kind in known)]
    return [format_words(words) for words in missing if words not in (ANYTHING, EVERYTHING)]


def with_nearest(unknown: Sequence[str], world: WorldSnapshot) -> str:
    """Format unknown words for an error message, each with the most similar word of the world.

    >>> from homie.kernel.world.snapshot import read_snapshot
    >>> world = read_snapshot({"objects": {"apple_1": {"kind": "apple", "relation": "on", "at": "table"}}})
    >>> with_nearest(["aple", "spoon"], world)
    "aple (did you mean 'apple'?), spoon"
    """
    known = spellings(world)
    phrases = []
    for words in unknown:
        phrases.append(words + likely(tuple(words.split(", ")), known, " (", ")"))
    return ", ".join(phrases)

"""Goals as a suite file writes them: one predicate, or several composed with `all`, `any` and `not`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError

from homie.bench.suite.goals.predicates import (
    At,
    Closed,
    Count,
    Done,
    Held,
    In,
    On,
    Open,
    Predicate,
    RobotIn,
    TurnedOff,
    TurnedOn,
)
from homie.bench.suite.goals.state import ANYTHING, EVERYTHING, State, Words, means
from homie.kernel.errors import BadInput
from homie.kernel.text import own_words


class AllOf(Predicate):
    """Every one of them."""

    all: Annotated[tuple[Goal, ...], Field(min_length=1)]

    def holds(self, state: State) -> bool:
        verdicts = [goal.holds(state) for goal in self.all]  # every one, so that a mistake in any is told
        return all(verdicts)

    def words(self) -> Iterator[Words]:
        return (word for goal in self.all for word in goal.words())


class AnyOf(Predicate):
    """At least one of them."""

    any: Annotated[tuple[Goal, ...], Field(min_length=1)]

    def holds(self, state: State) -> bool:
        verdicts = [goal.holds(state) for goal in self.any]
        return any(verdicts)

    def words(self) -> Iterator[Words]:
        return (word for goal in self.any for word in goal.words())


class Not(Predicate):
    """The opposite."""

    no: Goal = Field(alias="not")

    def holds(self, state: State) -> bool:
        return not self.no.holds(state)

    def words(self) -> Iterator[Words]:
        return self.no.words()


PREDICATES: Mapping[str, type[Predicate]] = {
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
    "done": Done,
}
"""Every predicate by the key that a suite file gives it."""


def _key(value: Any) -> str | None:
    """The predicate that a mapping is, by its only key."""
    if isinstance(value, Predicate):
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
    | Annotated[Count, Tag("count")]
    | Annotated[Done, Tag("done")],
    Discriminator(
        _key,
        custom_error_type="predicate",
        custom_error_message=f"a goal is one predicate of: {', '.join(PREDICATES)}",
    ),
]
"""A predicate on the state of the world."""

for _composed in (AllOf, AnyOf, Not):
    _composed.model_rebuild()


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
    said = own_words(first["msg"])
    return f"{where}{said[:1].lower()}{said[1:]}."


def unknown_words(goal: Goal, scene: Mapping[str, Any]) -> list[str]:
    """What a goal names and a scene spec (as a mapping) has not. Typing errors, most often.

    Of words that stand together (`[apple, pear, plum]`) one has to be there.
    """
    entities = [item for group in ("rooms", "furniture", "objects", "things") for item in scene.get(group, ())]
    known = [(str(item["name"]), str(item.get("kind", ""))) for item in entities]
    known += [("table", ""), ("floor", "")] if "things" in scene else []  # under the things of a table, in no list
    lacking = [words for words in goal.words() if not any(means(words, name, kind) for name, kind in known)]
    return [
        words if isinstance(words, str) else ", ".join(words)
        for words in lacking
        if words not in (ANYTHING, EVERYTHING)
    ]

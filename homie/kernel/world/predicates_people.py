"""Predicates about people: objects given and shown to them, and whether they were followed."""

from __future__ import annotations

from collections.abc import Iterator

from homie.kernel.errors import BadInput
from homie.kernel.world.condition_words import Word, Words, likely, objects_meant, place_meant, spellings
from homie.kernel.world.predicates import Predicate
from homie.kernel.world.snapshot import PersonState, WorldSnapshot


class Given(Predicate):
    """An object that the first words match is in the hand of a person that the second word matches."""

    given: tuple[Words, Word]

    def holds(self, world: WorldSnapshot) -> bool:
        objects, word = self.given
        people = _people(world, word)
        states = (world.objects[name] for name in objects_meant(world, objects))
        return any(item.relation == "held" and item.at in people for item in states)

    def words(self) -> Iterator[Words]:
        yield from self.given


class Shown(Predicate):
    """A person that the second word matches was shown an object that the first words match."""

    shown: tuple[Words, Word]

    def holds(self, world: WorldSnapshot) -> bool:
        objects, word = self.shown
        names = objects_meant(world, objects)
        return any(name in person.shown for person in _people(world, word).values() for name in names)

    def words(self) -> Iterator[Words]:
        yield from self.shown


class Followed(Predicate):
    """The robot has followed a person to the place where the person walked."""

    followed: Word

    def holds(self, world: WorldSnapshot) -> bool:
        return any(person.followed is True for person in _people(world, self.followed).values())

    def words(self) -> Iterator[Words]:
        yield self.followed


def _people(world: WorldSnapshot, word: str) -> dict[str, PersonState]:
    """Return the people that a word matches, by name. Raises BadInput for none."""
    people = {name: person for name, person in world.people.items() if place_meant(world, word, name)}
    if not people:
        hint = likely(word, spellings(world, world.people)) or "."
        raise BadInput(f"The goal asks whether something was done with '{word}', and there is no such person{hint}")
    return people

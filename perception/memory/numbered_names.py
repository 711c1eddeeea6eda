"""Names of objects in the input of planners: one per object, constant over views and over the episode."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from perception.names import canonical, readings

_NUMBERED = re.compile(r"^(.+) (\d+)$")


class Names:
    """The names of one episode.

    Until a planner gets an entity's name, the picture that shows most of the entity decides it. Then the name and its
    number are fixed: entities with one name that are named together are numbered from 1, a single one has no number,
    and a later one gets the next number. A name is never reused for another entity.
    """

    def __init__(self) -> None:
        self._name: dict[str, str] = {}
        self._shares: dict[str, float] = {}
        self._number: dict[str, int] = {}
        self._bearers: dict[str, list[str]] = {}
        self._unnumbered: dict[str, str] = {}
        """Name -> the entity that has it without a number."""
        self._merged: dict[str, str] = {}

    def __contains__(self, entity: str) -> bool:
        return entity in self._name

    def note(self, entity: str, name: str, share: float) -> None:
        """Record a detector's name for an entity, and the share of a picture (0 to 1) that the entity fills.

        Args:
            share: 0 for an entity never seen. Its name is provisional: the first look decides, and the earlier name
                still resolves.
        """
        if entity not in self._name:
            self._name[entity], self._shares[entity] = name, share
        elif entity not in self._number or self._shares[entity] == 0.0 < share:
            if canonical(name) != canonical(self._name[entity]):
                self._number.pop(entity, None)
            plainer = self._name[entity].endswith(f" {name}")  # without the colour, which this light hides
            if share > self._shares[entity] and not plainer:
                self._name[entity], self._shares[entity] = name, share

    def tell(self, entities: Iterable[str]) -> None:
        """Fix the names and numbers of entities that were passed to `note`, in the order in which they were noted."""
        new_entities: dict[str, list[str]] = defaultdict(list)
        unnamed = {entity for entity in entities if entity not in self._number}
        for entity in self._name if unnamed else ():
            if entity in unnamed:
                new_entities[canonical(self._name[entity])].append(entity)
        for name, entities_of_name in new_entities.items():
            bearers = self._bearers.setdefault(name, [])
            if not bearers and len(entities_of_name) == 1:
                self._unnumbered[name] = entities_of_name[0]
            for entity in entities_of_name:
                bearers.append(entity)
                self._number[entity] = 0 if self._unnumbered.get(name) == entity else len(bearers)

    def name(self, entity: str) -> str:
        """Return an entity's name without number. Raises KeyError if it has no name."""
        return self._name[entity]

    def number(self, entity: str) -> int:
        """Return an entity's number among those with its name, 0 if it was the only one when named. Raises KeyError if
        it has no name."""
        if entity not in self._number:
            self.tell([entity])
        return self._number[entity]

    def called(self, entity: str) -> str:
        """Return an entity's name with its number. Raises KeyError if it has no name."""
        number = self.number(entity)
        return f"{self._name[entity]} {number}" if number else self._name[entity]

    def merge(self, entity: str, remaining_entity: str) -> None:
        """Merge two named entities: the names of `entity` resolve to `remaining_entity` from now on."""
        self._merged[entity] = remaining_entity

    def bearers(self, words: str) -> tuple[tuple[str, ...], bool]:
        """Return the entities with a name, and whether the words contain a number.

        A name without number resolves to the entity with exactly that name, else to all that have it with a number.
        """
        for reading in readings(words):
            bearers = self._bearers.get(reading, [])
            if bearers:
                named_entities = [self._unnumbered[reading]] if reading in self._unnumbered else bearers
                return tuple(dict.fromkeys(map(self._resolve_merged, named_entities))), False
            number_match = _NUMBERED.match(reading)
            if number_match is not None:
                bearers, number = self._bearers.get(number_match[1], []), int(number_match[2])
                if 1 <= number <= len(bearers):
                    return (self._resolve_merged(bearers[number - 1]),), True
        return (), False

    def _resolve_merged(self, entity: str) -> str:
        while entity in self._merged:
            entity = self._merged[entity]
        return entity

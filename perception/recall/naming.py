"""What a planner is told that things are called: one name for a thing, from every side and for the whole episode."""

from __future__ import annotations

import re

from perception.words.names import canonical, readings

PLAIN = 0.02
"""Share of a picture from which a look tells the name for good: 36 by 36 of 256 by 256 pixels."""
CLOSER = 2.0
"""How many times as much of a thing a look has to show, up to there, to change its name."""

_NUMBERED = re.compile(r"^(.+) (\d+)$")


class Names:
    """The names of one episode. A name that was given stays understood, also where a closer look has changed it.

    Things of one name are numbered in the order in which they got it; numbers show as soon as there are two.
    """

    def __init__(self) -> None:
        self._name: dict[str, str] = {}
        self._shown: dict[str, float] = {}
        self._bearers: dict[str, list[str]] = {}

    def __contains__(self, entity: str) -> bool:
        return entity in self._name

    def note(self, entity: str, name: str, share: float) -> None:
        """A look at a thing: what the detector calls it, and the share of a picture (0 to 1) that it fills."""
        before, shown = self._name.get(entity), self._shown.get(entity, 0.0)
        if before is None or (before != name and shown < PLAIN and share > CLOSER * shown):
            self._name[entity], self._shown[entity] = name, share
            bearers = self._bearers.setdefault(canonical(name), [])
            if entity not in bearers:
                bearers.append(entity)
        elif before == name:
            self._shown[entity] = max(shown, share)

    def name(self, entity: str) -> str:
        """Its name without number. Raises KeyError for what has none."""
        return self._name[entity]

    def number(self, entity: str) -> int:
        """Its number among those of its name, 0 where it is the only one. Raises KeyError for what has no name."""
        bearers = self._bearers[canonical(self._name[entity])]
        return bearers.index(entity) + 1 if len(bearers) > 1 else 0

    def called(self, entity: str) -> str:
        """Its name with its number. Raises KeyError for what has none."""
        number = self.number(entity)
        return f"{self._name[entity]} {number}" if number else self._name[entity]

    def bearers(self, words: str) -> tuple[tuple[str, ...], bool]:
        """The entities that were told by a name, and whether the words have the number of one."""
        for reading in readings(words):
            if reading in self._bearers:
                return tuple(self._bearers[reading]), False
            numbered = _NUMBERED.match(reading)
            if numbered is not None:
                bearers, number = self._bearers.get(numbered[1], []), int(numbered[2])
                if 1 <= number <= len(bearers):
                    return (bearers[number - 1],), True
        return (), False

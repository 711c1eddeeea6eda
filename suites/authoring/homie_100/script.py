"""Errands as one line of text, bound to the objects of a house.

    2*apple@table>fridge mug>sink -fridge | @kitchen

A script is a row of steps. Their order is free unless a step needs another one; `|` separates earlier from later steps.

| step | meaning |
|---|---|
| `apple>fridge` | carry the only apple there; it stands free |
| `apple@fridge>sofa` | the only apple at a fridge, in a drawer, on furniture of a kind, in a room of a kind |
| `2*apple@table>sofa`, `3*fruit@kitchen>sofa` | all apples on a table, all fruit in the kitchen: exactly so many |
| `2*@tv_stand>sofa` | all objects there |
| `red.mug>sink` | the only red mug |
| `+fridge`, `-fridge`, `-*` | open it; have it shut; have everything shut |
| `@kitchen` | go there; at the end of a script, stay there |
| `^apple` | pick it up and keep it |
| `=pear`, `=@table`, `=fruit@table` | it (or all else there) stays where it is |
| `!pear>fridge` | must not be done, and the pear stays: the other branch of a condition |

`drawer#2` is another drawer than `drawer`, `open.drawer` the open one, `at.pear` the furniture where the pear is. A
noun means the same object in all scripts of a task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.homie_100.words import ANY_WILL_DO, at_kind, of_class, targets
from suites.authoring.states_script import UnsuitedHouse

Kind = Literal["carry", "open", "close", "close all", "visit", "take", "stay", "never", "bar"]
_CARRY = re.compile(
    r"(?P<never>!)?(?:(?P<count>\d+)\*)?(?P<noun>[a-z_.]*)(?:@(?P<at>[a-z_#0-9.]+))?>(?P<to>[a-z_#0-9.]+)"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One bound step: `item` is an object, `where` furniture, a bowl or a room, both by name.

    Attributes:
        exact: Only this piece of furniture will do, whatever its kind.
    """

    kind: Kind
    item: str = ""
    where: str = ""
    exact: bool = False


class Binder:
    """Binds the nouns of a task to a house. Raises UnsuitedHouse."""

    def __init__(self, house: GeneratedHouse) -> None:
        self.house = house
        self.places: dict[str, str] = {}
        self._things: dict[str, str] = {}

    def read(self, script: str, *, anything: bool = False) -> list[Step]:
        """Parse a script into steps.

        Args:
            anything: It may bring objects to where they already are, as a wrong plan does.
        """
        steps: list[Step] = []
        waiting = [_CARRY.fullmatch(token) for token in script.split()]
        for token, carry in zip(script.split(), waiting, strict=True):
            if carry is not None:
                steps += self._carry(carry, self._count_to(script, carry["to"]), steps, anything)
            elif token == "|":
                steps.append(Step("bar"))
            elif token == "-*":
                steps.append(Step("close all"))
            elif token[0] in "+-":
                exact = "." in token
                steps.append(Step("open" if token[0] == "+" else "close", where=self.place(token[1:]), exact=exact))
            elif token[0] == "^":
                steps.append(Step("take", self.thing(token[1:])))
            elif token[0] == "=":
                steps += self._stay(token[1:], steps)
            else:
                steps.append(Step("visit", where=self.place(token[1:])))
        return steps

    def _count_to(self, script: str, to: str) -> int:
        """Return how many objects a script brings to a place."""
        matches = (_CARRY.fullmatch(token) for token in script.split())
        return sum(int(match["count"] or 1) for match in matches if match and match["to"] == to and not match["never"])

    def _carry(self, match: re.Match[str], crowd: int, before: list[Step], anything: bool) -> list[Step]:
        kind: Kind = "never" if match["never"] else "carry"
        if match["count"]:
            still = {step.item for step in before if step.kind == "stay"}
            things = [name for name in self._all(match["noun"], match["at"] or "") if name not in still]
            if len(things) != int(match["count"]):
                raise UnsuitedHouse(match[0])
        else:
            things = [self.thing(match["noun"] + (f"@{match['at']}" if match["at"] else ""))]
        to = self.place(match["to"], crowd, {self.house.objects[name].at for name in things})
        if not anything and any(self.house.objects[name].at == to for name in things):
            raise UnsuitedHouse(match[0])
        return [Step(kind, name, to, "." in match["to"]) for name in things]

    def _stay(self, noun: str, steps: list[Step]) -> list[Step]:
        """Return steps for what stays: one object, or all there (of a class or kind) that no step before has moved."""
        kind, _, at = noun.partition("@")
        moved = {step.item for step in steps if step.kind in ("carry", "stay")}
        staying = [name for name in self._all(kind, at) if name not in moved]
        if not staying:
            raise UnsuitedHouse(noun)
        return [Step("stay", name) for name in staying]

    def _all(self, noun: str, at: str) -> list[str]:
        """Return all objects of a class, kind or any at one piece of furniture of a kind, or in a room."""
        house = self.house
        if not at:
            return of_class(house, noun)
        if "." in at:
            self.place(at)
        wheres = [self.places[at]] if at in self.places else self._sources(at, noun)
        if not wheres:
            raise UnsuitedHouse(at)
        self.places.setdefault(at, wheres[0])
        return [name for name in of_class(house, noun) if name in house.things_at(self.places[at])]

    def _sources(self, at: str, noun: str) -> list[str]:
        """Return candidate places of a set of objects, the fullest first: furniture of a kind, or the room."""
        house, things = self.house, of_class(self.house, noun)
        rooms = [name for name, kind in house.rooms.items() if kind == at.replace("_", " ")]
        pieces = [name for name in house.furniture if house.furniture[name].kind == at.partition("#")[0]]
        free = [name for name in (*rooms, *pieces) if name not in self.places.values()]
        full = [name for name in free if any(item in house.things_at(name) for item in things)]
        return sorted(full, key=lambda name: -sum(item in house.things_at(name) for item in things))

    def thing(self, noun: str) -> str:
        """Return the only object that a noun means. Without a place in the noun it stands free."""
        if noun in self._things:
            return self._things[noun]
        kind, _, at = noun.partition("@")
        colour, _, kind = kind.rpartition(".")
        house = self.house
        named = [name for name in of_class(house, kind) if not colour or house.objects[name].colour == colour]
        if "." in at:
            self.place(at)
        if at in self.places:
            named = [name for name in named if name in house.things_at(self.places[at])]
        elif at:
            named = [name for name in named if at_kind(house, name, at)]
        if len(named) != 1 or (not at and house.container(named[0]) is not None):
            raise UnsuitedHouse(noun)
        if at and at not in self.places and house.furniture[house.objects[named[0]].at].kind == at:
            self.places[at] = house.objects[named[0]].at
        self._things[noun] = named[0]
        return named[0]

    def place(self, noun: str, crowd: int = 0, without: set[str] | None = None) -> str:
        """Return the piece of furniture, bowl or room that a noun means.

        Args:
            crowd: Number of objects that it has to take.
        """
        if noun in self.places:
            return self.places[noun]
        house, kind = self.house, noun.partition("#")[0]
        if "." in noun:
            return self.places.setdefault(noun, self._described(*noun.split(".")))
        rooms = [name for name, room in house.rooms.items() if room == kind.replace("_", " ")]
        taken = set(self.places.values()) | (without or set())
        free = [name for name in (*rooms, *targets(house, kind, crowd)) if name not in taken]
        if not free or (kind in ANY_WILL_DO and without and any(house.furniture[w].kind == kind for w in without)):
            raise UnsuitedHouse(noun)
        self.places[noun] = free[0]
        return free[0]

    def _described(self, how: str, noun: str) -> str:
        """Return the open furniture of a kind, or the furniture where an object is."""
        house = self.house
        if how == "at":
            item = next(iter(of_class(house, noun)), "")
            pieces = [house.objects[item].at] if len(of_class(house, noun)) == 1 else []
        else:
            pieces = [name for name in house.of_kind(noun) if house.stands_open(name)]
        if len(pieces) != 1:
            raise UnsuitedHouse(f"{how}.{noun}")
        return pieces[0]

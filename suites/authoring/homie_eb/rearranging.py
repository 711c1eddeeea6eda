"""Errands after EB-Habitat, which only move objects, and steps of a robot that is sent to furniture alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from suites.authoring.homie_eb.house_errands import CLOSETS, PLACES, Lot, Numbered, TaskTemplate
from suites.authoring.states_script import UnsuitedHouse


@dataclass(slots=True)
class Rearranging(Numbered):
    """A script that goes to an object by way of its furniture, and opens nothing twice. Raises UnsuitedHouse for what
    would open that again, and for an object that is on no furniture.

    Attributes:
        shut: Furniture that it has closed and that has to stay closed.
    """

    shut: set[str] = field(default_factory=set)

    def visit(self, name: str) -> None:
        where = self.house.objects[name].at if name in self.house.objects else name
        if where not in self.house.furniture:
            raise UnsuitedHouse(f"{name} is on no furniture")
        if not self.steps or self.steps[-1] != f"[Go to, {where}]":
            Numbered.visit(self, where)

    def open(self, container: str) -> None:
        if container in self.shut:
            raise UnsuitedHouse(f"the {container} has to stay shut")
        if container not in self.opened:
            Numbered.open(self, container)

    def do(self, action: str, *names: str) -> None:
        Numbered.do(self, action, *names)
        if action == "Close":
            self.opened.discard(names[0])
            self.shut.add(names[0])


def unpack(lot: Lot) -> TaskTemplate:
    """Take an object out of closed furniture, and close that again."""
    x = lot.thing(lambda name: lot.house.container(name) is not None)
    closet = str(lot.house.container(x))
    if lot.house.furniture[closet].kind not in CLOSETS or lot.house.stands_open(closet) or closet in lot.taken:
        raise UnsuitedHouse(f"{x} is in no closet that is shut")
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        script.fetch(x)
        script.bring(f)
        script.visit(closet)
        script.do("Close", closet)

    text = lot.rng.choice(
        ("Bring {x} to {f}, and shut what it was in.", "Carry {x} over to {f}; what it was in stays shut.")
    )
    goals = ({"at": [x, f]}, {"closed": closet})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, closet, f}))


def swap(lot: Lot) -> TaskTemplate:
    """Exchange the places of two objects."""
    house = lot.house
    x = lot.thing(lambda name: house.objects[name].at in house.of_kind(*PLACES[:-1]))
    y = lot.thing(
        lambda name: (
            house.objects[name].at in house.of_kind(*PLACES[:-1]) and house.objects[name].at != house.objects[x].at
        )
    )
    f, g = house.objects[x].at, house.objects[y].at
    if {f, g} & set(lot.taken):
        raise UnsuitedHouse("nothing of that is left")

    def act(script: Numbered) -> None:
        script.fetch(x)
        script.bring(g)
        script.fetch(y)
        script.bring(f)

    text = lot.rng.choice(("Let {x} and {y} change places.", "Put {x} where {y} is, and {y} where {x} was."))
    goals = ({"at": [x, g]}, {"at": [y, f]})
    return TaskTemplate(text, {"x": x, "y": y}, goals, act, frozenset({x, y, f, g}))

"""Errands in a house, after the seven kinds of ALFRED's tasks and with storing as the eighth."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from homie.bench.authoring.house import House
from homie.kernel.types import HELD
from suites.authoring.states_script import Script, UnsuitedHouse

PLACES = ("desk", "bed", "sofa", "nightstand", "tv_stand", "shelf")
"""Target furniture of errands: each kind has a use that texts can name."""
CLOSETS = ("fridge", "microwave")
"""Furniture for storing objects."""


class Numbered(Script):
    """A script with the names of the scene, as numbered actions have them."""

    def word(self, name: str) -> str:
        return name

    def do(self, action: str, *names: str) -> None:
        super().do(action, *(HELD, *names[1:]) if len(names) > 1 else names)


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A text with slots, and the errand that it describes.

    Attributes:
        text: The text with the slots of `about`, such as `Bring {x} to {f}.`.
        about: Objects and furniture by slot.
        goals: Conditions that hold at the end.
        act: Writes the expert's steps.
        uses: All furniture and objects that it needs or changes.
        lasts: Whether an object is held at the end.
    """

    text: str
    about: Mapping[str, str]
    goals: tuple[Mapping[str, Any], ...]
    act: Callable[[Numbered], None]
    uses: frozenset[str]
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Lot:
    """The source of draws: a house, a random generator, and the names that are taken already."""

    house: House
    rng: random.Random
    taken: Collection[str] = ()

    def thing(self, fits: Callable[[str], bool] = lambda name: True) -> str:
        """Draw a loose object that is the only one of its kind. Raises UnsuitedHouse."""
        return self._pick(
            name for name in self.house.objects if fits(name) and self.house.spoken(name) and self._is_unique(name)
        )

    def stateful(self, state: str, value: bool = False) -> str:
        """Draw an object with a value of a state at the start. Raises UnsuitedHouse."""
        return self.thing(lambda name: self.house.objects[name].states.get(state) is value)

    def place(self, kinds: Collection[str], *things: str) -> str:
        """Draw furniture of these kinds, the only one of its kind, where the objects are not. Raises UnsuitedHouse."""
        at = {self.house.objects[name].at for name in things}
        return self._pick(name for name in self.house.of_kind(*kinds) if name not in at and self._is_unique(name))

    def fixture(self, kind: str) -> str:
        """Return the only furniture of a kind. Raises UnsuitedHouse."""
        return self._pick(
            name for name, piece in self.house.furniture.items() if piece.kind == kind and self._is_unique(name)
        )

    def _is_unique(self, name: str) -> bool:
        kinds = [item.kind for item in self.house.state.things.values()]
        return kinds.count(self.house.state.things[name].kind) == 1

    def _pick(self, names: Collection[str] | Any) -> str:
        free = sorted(name for name in names if name not in self.taken)
        if not free:
            raise UnsuitedHouse("nothing of that is left")
        return self.rng.choice(free)


Kind: TypeAlias = Callable[[Lot], TaskTemplate]


def place(lot: Lot) -> TaskTemplate:
    x = lot.thing()
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        script.fetch(x)
        script.bring(f)

    text = lot.rng.choice(("Bring {x} to {f} and leave it there.", "Carry {x} over to {f}."))
    return TaskTemplate(text, {"x": x, "f": f}, ({"at": [x, f]},), act, frozenset({x, f}))


def store(lot: Lot) -> TaskTemplate:
    x = lot.thing()
    f = lot.place(CLOSETS, x)

    def act(script: Numbered) -> None:
        script.visit(f)
        script.open(f)
        script.fetch(x)
        script.bring(f)
        script.do("Close", f)

    text = lot.rng.choice(("Put {x} into {f}, and leave that closed.", "Store {x} in {f} and shut it."))
    return TaskTemplate(text, {"x": x, "f": f}, ({"in": [x, f]}, {"closed": f}), act, frozenset({x, f}))


def pair(lot: Lot) -> TaskTemplate:
    x = lot.thing()
    y = lot.thing(lambda name: name != x)
    f = lot.place(PLACES[:-1], x, y)

    def act(script: Numbered) -> None:
        for name in (x, y):
            script.fetch(name)
            script.bring(f)

    text = lot.rng.choice(("Bring {x} and {y} to {f}.", "Carry {x} over to {f}, and {y}, too."))
    goals = ({"at": [x, f]}, {"at": [y, f]})
    return TaskTemplate(text, {"x": x, "y": y, "f": f}, goals, act, frozenset({x, y, f}))


def light(lot: Lot) -> TaskTemplate:
    x, f = lot.thing(), lot.fixture("lamp")

    def act(script: Numbered) -> None:
        script.visit(f)
        script.turn(f, on=True)
        script.fetch(x)

    text = lot.rng.choice(("Turn on {f}, then pick up {x} and keep it.", "Switch {f} on and take {x} in your hand."))
    goals = ({"turned_on": f}, {"held": x})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, f}), lasts=True)


def heat(lot: Lot) -> TaskTemplate:
    x, oven = lot.stateful("heated"), lot.fixture("microwave")
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        script.heat(x)
        script.turn(oven, on=False)
        script.do("Open", oven)
        _carry_on(script, x, f)

    text = lot.rng.choice(("Heat {x} and bring it to {f}.", "Bring {x} to {f}, but heat it first."))
    goals = ({"is": [x, "heated"]}, {"at": [x, f]})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, f, oven}))


def cool(lot: Lot) -> TaskTemplate:
    x, fridge = lot.stateful("cooled"), lot.fixture("fridge")
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        script.cool(x)
        script.do("Open", fridge)
        _carry_on(script, x, f)

    text = lot.rng.choice(("Chill {x} and bring it to {f}.", "Bring {x} to {f}, but cool it first."))
    goals = ({"is": [x, "cooled"]}, {"at": [x, f]})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, f, fridge}))


def clean(lot: Lot) -> TaskTemplate:
    x, sink = lot.stateful("clean"), lot.fixture("sink")
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        script.under_water(x, "Wash")
        _carry_on(script, x, f)

    text = lot.rng.choice(("Wash {x} and bring it to {f}.", "Bring {x} to {f}, but wash it under the tap first."))
    goals = ({"is": [x, "clean"]}, {"at": [x, f]})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, f, sink}))


def cut(lot: Lot) -> TaskTemplate:
    x = lot.stateful("sliced")
    knife = lot.thing(lambda name: lot.house.objects[name].kind == "knife")
    f = lot.place(PLACES, x)

    def act(script: Numbered) -> None:
        back = script.house.objects[knife].at
        script.slice(x)
        script.bring(back)
        script.fetch(x)
        script.bring(f)

    text = lot.rng.choice(("Slice {x} and bring it to {f}.", "Bring {x} to {f}, but slice it first."))
    goals = ({"is": [x, "sliced"]}, {"at": [x, f]})
    return TaskTemplate(text, {"x": x, "f": f}, goals, act, frozenset({x, f, knife}))


KINDS: Mapping[str, Kind] = {kind.__name__: kind for kind in (place, store, pair, light, heat, cool, clean, cut)}
"""Kinds of errands by their names."""


def _carry_on(script: Numbered, name: str, place: str) -> None:
    """Take the object before the robot, and bring it to a place."""
    script.do("Pick", name)
    script.held = name
    script.bring(place)

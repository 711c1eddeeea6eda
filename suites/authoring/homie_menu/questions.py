"""Questions about a house: attributes of objects, and their places."""

from __future__ import annotations

import random
from collections.abc import Iterator

from homie.bench.authoring.house import House
from homie.kernel.world.snapshot import ThingState
from suites.authoring.homie_menu.draft import Draft, object_name, question, to_see

COLOURED = ("sofa", "bed", "desk", "chair", "nightstand", "tv_stand", "table", "shelf", "plant", "bowl", "mug")
"""Kinds that come in several colours, so that nobody knows the answer without looking."""
COLOURS = ("black", "blue", "brown", "gray", "green", "navy", "orange", "red", "silver", "white", "wood", "yellow")
SWITCHED = ("lamp", "tv", "stove", "microwave")
ROOMS = ("bathroom", "bedroom", "kitchen", "living room", "study")


def colours(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the colour of an object that is the only one of its kind."""
    kinds = [item.kind for item in house.state.things.values()]
    return [
        question(
            f"colour of {name}",
            f"What colour is the {_plain(item.kind)}?",
            item.colour,
            COLOURS,
            rng,
            _see(house, name),
        )
        for name, item in _shuffled(house, rng)
        if item.kind in COLOURED and kinds.count(item.kind) == 1 and item.colour in COLOURS
    ]


def shut(house: House, rng: random.Random) -> list[Draft]:
    """Ask whether something stands open; the maker of the suite balances the answers."""
    return [
        Draft(
            f"whether {name} is open",
            f"Is the {object_name(house, name)} open or shut?",
            (f"[Go to, {name}]",),
            ("open", "shut"),
            "open" if house.stands_open(name) else "shut",
        )
        for name, item in _shuffled(house, rng)
        if house.container(name) == name and object_name(house, name)
    ]


def switched(house: House, rng: random.Random) -> list[Draft]:
    """Ask whether an appliance is on."""
    return [
        Draft(
            f"whether {name} is on",
            f"Is the {object_name(house, name)} on or off?",
            (f"[Go to, {name}]",),
            ("off", "on"),
            "on" if item.states["on"] else "off",
        )
        for name, item in _shuffled(house, rng)
        if item.kind in SWITCHED and "on" in item.states and object_name(house, name)
    ]


def in_which_room(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the room of a loose object, among all kinds of rooms."""
    return [
        question(
            f"room of {name}",
            f"In which room is the {object_name(house, name)}?",
            house.rooms[house.room(name)],
            ROOMS,
            rng,
            to_see(house, name),
        )
        for name in _objects(house, rng)
        if list(house.rooms.values()).count(house.rooms[house.room(name)]) == 1
    ]


def on_what(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the furniture that a loose object is in or on, among the furniture of the house."""
    places = [
        object_name(house, name)
        for name, piece in house.furniture.items()
        if piece.receives and object_name(house, name)
    ]
    return [
        question(
            f"place of {name}",
            f"In or on what is the {object_name(house, name)}?",
            object_name(house, house.objects[name].at),
            places,
            rng,
            to_see(house, name),
        )
        for name in _objects(house, rng)
        if house.objects[name].at in house.furniture and object_name(house, house.objects[name].at)
    ]


def inside(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the only object in closed furniture, among the loose objects of the house."""
    things = [object_name(house, name) for name in house.objects if object_name(house, name)]
    return [
        question(
            f"what is in {name}",
            f"What is in the {object_name(house, name)}?",
            object_name(house, there[0]),
            things,
            rng,
            to_see(house, there[0]),
        )
        for name, _ in _shuffled(house, rng)
        if house.container(name) == name and not house.stands_open(name) and object_name(house, name)
        for there in [house.things_at(name)]
        if len(there) == 1 and object_name(house, there[0])
    ]


def _see(house: House, name: str) -> tuple[str, ...]:
    return to_see(house, name) if name in house.objects else (f"[Go to, {name}]",)


def _objects(house: House, rng: random.Random) -> Iterator[str]:
    """Yield loose objects that stand on or in furniture, with a short name, in random order."""
    names = [name for name, item in house.objects.items() if item.at in house.furniture and object_name(house, name)]
    yield from rng.sample(names, len(names))


def _shuffled(house: House, rng: random.Random) -> list[tuple[str, ThingState]]:
    things = list(house.state.things.items())
    return rng.sample(things, len(things))


def _plain(kind: str) -> str:
    return kind.replace("_", " ")

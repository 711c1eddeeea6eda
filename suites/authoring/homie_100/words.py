"""Names of the places and objects of a house in the texts, the goals and the key paths of homie-100."""

from __future__ import annotations

from typing import Any

from suites.authoring.homie_100.houses import GeneratedHouse

FRUIT = ("apple", "banana", "lemon", "orange", "peach", "pear", "plum", "strawberry")
TINS = ("master_chef_can", "potted_meat_can", "tomato_soup_can", "tuna_fish_can")
BOXES = ("cracker_box", "gelatin_box", "pudding_box", "sugar_box")
CLASSES: dict[str, tuple[str, ...]] = {"fruit": FRUIT, "can": TINS, "box": BOXES, "food": FRUIT + TINS + BOXES}
ANY_WILL_DO = ("drawer", "kitchen_counter", "chair")
"""Kinds of furniture of which a text does not specify one."""
BY_COLOUR = ("table", "cabinet")
"""Kinds of which a text specifies one by its colour."""
ROOM_ON = {"nightstand": 1, "chair": 1, "microwave": 1, "sink": 2, "drawer": 2, "stove": 3}
"""Most objects on furniture of a kind; on any other kind 4, on a small top 3."""

Goal = dict[str, Any]


def place(house: GeneratedHouse, name: str) -> tuple[str, str]:
    """Return the names of a place in goals and in key paths."""
    piece = house.furniture.get(name)
    if piece is not None and piece.kind in ANY_WILL_DO:
        return piece.kind, piece.kind.replace("_", " ")
    return name, house.word(name)


def place_name(house: GeneratedHouse, name: str) -> str | None:
    """Return the name of a place in texts; None if no short name is unambiguous."""
    if name in house.rooms:
        return house.rooms[name]
    piece = house.furniture.get(name)
    if piece is not None and piece.kind in ANY_WILL_DO:
        return piece.kind.replace("_", " ")
    return house.spoken(name)


def is_inside(house: GeneratedHouse, where: str) -> bool:
    """Return whether an object put there is in it, in the sense of goals, rather than on it."""
    return house.container(where) is not None or where in house.objects


def arrival_goal(house: GeneratedHouse, item: str, where: str, called: str = "") -> Goal:
    """Return the goal that an object is at a place.

    Args:
        called: Name of the place in goals, if not the usual one.
    """
    return {"in" if is_inside(house, where) else "at": [item, called or place(house, where)[0]]}


def stay_goal(house: GeneratedHouse, item: str) -> Goal:
    """Return the goal that an object is where it was."""
    return {"at": [item, house.objects[item].at]}


def block(house: GeneratedHouse, item: str, where: str, called: str = "") -> list[str]:
    """Return the nodes of key paths for carrying one object."""
    word = house.word(item)
    return [f"[Pick, {word}]", f"[Put, {word}, {called or place(house, where)[1]}]"]


def of_class(house: GeneratedHouse, label: str) -> list[str]:
    """Return the objects of a class or of a kind; all objects for no label."""
    kinds = CLASSES.get(label, (label,))
    return [name for name, item in house.objects.items() if not label or item.kind in kinds]


def only(house: GeneratedHouse, kind: str) -> str | None:
    """Return the object of a kind, if there is exactly one."""
    named = of_class(house, kind)
    return named[0] if len(named) == 1 else None


def at_kind(house: GeneratedHouse, item: str, kind: str) -> bool:
    """Return whether an object is in or on furniture of a kind, or in a room of it."""
    where = house.objects[item].at
    return house.furniture[where].kind == kind or house.rooms[house.room(item)] == kind.replace("_", " ")


def targets(house: GeneratedHouse, kind: str, count: int) -> list[str]:
    """Return furniture of a kind with room for so many more objects, the emptiest first; a bowl is a target, too."""
    if kind in house.objects:
        return [kind] if house.container(kind) is None else []
    if kind not in (*ANY_WILL_DO, *BY_COLOUR) and len(house.of_kind(kind)) != 1:
        return []  # a text that just says `the sofa` would be ambiguous
    ranked = []
    for name in house.of_kind(kind):
        area = house.areas[name]
        there = len(house.things_at(name))
        most = ROOM_ON.get(kind, 4 if area > 0.3 else 3)
        if there + count <= most and place_name(house, name) and (kind != "kitchen_counter" or area > 0.2):
            ranked.append((there, name))
    return [name for _, name in sorted(ranked)]

"""References to an object in texts: by its name, by its use, by its place, by its look.

A reference is returned only where it is unambiguous in its house; else `UnsuitedHouse` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from homie.bench.authoring.house import House
from suites.authoring.states_script import UnsuitedHouse

Reference: TypeAlias = Callable[[House, str], str]
"""Returns the words for an object of a house, `the fruit on the desk`. Raises UnsuitedHouse."""

FOR: Mapping[str, str] = {
    "apple": "the fruit that cider is pressed from",
    "banana": "the fruit that is peeled in strips and never has a stone",
    "lemon": "the sour fruit that is squeezed over fish",
    "orange": "the fruit that most breakfast juice is pressed from",
    "peach": "the fruit with a skin like velvet",
    "pear": "the fruit that is poached in red wine",
    "plum": "the fruit that is called a prune when it is dried",
    "strawberry": "the fruit that has its seeds outside",
    "bowl": "what one eats soup from",
    "mug": "what one drinks hot coffee from",
    "plate": "what one serves a piece of cake on",
    "knife": "what one carves a roast with",
    "sponge": "what one scrubs dishes with",
    "bread": "what goes into a toaster",
    "tomato": "what ketchup is made from",
    "potato": "what chips are fried from",
    "master_chef_can": "what one brews coffee from",
    "cracker_box": "the salty biscuits that go with cheese",
    "gelatin_box": "what makes a jelly set",
    "mustard_bottle": "the yellow sauce for a hot dog",
    "bleach_cleanser": "what whitens laundry",
    "potted_meat_can": "the meat that needs no fridge",
    "pudding_box": "the powder that becomes a dessert in hot milk",
    "sugar_box": "what sweetens tea",
    "tomato_soup_can": "the soup that only has to be warmed",
    "tuna_fish_can": "the fish that keeps for years",
    "desk": "the place where one sits down to write letters",
    "bed": "the place where one sleeps",
    "sofa": "the place where a family sits side by side to watch a film",
    "nightstand": "the place where a sleeper's alarm clock belongs",
    "tv_stand": "what carries the television",
    "shelf": "the place where books stand in a row",
    "fridge": "the place where milk stays fresh",
    "microwave": "what warms up leftovers in a minute",
    "lamp": "what one reads by at night",
}
"""Common knowledge by kind; no description holds for two kinds."""
CLASSES: Mapping[str, tuple[str, ...]] = {
    "fruit": ("apple", "banana", "lemon", "orange", "peach", "pear", "plum", "strawberry"),
    "vegetable": ("tomato", "potato"),
    "tin": ("master_chef_can", "potted_meat_can", "tomato_soup_can", "tuna_fish_can"),
    "box": ("cracker_box", "gelatin_box", "pudding_box", "sugar_box"),
    "bottle": ("mustard_bottle", "bleach_cleanser"),
    "dish": ("bowl", "mug", "plate"),
    "tool": ("knife", "sponge"),
    "loaf": ("bread",),
}
"""Classes of several kinds."""
SHAPES: Mapping[str, tuple[str, ...]] = {
    "ball-shaped thing": ("apple", "orange", "peach", "plum", "tomato"),
    "oval thing": ("lemon", "potato"),
    "curved thing": ("banana",),
    "bulb-shaped thing": ("pear",),
    "cone-shaped thing": ("strawberry",),
    "hollow dish": ("bowl",),
    "vessel with a handle": ("mug",),
    "flat disc": ("plate",),
    "long and thin thing": ("knife",),
    "soft block": ("sponge",),
    "loaf": ("bread",),
    "cylinder": ("master_chef_can", "tomato_soup_can", "tuna_fish_can"),
    "block with edges": ("cracker_box", "gelatin_box", "potted_meat_can", "pudding_box", "sugar_box"),
    "bottle": ("mustard_bottle", "bleach_cleanser"),
}
"""Shapes of several kinds, without colour."""
COLOURS = {"wood": "wooden"}
"""Colours as texts name them, where they differ."""
ALIKE = {"wood": "brown", "silver": "gray"}
"""Colours that are too similar to another one to distinguish two objects."""


def named(house: House, name: str) -> str:
    """Refer by name, with the colour where there are several of its kind."""
    spoken = house.spoken(name)
    if spoken is None:
        raise UnsuitedHouse(f"{name} has no name of its own")
    return f"the {spoken}"


def by_use(house: House, name: str) -> str:
    """Refer by common knowledge of its kind, of which it has to be the only one."""
    kind = house.state.things[name].kind
    if kind not in FOR or sum(item.kind == kind for item in house.state.things.values()) > 1:
        raise UnsuitedHouse(f"nothing is known of {name} alone")
    return FOR[kind]


def by_place(house: House, name: str) -> str:
    """Refer to an object by its class and its place; to furniture by an object there, else by its room."""
    if name in house.objects:
        place, group = house.objects[name].at, _group(house, name, CLASSES)
        there = [other for other in house.things_at(place) if house.objects[other].at == place]
        if place not in house.furniture or [_group(house, other, CLASSES) for other in there].count(group) > 1:
            raise UnsuitedHouse(f"{name} is not the only one of its class where it is")
        return f"the {group} {'in' if house.furniture[place].receives == 'in' else 'on'} {named(house, place)}"
    spoken_objects = sorted(other for other in house.objects if house.objects[other].at == name and house.spoken(other))
    if spoken_objects:
        return f"the place where {named(house, spoken_objects[0])} is"
    room = house.room(name)
    kind = house.furniture[name].kind
    if [house.furniture[other].kind for other in house.furniture if house.room(other) == room].count(kind) > 1:
        raise UnsuitedHouse(f"{name} is not the only {kind} of its room")
    return f"the {kind.replace('_', ' ')} in the {_room(house, room)}"


def by_look(house: House, name: str) -> str:
    """Refer to an object by colour and shape; to furniture by its colour in its room."""
    if name in house.objects:
        colour, shape = house.objects[name].colour, _group(house, name, SHAPES)
        looks = [(_seen(item.colour), _group(house, other, SHAPES)) for other, item in house.objects.items()]
        if looks.count((_seen(colour), shape)) > 1:
            raise UnsuitedHouse(f"{name} is not the only {colour} {shape}")
        return f"the {_colour(colour)} {shape}"
    piece, room = house.furniture[name], house.room(name)
    looks = [(other.room or "", _seen(other.colour)) for other in house.furniture.values()]
    if looks.count((room, _seen(piece.colour))) > 1 or not piece.colour:
        raise UnsuitedHouse(f"{name} is not the only {piece.colour} furniture of its room")
    return f"the {_colour(piece.colour)} piece of furniture in the {_room(house, room)}"


def _seen(colour: str) -> str:
    return ALIKE.get(colour, colour)


def _colour(colour: str) -> str:
    return COLOURS.get(colour, colour)


def _room(house: House, room: str) -> str:
    kind = house.rooms[room]
    if list(house.rooms.values()).count(kind) > 1:
        raise UnsuitedHouse(f"there are several rooms like {room}")
    return kind


def _group(house: House, name: str, groups: Mapping[str, tuple[str, ...]]) -> str:
    kind = house.objects[name].kind
    return next((group for group, kinds in groups.items() if kind in kinds), kind.replace("_", " "))

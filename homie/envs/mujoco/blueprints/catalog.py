"""The catalogues of furniture and movable objects: all kinds by name, and functions that return their blueprints.

Objects are those of YCB, with names, sizes and masses of Calli et al. 2015, table I, and further household objects
(`homie.envs.mujoco.blueprints.household`).

Sizes differ from YCB's where a gripper that opens 0.10 m could not grasp an object or a part would not be visible:
master_chef_can is 0.085 m across (YCB 0.102), sponge 0.030 m thick (YCB 0.014), tuna_fish_can has a green label
(so that a house has a green can); lemon, pear and strawberry lie on their side.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from homie.envs.mujoco.blueprints import (
    furniture_kitchen,
    furniture_living,
    furniture_openings,
    furniture_rooms,
    furniture_with_doors,
)
from homie.envs.mujoco.blueprints import objects as shapes
from homie.envs.mujoco.blueprints.furniture_kind import FurnitureKind, Style
from homie.envs.mujoco.blueprints.household import bathroom, desk, devices, leisure, pantry, staples, tableware
from homie.envs.mujoco.blueprints.materials import COLOURS, RGB
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.parts import Blueprint, ObjectPlan
from homie.kernel.errors import suggestion
from homie.kernel.options import Catalogue

FURNITURE: dict[str, FurnitureKind] = {
    kind.name: kind
    for module in (furniture_kitchen, furniture_with_doors, furniture_living, furniture_rooms, furniture_openings)
    for kind in module.KINDS
}


@lru_cache(maxsize=512)
def blueprint(
    kind: str,
    colour: str,
    width: float | None = None,
    depth: float | None = None,
    height: float | None = None,
    hinge: Literal["left", "right"] = "left",
) -> Blueprint:
    """The blueprint of a piece of furniture.

    Args:
        kind: a key of `FURNITURE`.
        colour: a key of `COLOURS`.
        width: metres along y; None for the kind's usual width. `depth` (along x) and `height` likewise.
        hinge: the side of the door's hinge, seen from the front.

    Raises:
        ValueError: the kind or the colour is unknown, or a size is out of the kind's range; one sentence.

    Example:
        >>> fridge = blueprint("fridge", "white")
        >>> fridge.height, [link.name for link in fridge.articulations]
        (1.75, ['door'])
    """
    if kind not in FURNITURE:
        hint = suggestion(kind, FURNITURE, f"known kinds: {', '.join(FURNITURE)}")
        raise ValueError(f"unknown furniture kind '{kind}' ({hint})")
    if colour not in COLOURS:
        hint = suggestion(colour, COLOURS, f"known colours: {', '.join(COLOURS)}")
        raise ValueError(f"unknown colour '{colour}' ({hint})")
    entry = FURNITURE[kind]
    min_size, max_size = entry.least or entry.size, entry.most or entry.size
    size = []
    for word, override, standard, low, high in zip(
        ("width", "depth", "height"), (width, depth, height), entry.size, min_size, max_size, strict=True
    ):
        value = standard if override is None else override
        if not low <= value <= high:
            raise ValueError(f"the {word} of a {kind} must be between {low} and {high} m, not {value}")
        size.append(value)
    return entry.plan(Style(width=size[0], depth=size[1], height=size[2], rgb=COLOURS[colour], hinge=hinge))


_WHITE, _YELLOW, _BLUE = COLOURS["white"], COLOURS["yellow"], COLOURS["blue"]
_RED: RGB = (0.75, 0.20, 0.10)
_CREAM: RGB = (0.95, 0.90, 0.72)

YCB: dict[str, ObjectKind] = {
    kind.name: kind
    for kind in (
        ObjectKind(
            "master_chef_can",
            lambda c: shapes.can(0.085, 0.139, 0.414, c, _WHITE),
            ("blue",),
            ("coffee can", "coffee", "can"),
            ("food",),
        ),
        ObjectKind(
            "cracker_box",
            lambda c: shapes.carton((0.060, 0.158, 0.210), 0.411, c, _YELLOW, _CREAM),
            ("red",),
            ("crackers", "box of crackers", "box"),
            ("food",),
        ),
        ObjectKind(
            "sugar_box",
            lambda c: shapes.carton((0.038, 0.089, 0.175), 0.514, c, _WHITE, _BLUE),
            ("yellow",),
            ("sugar", "box of sugar", "box"),
            ("food",),
        ),
        ObjectKind(
            "tomato_soup_can",
            lambda c: shapes.can(0.066, 0.101, 0.349, c, _WHITE),
            ("red",),
            ("soup can", "tomato can", "tomato soup", "can"),
            ("food", "small"),
        ),
        ObjectKind(
            "mustard_bottle",
            lambda c: shapes.bottle((0.055, 0.090, 0.185), 0.603, c, _RED, COLOURS["red"]),
            ("yellow",),
            ("mustard", "bottle"),
            ("food",),
        ),
        ObjectKind(
            "tuna_fish_can",
            lambda c: shapes.can(0.085, 0.034, 0.171, c, _YELLOW),
            ("green",),
            ("tuna can", "tuna", "fish can", "can"),
            ("food", "small"),
        ),
        ObjectKind(
            "pudding_box",
            lambda c: shapes.carton((0.035, 0.110, 0.089), 0.187, c, _CREAM, _WHITE),
            ("brown",),
            ("pudding", "chocolate pudding", "box"),
            ("food", "small"),
        ),
        ObjectKind(
            "gelatin_box",
            lambda c: shapes.carton((0.028, 0.085, 0.073), 0.097, c, _WHITE, COLOURS["red"]),
            ("pink",),
            ("gelatin", "jello box", "box"),
            ("food", "small"),
        ),
        ObjectKind(
            "potted_meat_can",
            lambda c: shapes.carton((0.050, 0.097, 0.082), 0.370, c, _YELLOW, COLOURS["silver"]),
            ("blue",),
            ("meat can", "spam can", "spam", "can"),
            ("food", "small"),
        ),
        ObjectKind("banana", lambda c: shapes.banana(0.066, c), ("yellow",), ("fruit",), ("fruit",)),
        ObjectKind("strawberry", lambda c: shapes.strawberry(0.018, c), ("red",), ("berry", "fruit"), ("fruit",)),
        ObjectKind("apple", lambda c: shapes.apple(0.068, c), ("red",), ("fruit",), ("fruit",)),
        ObjectKind("lemon", lambda c: shapes.lemon(0.029, c), ("yellow",), ("fruit",), ("fruit",)),
        ObjectKind("peach", lambda c: shapes.peach(0.033, (0.98, 0.66, 0.42)), ("pink",), ("fruit",), ("fruit",)),
        ObjectKind("pear", lambda c: shapes.pear(0.049, (0.66, 0.76, 0.22)), ("green",), ("fruit",), ("fruit",)),
        ObjectKind("orange", lambda c: shapes.orange(0.047, c), ("orange",), ("fruit",), ("fruit",)),
        ObjectKind("plum", lambda c: shapes.plum(0.025, c), ("purple",), ("fruit",), ("fruit",)),
        ObjectKind(
            "bleach_cleanser",
            lambda c: shapes.bottle((0.065, 0.098, 0.250), 1.131, c, _BLUE, COLOURS["orange"]),
            ("white",),
            ("bleach", "cleanser", "bottle"),
            ("wash",),
        ),
        ObjectKind(
            "bowl",
            lambda c: shapes.bowl(0.147, c),
            ("red", "blue", "white", "green"),
            ("dish",),
            ("bowl",),
        ),
        ObjectKind(
            "mug", lambda c: shapes.mug(0.118, c), ("red", "blue", "yellow", "white", "green"), ("cup",), ("dish",)
        ),
        ObjectKind("sponge", lambda c: shapes.sponge(0.015, c), ("yellow",), ("dish sponge",), ("wash", "small")),
    )
}
"""The kinds of YCB."""

_ROOMS = (staples, tableware, pantry, bathroom, desk, devices, leisure)

OBJECTS: dict[str, ObjectKind] = YCB | {kind.name: kind for shapes in _ROOMS for kind in shapes.KINDS}
"""All kinds."""

CATALOGUES: Mapping[Catalogue, Mapping[str, ObjectKind]] = {"ycb": YCB, "household": OBJECTS}
"""The catalogues that the loose objects of a generated house are sampled from."""


@lru_cache(maxsize=256)
def object_plan(kind: str, colour: str) -> ObjectPlan:
    """The blueprint of an object. Raises ValueError with one sentence for an unknown kind or colour."""
    if kind not in OBJECTS:
        hint = suggestion(kind, OBJECTS, f"known kinds: {', '.join(OBJECTS)}")
        raise ValueError(f"unknown object kind '{kind}' ({hint})")
    if colour not in OBJECTS[kind].colours:
        raise ValueError(f"{kind} comes in {' or '.join(OBJECTS[kind].colours)}, not in '{colour}'")
    return OBJECTS[kind].plan(COLOURS[colour])

"""The kinds of movable objects: YCB names, sizes and masses (Calli et al. 2015, table I), colours and aliases.

Where a gripper that opens 0.10 m could not grasp YCB's size, or where a part would not be visible, it is changed:
master_chef_can is 0.085 m across (YCB 0.102), sponge 0.030 m thick (YCB 0.014), tuna_fish_can has a green label
(so that a house has a green can); lemon, pear and strawberry lie on their side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from homie.envs.mujoco.blueprints import objects as shapes
from homie.envs.mujoco.blueprints.palette import COLOURS, RGB
from homie.envs.mujoco.blueprints.parts import ObjectPlan


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object. `homes` are the furniture kinds on or in which a generated house may have it.

    Positional, because `OBJECTS` is a table that is read by columns: name, shape and mass, colours, aliases, homes.
    """

    name: str
    plan: Callable[[RGB], ObjectPlan]
    colours: tuple[str, ...]
    aliases: tuple[str, ...]
    homes: tuple[str, ...]


_FOOD = ("kitchen_counter", "table", "fridge", "cabinet", "shelf")
_FRUIT = ("kitchen_counter", "table", "fridge", "desk", "nightstand", "drawer", "tv_stand")
_TIN = ("kitchen_counter", "table", "cabinet", "shelf", "fridge")
_WASH = ("washbasin", "sink", "kitchen_counter", "cabinet")
_DISH = ("kitchen_counter", "table", "desk", "sink", "cabinet", "shelf", "nightstand")
_WHITE, _YELLOW, _BLUE = COLOURS["white"], COLOURS["yellow"], COLOURS["blue"]
_RED: RGB = (0.75, 0.20, 0.10)
_CREAM: RGB = (0.95, 0.90, 0.72)

OBJECTS: dict[str, ObjectKind] = {
    kind.name: kind
    for kind in (
        ObjectKind(
            "master_chef_can",
            lambda c: shapes.can(0.085, 0.139, 0.414, c, _WHITE),
            ("blue",),
            ("coffee can", "coffee", "can"),
            _TIN,
        ),
        ObjectKind(
            "cracker_box",
            lambda c: shapes.carton((0.060, 0.158, 0.210), 0.411, c, _YELLOW, _CREAM),
            ("red",),
            ("crackers", "box of crackers", "box"),
            _TIN,
        ),
        ObjectKind(
            "sugar_box",
            lambda c: shapes.carton((0.038, 0.089, 0.175), 0.514, c, _WHITE, _BLUE),
            ("yellow",),
            ("sugar", "box of sugar", "box"),
            _TIN,
        ),
        ObjectKind(
            "tomato_soup_can",
            lambda c: shapes.can(0.066, 0.101, 0.349, c, _WHITE),
            ("red",),
            ("soup can", "tomato can", "tomato soup", "can"),
            (*_TIN, "drawer"),
        ),
        ObjectKind(
            "mustard_bottle",
            lambda c: shapes.bottle((0.055, 0.090, 0.185), 0.603, c, _RED, COLOURS["red"]),
            ("yellow",),
            ("mustard", "bottle"),
            _FOOD,
        ),
        ObjectKind(
            "tuna_fish_can",
            lambda c: shapes.can(0.085, 0.034, 0.171, c, _YELLOW),
            ("green",),
            ("tuna can", "tuna", "fish can", "can"),
            (*_TIN, "drawer"),
        ),
        ObjectKind(
            "pudding_box",
            lambda c: shapes.carton((0.035, 0.110, 0.089), 0.187, c, _CREAM, _WHITE),
            ("brown",),
            ("pudding", "chocolate pudding", "box"),
            (*_TIN, "drawer"),
        ),
        ObjectKind(
            "gelatin_box",
            lambda c: shapes.carton((0.028, 0.085, 0.073), 0.097, c, _WHITE, COLOURS["red"]),
            ("pink",),
            ("gelatin", "jello box", "box"),
            (*_TIN, "drawer"),
        ),
        ObjectKind(
            "potted_meat_can",
            lambda c: shapes.carton((0.050, 0.097, 0.082), 0.370, c, _YELLOW, COLOURS["silver"]),
            ("blue",),
            ("meat can", "spam can", "spam", "can"),
            (*_TIN, "drawer"),
        ),
        ObjectKind("banana", lambda c: shapes.banana(0.066, c), ("yellow",), ("fruit",), _FRUIT),
        ObjectKind("strawberry", lambda c: shapes.strawberry(0.018, c), ("red",), ("berry", "fruit"), _FRUIT),
        ObjectKind("apple", lambda c: shapes.apple(0.068, c), ("red",), ("fruit",), _FRUIT),
        ObjectKind("lemon", lambda c: shapes.lemon(0.029, c), ("yellow",), ("fruit",), _FRUIT),
        ObjectKind("peach", lambda c: shapes.peach(0.033, (0.98, 0.66, 0.42)), ("pink",), ("fruit",), _FRUIT),
        ObjectKind("pear", lambda c: shapes.pear(0.049, (0.66, 0.76, 0.22)), ("green",), ("fruit",), _FRUIT),
        ObjectKind("orange", lambda c: shapes.orange(0.047, c), ("orange",), ("fruit",), _FRUIT),
        ObjectKind("plum", lambda c: shapes.plum(0.025, c), ("purple",), ("fruit",), _FRUIT),
        ObjectKind(
            "bleach_cleanser",
            lambda c: shapes.bottle((0.065, 0.098, 0.250), 1.131, c, _BLUE, COLOURS["orange"]),
            ("white",),
            ("bleach", "cleanser", "bottle"),
            _WASH,
        ),
        ObjectKind(
            "bowl",
            lambda c: shapes.bowl(0.147, c),
            ("red", "blue", "white", "green"),
            ("dish",),
            ("kitchen_counter", "table", "desk", "cabinet"),
        ),
        ObjectKind("mug", lambda c: shapes.mug(0.118, c), ("red", "blue", "yellow", "white", "green"), ("cup",), _DISH),
        ObjectKind("sponge", lambda c: shapes.sponge(0.015, c), ("yellow",), ("dish sponge",), (*_WASH, "drawer")),
    )
}


@lru_cache(maxsize=256)
def object_plan(kind: str, colour: str) -> ObjectPlan:
    """The blueprint of an object. Raises ValueError with one sentence for an unknown kind or colour."""
    if kind not in OBJECTS:
        raise ValueError(f"unknown object kind '{kind}'; known kinds: {', '.join(OBJECTS)}")
    if colour not in OBJECTS[kind].colours:
        raise ValueError(f"{kind} comes in {' or '.join(OBJECTS[kind].colours)}, not in '{colour}'")
    return OBJECTS[kind].plan(COLOURS[colour])

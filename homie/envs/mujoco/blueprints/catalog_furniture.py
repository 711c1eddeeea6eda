"""The kinds of furniture: sizes, colours and aliases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from homie.envs.mujoco.blueprints import furniture_kitchen as kitchen
from homie.envs.mujoco.blueprints import furniture_rooms as rooms
from homie.envs.mujoco.blueprints.furniture_kitchen import Style
from homie.envs.mujoco.blueprints.palette import COLOURS
from homie.envs.mujoco.blueprints.parts import Blueprint


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureKind:
    """One kind of furniture.

    size: (width, depth, height) in metres. A piece may override it between `least` and `most`; None allows no other
    size. aliases: other names that people use for it.
    """

    name: str
    plan: Callable[[Style], Blueprint]
    size: tuple[float, float, float]
    colours: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    least: tuple[float, float, float] | None = None
    most: tuple[float, float, float] | None = None


FURNITURE: dict[str, FurnitureKind] = {
    kind.name: kind
    for kind in (
        FurnitureKind(
            name="kitchen_counter",
            plan=kitchen.kitchen_counter,
            size=(0.7, 0.6, 0.9),
            colours=("white", "navy", "beige", "gray"),
            aliases=("counter", "kitchen counter", "countertop", "worktop"),
            least=(0.4, 0.5, 0.04),
            most=(2.4, 0.7, 0.95),
        ),
        FurnitureKind(
            name="sink",
            plan=kitchen.sink,
            size=(0.7, 0.6, 0.9),
            colours=("white", "navy", "beige", "gray"),
            aliases=("kitchen sink",),
            least=(0.6, 0.55, 0.85),
            most=(0.9, 0.65, 0.95),
        ),
        FurnitureKind(
            name="stove",
            plan=kitchen.stove,
            size=(0.6, 0.6, 0.9),
            colours=("white", "gray"),
            aliases=("cooker", "oven", "hob"),
        ),
        FurnitureKind(
            name="drawer",
            plan=kitchen.drawer,
            size=(0.6, 0.6, 0.86),
            colours=("white", "navy", "beige", "gray"),
            aliases=("drawers",),
        ),
        FurnitureKind(
            name="fridge",
            plan=kitchen.fridge,
            size=(0.7, 0.7, 1.75),
            colours=("white", "silver"),
            aliases=("refrigerator", "icebox"),
        ),
        FurnitureKind(
            name="cabinet",
            plan=kitchen.cabinet,
            size=(0.6, 0.45, 1.3),
            colours=("white", "wood", "blue", "green", "brown", "gray"),
            aliases=("cupboard", "closet"),
            least=(0.5, 0.4, 1.25),
            most=(0.8, 0.6, 1.6),
        ),
        FurnitureKind(
            name="microwave",
            plan=kitchen.microwave,
            size=(0.58, 0.44, 0.36),
            colours=("silver", "black"),
            aliases=("microwave oven",),
        ),
        FurnitureKind(
            name="table",
            plan=rooms.table,
            size=(1.1, 0.7, 0.74),
            colours=("wood", "brown", "white", "blue", "yellow", "black"),
            aliases=(),
            least=(0.5, 0.45, 0.4),
            most=(1.6, 0.9, 0.8),
        ),
        FurnitureKind(
            name="desk",
            plan=rooms.table,
            size=(1.2, 0.6, 0.74),
            colours=("wood", "white", "black"),
            aliases=("writing desk", "work desk"),
            least=(0.8, 0.5, 0.7),
            most=(1.5, 0.75, 0.78),
        ),
        FurnitureKind(
            name="sofa",
            plan=rooms.sofa,
            size=(1.8, 0.85, 0.82),
            colours=("gray", "teal", "beige", "navy"),
            aliases=("couch", "settee"),
            least=(1.3, 0.8, 0.75),
            most=(2.2, 0.95, 0.95),
        ),
        FurnitureKind(
            name="chair",
            plan=rooms.chair,
            size=(0.42, 0.42, 0.9),
            colours=("wood", "white", "black", "brown"),
            aliases=("seat",),
        ),
        FurnitureKind(
            name="tv_stand",
            plan=rooms.tv_stand,
            size=(1.4, 0.42, 0.5),
            colours=("brown", "white", "wood"),
            aliases=("tv stand", "tv table"),
            least=(1.0, 0.38, 0.4),
            most=(1.8, 0.5, 0.6),
        ),
        FurnitureKind(name="tv", plan=rooms.tv, size=(1.0, 0.2, 0.66), colours=("black",), aliases=("television",)),
        FurnitureKind(
            name="lamp",
            plan=rooms.lamp,
            size=(0.2, 0.2, 0.42),
            colours=("black", "white", "brown"),
            aliases=("desk lamp", "table lamp"),
        ),
        FurnitureKind(
            name="bed",
            plan=rooms.bed,
            size=(1.4, 2.05, 0.5),
            colours=("navy", "teal", "gray", "purple"),
            aliases=(),
            least=(0.9, 1.9, 0.4),
            most=(1.8, 2.1, 0.6),
        ),
        FurnitureKind(
            name="nightstand",
            plan=rooms.nightstand,
            size=(0.45, 0.42, 0.5),
            colours=("wood", "white", "brown"),
            aliases=("bedside table",),
        ),
        FurnitureKind(
            name="shelf",
            plan=rooms.shelf,
            size=(0.8, 0.35, 1.6),
            colours=("wood", "white", "brown"),
            aliases=("bookshelf", "shelves", "bookcase"),
            least=(0.6, 0.3, 1.55),
            most=(1.2, 0.4, 1.8),
        ),
        FurnitureKind(name="toilet", plan=rooms.toilet, size=(0.42, 0.66, 0.78), colours=("white",), aliases=("wc",)),
        FurnitureKind(
            name="bathtub", plan=rooms.bathtub, size=(1.6, 0.75, 0.55), colours=("white",), aliases=("bath", "tub")
        ),
        FurnitureKind(
            name="washbasin",
            plan=rooms.washbasin,
            size=(0.9, 0.5, 0.85),
            colours=("wood", "white", "gray"),
            aliases=("wash basin", "bathroom sink"),
        ),
        FurnitureKind(
            name="plant",
            plan=rooms.plant,
            size=(0.4, 0.4, 1.1),
            colours=("white", "brown", "gray"),
            aliases=("potted plant",),
        ),
    )
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
        >>> fridge.height, fridge.articulation.name
        (1.75, 'door')
    """
    if kind not in FURNITURE:
        raise ValueError(f"unknown furniture kind '{kind}'; known kinds: {', '.join(FURNITURE)}")
    if colour not in COLOURS:
        raise ValueError(f"unknown colour '{colour}'; known colours: {', '.join(COLOURS)}")
    entry = FURNITURE[kind]
    least, most = entry.least or entry.size, entry.most or entry.size
    size = []
    for word, override, standard, low, high in zip(
        ("width", "depth", "height"), (width, depth, height), entry.size, least, most, strict=True
    ):
        value = standard if override is None else override
        if not low <= value <= high:
            raise ValueError(f"the {word} of a {kind} must be between {low} and {high} m, not {value}")
        size.append(value)
    return entry.plan(Style(width=size[0], depth=size[1], height=size[2], rgb=COLOURS[colour], hinge=hinge))

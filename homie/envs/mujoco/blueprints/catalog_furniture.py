"""The kinds of furniture: sizes, colours, and what people call them."""

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


@dataclass(frozen=True, slots=True)
class FurnitureKind:
    """One kind. `size` is (width, depth, height) in metres, unless a piece overrides it within `least`..`most`."""

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
            "kitchen_counter",
            kitchen.kitchen_counter,
            (0.7, 0.6, 0.9),
            ("white", "navy", "beige", "gray"),
            ("counter", "kitchen counter", "countertop", "worktop"),
            (0.4, 0.5, 0.04),
            (2.4, 0.7, 0.95),
        ),
        FurnitureKind(
            "sink",
            kitchen.sink,
            (0.7, 0.6, 0.9),
            ("white", "navy", "beige", "gray"),
            ("kitchen sink",),
            (0.6, 0.55, 0.85),
            (0.9, 0.65, 0.95),
        ),
        FurnitureKind("stove", kitchen.stove, (0.6, 0.6, 0.9), ("white", "gray"), ("cooker", "oven", "hob")),
        FurnitureKind("drawer", kitchen.drawer, (0.6, 0.6, 0.86), ("white", "navy", "beige", "gray"), ("drawers",)),
        FurnitureKind("fridge", kitchen.fridge, (0.7, 0.7, 1.75), ("white", "silver"), ("refrigerator", "icebox")),
        FurnitureKind(
            "cabinet",
            kitchen.cabinet,
            (0.6, 0.45, 1.3),
            ("white", "wood", "blue", "green", "brown", "gray"),
            ("cupboard", "closet"),
            (0.5, 0.4, 1.25),
            (0.8, 0.6, 1.6),
        ),
        FurnitureKind("microwave", kitchen.microwave, (0.58, 0.44, 0.36), ("silver", "black"), ("microwave oven",)),
        FurnitureKind(
            "table",
            rooms.table,
            (1.1, 0.7, 0.74),
            ("wood", "brown", "white", "blue", "yellow", "black"),
            (),
            (0.5, 0.45, 0.4),
            (1.6, 0.9, 0.8),
        ),
        FurnitureKind(
            "desk",
            rooms.table,
            (1.2, 0.6, 0.74),
            ("wood", "white", "black"),
            ("writing desk", "work desk"),
            (0.8, 0.5, 0.7),
            (1.5, 0.75, 0.78),
        ),
        FurnitureKind(
            "sofa",
            rooms.sofa,
            (1.8, 0.85, 0.82),
            ("gray", "teal", "beige", "navy"),
            ("couch", "settee"),
            (1.3, 0.8, 0.75),
            (2.2, 0.95, 0.95),
        ),
        FurnitureKind("chair", rooms.chair, (0.42, 0.42, 0.9), ("wood", "white", "black", "brown"), ("seat",)),
        FurnitureKind(
            "tv_stand",
            rooms.tv_stand,
            (1.4, 0.42, 0.5),
            ("brown", "white", "wood"),
            ("tv stand", "tv table"),
            (1.0, 0.38, 0.4),
            (1.8, 0.5, 0.6),
        ),
        FurnitureKind("tv", rooms.tv, (1.0, 0.2, 0.66), ("black",), ("television",)),
        FurnitureKind("lamp", rooms.lamp, (0.2, 0.2, 0.42), ("black", "white", "brown"), ("desk lamp", "table lamp")),
        FurnitureKind(
            "bed", rooms.bed, (1.4, 2.05, 0.5), ("navy", "teal", "gray", "purple"), (), (0.9, 1.9, 0.4), (1.8, 2.1, 0.6)
        ),
        FurnitureKind(
            "nightstand", rooms.nightstand, (0.45, 0.42, 0.5), ("wood", "white", "brown"), ("bedside table",)
        ),
        FurnitureKind(
            "shelf",
            rooms.shelf,
            (0.8, 0.35, 1.6),
            ("wood", "white", "brown"),
            ("bookshelf", "shelves", "bookcase"),
            (0.6, 0.3, 1.55),
            (1.2, 0.4, 1.8),
        ),
        FurnitureKind("toilet", rooms.toilet, (0.42, 0.66, 0.78), ("white",), ("wc",)),
        FurnitureKind("bathtub", rooms.bathtub, (1.6, 0.75, 0.55), ("white",), ("bath", "tub")),
        FurnitureKind(
            "washbasin", rooms.washbasin, (0.9, 0.5, 0.85), ("wood", "white", "gray"), ("wash basin", "bathroom sink")
        ),
        FurnitureKind("plant", rooms.plant, (0.4, 0.4, 1.1), ("white", "brown", "gray"), ("potted plant",)),
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
    """The blueprint of a piece. Raises ValueError with one sentence for an unknown kind or a size out of range."""
    if kind not in FURNITURE:
        raise ValueError(f"unknown furniture kind '{kind}'; known kinds: {', '.join(FURNITURE)}")
    if colour not in COLOURS:
        raise ValueError(f"unknown colour '{colour}'; known colours: {', '.join(COLOURS)}")
    entry = FURNITURE[kind]
    least, most = entry.least or entry.size, entry.most or entry.size
    size = []
    for word, given, usual, low, high in zip(
        ("width", "depth", "height"), (width, depth, height), entry.size, least, most, strict=True
    ):
        value = usual if given is None else given
        if not low <= value <= high:
            raise ValueError(f"the {word} of a {kind} must be between {low} and {high} m, not {value}")
        size.append(value)
    return entry.plan(Style(size[0], size[1], size[2], COLOURS[colour], hinge))

"""The catalogue of furniture: all kinds by their names, and the blueprint of a piece."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from homie.envs.mujoco.blueprints import (
    furniture_doors,
    furniture_kitchen,
    furniture_living,
    furniture_openings,
    furniture_rooms,
)
from homie.envs.mujoco.blueprints.furniture import FurnitureKind, Style
from homie.envs.mujoco.blueprints.palette import COLOURS
from homie.envs.mujoco.blueprints.parts import Blueprint

FURNITURE: dict[str, FurnitureKind] = {
    kind.name: kind
    for shapes in (furniture_kitchen, furniture_doors, furniture_living, furniture_rooms, furniture_openings)
    for kind in shapes.KINDS
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

"""The definition of a kind of furniture: sizes, colours, names, and the function that makes its blueprint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.blueprints.parts import Blueprint

FREE_FRONT = 1.25
"""Depth (m) of the floor kept free in front: a robot with its arm extended, and an open door or drawer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The properties that differ between pieces of a kind: outer size (m), colour, and the side of the hinge."""

    width: float
    depth: float
    height: float
    rgb: RGB
    hinge: Literal["left", "right"] = "left"

    @property
    def x(self) -> float:
        """Half depth."""
        return self.depth / 2

    @property
    def y(self) -> float:
        """Half width."""
        return self.width / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureKind:
    """One kind of furniture.

    Attributes:
        size: (width, depth, height) in metres. A piece may override it between `least` and `most`; None allows no other
            size.
        aliases: Other names that people use for it.
    """

    name: str
    plan: Callable[[Style], Blueprint]
    size: tuple[float, float, float]
    colours: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    least: tuple[float, float, float] | None = None
    most: tuple[float, float, float] | None = None

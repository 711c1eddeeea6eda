"""Colours of instructions, scene specs and furniture, and the materials of objects with density and friction.

Densities are rounded values of the bulk materials from engineering tables; masses are given with the shapes, and a test
compares them with the weight of the material. Sliding friction is our estimate: tables of dry pairs differ by a factor
of two for one pair (plastics 0.3 to 0.6, wood 0.25 to 0.5), and none lists china on lacquered wood; so it is a round
value within such ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

RGB: TypeAlias = tuple[float, float, float]

COLOURS: dict[str, RGB] = {
    "red": (0.80, 0.12, 0.10),
    "green": (0.16, 0.55, 0.22),
    "blue": (0.14, 0.33, 0.75),
    "yellow": (0.96, 0.80, 0.12),
    "orange": (0.96, 0.50, 0.08),
    "purple": (0.42, 0.16, 0.48),
    "pink": (0.95, 0.60, 0.62),
    "brown": (0.42, 0.26, 0.14),
    "white": (0.93, 0.93, 0.91),
    "black": (0.10, 0.10, 0.11),
    "gray": (0.55, 0.57, 0.60),
    "silver": (0.74, 0.76, 0.78),
    "wood": (0.80, 0.61, 0.38),
    "beige": (0.87, 0.79, 0.66),
    "teal": (0.16, 0.50, 0.52),
    "navy": (0.16, 0.20, 0.34),
}
"""The values of `colour` in a scene spec."""

STEEL: RGB = (0.70, 0.72, 0.74)
CHROME: RGB = (0.82, 0.84, 0.86)
CERAMIC: RGB = (0.95, 0.96, 0.97)
GRANITE: RGB = (0.50, 0.48, 0.46)
DARK: RGB = (0.13, 0.13, 0.15)
SCREEN: RGB = (0.05, 0.06, 0.08)
LINEN: RGB = (0.92, 0.90, 0.85)
LEAF: RGB = (0.20, 0.48, 0.18)
STEM: RGB = (0.36, 0.24, 0.12)
SOIL: RGB = (0.25, 0.17, 0.11)


def shade(rgb: RGB, factor: float) -> RGB:
    """A darker (factor < 1) or lighter (factor > 1, towards white) version of a colour."""
    if factor <= 1.0:
        return (rgb[0] * factor, rgb[1] * factor, rgb[2] * factor)
    t = min(factor - 1.0, 1.0)
    return (rgb[0] + (1 - rgb[0]) * t, rgb[1] + (1 - rgb[1]) * t, rgb[2] + (1 - rgb[2]) * t)


@dataclass(frozen=True, slots=True)
class Material:
    """Physical properties of a material.

    Attributes:
        density: Density of the solid material, kg/m3.
        friction: Coefficient of sliding friction on furniture and floors.
    """

    density: float
    friction: float


MATERIALS: Mapping[str, Material] = MappingProxyType(
    {
        "ceramic": Material(2400.0, 0.5),
        "glass": Material(2500.0, 0.45),
        "metal": Material(7800.0, 0.4),
        "wood": Material(700.0, 0.45),
        "plastic": Material(1100.0, 0.45),
        "device": Material(2000.0, 0.45),  # a plastic shell, with metal, glass and batteries in it
        "paper": Material(800.0, 0.45),
        "produce": Material(1000.0, 0.5),  # the moist skin of fruit and vegetables
        "bakery": Material(500.0, 0.6),
        "soap": Material(1050.0, 0.4),
        "wax": Material(900.0, 0.5),
        "cloth": Material(300.0, 0.55),
        "rubber": Material(1200.0, 0.85),
    }
)

TESTED = 0.9
"""Friction of the 21 YCB kinds, regardless of material: all results on the default houses were measured with it. It is
typical of rubber feet rather than of glazed china."""

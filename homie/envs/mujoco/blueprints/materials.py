"""What objects are made of: how dense it is, and how it slides on furniture.

Densities are those of the bulk material, rounded, as engineers' tables have them; the mass of a kind stands in its
shape, and a test holds it to what its material would weigh. Sliding friction is ours: tables of dry pairs spread over a
factor of two for one pair (plastics 0.3 to 0.6, wood 0.25 to 0.5), and none has china on lacquered wood; so it is a
round value within such ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Material:
    """density: kg/m3 without hollows. friction: coefficient of sliding on furniture and floors."""

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

_KINDS: Mapping[str, str] = {
    "ceramic": "plate teapot teacup salt_shaker vase",
    "glass": "glass wine_glass honey_jar wine_bottle",
    "metal": "knife fork spoon ladle pan pot kettle keys scissors hammer dumbbell",
    "wood": "chopping_board pepper_mill pencil picture_frame",
    "plastic": "spatula whisk water_bottle toothbrush toothpaste soap_dispenser spray_bottle hairbrush pen toy_car"
    " rubber_duck puzzle_cube screwdriver wateringcan",
    "device": "alarm_clock laptop phone remote_control calculator computer_mouse headphones camera",
    "paper": "milk_carton toilet_paper book newspaper tissue_box cardboard_box",
    "produce": "tomato potato egg cheese carrot cucumber eggplant bell_pepper onion mushroom broccoli corn pineapple",
    "bakery": "bread donut cupcake",
    "soap": "soap",
    "wax": "candle",
    "cloth": "towel teddy_bear tennis_ball pillow",
    "rubber": "plunger shoe",
}
MATERIAL_OF: Mapping[str, str] = MappingProxyType(
    {kind: material for material, kinds in _KINDS.items() for kind in kinds.split()}
)
"""Of the kinds beyond YCB: what most of their outside is."""

TESTED = 0.9
"""Friction of the 21 kinds of YCB, whatever they are made of: every figure of the default houses was measured with it.
It is that of rubber feet rather than of glazed china."""


def friction_of(kind: str) -> float:
    """How an object of a kind slides on furniture and floors. Fingers hold by the friction of their own pads."""
    return MATERIALS[MATERIAL_OF[kind]].friction if kind in MATERIAL_OF else TESTED

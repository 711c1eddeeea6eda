"""Names of colours, as a person would say them, from what a camera measured."""

from __future__ import annotations

import colorsys

from homie.types import Array

_HUES = (
    (14.0, "red"),
    (42.0, "orange"),
    (68.0, "yellow"),
    (165.0, "green"),
    (258.0, "blue"),
    (300.0, "purple"),
    (342.0, "pink"),
    (361.0, "red"),
)
"""Upper end of each range of hue in degrees, and its name."""

COLOUR_WORDS = frozenset({name for _, name in _HUES} | {"black", "gray", "white", "brown"})
"""Every name that `colour_of` gives."""


def colour_of(rgb: Array | tuple[int, int, int]) -> str:
    """The name of a colour (3,), 0..255 each; "" where light and shade leave it open."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(float(c) / 255.0 for c in rgb))
    degrees = 360.0 * hue
    if value < 0.16:
        return "black"
    if saturation < 0.14:
        return _gray(value)
    name = next(name for limit, name in _HUES if degrees < limit)
    if name in ("orange", "red") and 8.0 < degrees < 46.0 and value < 0.62:
        return "brown"
    if name == "red" and saturation < 0.5 and value > 0.6:
        return "pink"
    if saturation < 0.22:
        return ""
    return name


def _gray(value: float) -> str:
    if value < 0.24:
        return "black"
    if value > 0.72:
        return "white"
    return "gray" if 0.3 < value < 0.62 else ""

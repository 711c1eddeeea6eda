"""Common names of colours from camera pixels.

The bare numbers are limits of saturation and value (HSV, 0..1) between neighbouring names.
"""

from __future__ import annotations

import colorsys

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array

_HUES = (
    (14.0, "red"),
    (42.0, "orange"),
    (68.0, "yellow"),
    (165.0, "green"),
    (196.0, "teal"),
    (258.0, "blue"),
    (300.0, "purple"),
    (342.0, "pink"),
    (361.0, "red"),
)
"""Upper limit (degrees) of each hue range, and its name."""

COLOUR_WORDS = frozenset({name for _, name in _HUES} | {"black", "gray", "white", "brown", "wood", "beige", "navy"})
"""All names that `colour_of` returns."""


def lit_colour(pixels: NDArray[np.uint8]) -> Array:
    """Return the colour (3,), 0..255, of the well-lit pixels of an object (n, 3); shaded pixels are ignored."""
    brightness = np.maximum.reduce([*pixels.T])
    low, high = np.percentile(brightness, [60.0, 95.0])
    well_lit = (brightness >= low) & (brightness <= high)
    # An object of two pixels, as in a small picture, may have none between the two percentiles.
    lit: Array = np.median(pixels[well_lit] if well_lit.any() else pixels, axis=0)
    return lit


def colour_of(rgb: Array | tuple[int, int, int]) -> str:
    """Return the name of a colour.

    Args:
        rgb: (3,), each 0..255.

    Returns:
        One of `COLOUR_WORDS`, or "" if the lighting makes the colour ambiguous.

    Example:
        >>> colour_of((200, 30, 25))
        'red'
    """
    hue, saturation, value = colorsys.rgb_to_hsv(*(float(c) / 255.0 for c in rgb))
    degrees = 360.0 * hue
    if value < 0.16:
        return "black"
    if saturation < 0.13:
        return _gray(value)
    name = next(name for limit, name in _HUES if degrees < limit)
    if name == "orange" or (name == "red" and degrees > 8.0 and value < 0.6):
        return _earthy(saturation, value, degrees)
    if name == "red" and saturation < 0.5 and value > 0.6:
        return "pink"
    if name == "blue" and (value < 0.26 or (saturation < 0.68 and value < 0.45)):
        return "navy"
    return name if saturation > 0.22 else ""


def possible_colours(rgb: Array | tuple[int, int, int]) -> tuple[str, ...]:
    """Return the possible names of a colour (3,), 0..255: its name, or those of similar colours if it is ambiguous."""
    if name := colour_of(rgb):
        return (name,)
    gray = float(np.mean(rgb))
    light = [gray + factor * (np.asarray(rgb, dtype=np.float64) - gray) for factor in (0.6, 1.0, 1.6)]
    names = (colour_of(np.clip(shade * factor, 0.0, 255.0)) for shade in light for factor in (0.85, 1.0, 1.15))
    return tuple(dict.fromkeys(name for name in names if name))


def _gray(value: float) -> str:
    if value < 0.24:
        return "black"
    if value > 0.72:
        return "white"
    return "gray" if value < 0.61 else ""


def _earthy(saturation: float, value: float, degrees: float) -> str:
    """Return the name of a colour with the hue of orange, from its saturation and brightness."""
    if saturation < 0.32:
        return "beige"
    if saturation < 0.6 and value > 0.42 and degrees > 22.0:
        return "wood"
    return "orange" if value > 0.62 and saturation > 0.6 else "brown"

"""Colour names."""

from __future__ import annotations

import numpy as np
import pytest

from homie.envs.mujoco.blueprints.materials import COLOURS
from perception.colours import COLOUR_WORDS, colour_of, lit_colour

NAMED = sorted(COLOUR_WORDS & set(COLOURS))


@pytest.mark.parametrize("name", NAMED)
def test_paint_of_the_palette_is_named_as_the_palette_does(name: str) -> None:
    assert colour_of(np.array(COLOURS[name]) * 255.0) == name


@pytest.mark.parametrize("name", ["red", "green", "blue", "yellow", "gray", "black", "brown"])
def test_half_the_light_leaves_the_name(name: str) -> None:
    assert colour_of(np.array(COLOURS[name]) * 255.0 * 0.6) == name


def test_only_lit_pixels_count() -> None:
    pixels = np.array([[200, 30, 30]] * 50 + [[20, 3, 3]] * 40, dtype=np.uint8)
    assert lit_colour(pixels) == pytest.approx([200, 30, 30])

"""What goes with a thing that is picked, and what would fall from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homie.kernel.types import Box, Goal
from skills.classical.pick import contents, standing_on

BOWL = Box(np.array([1.0, 0.0, 0.78]), np.array([0.08, 0.08, 0.027]), name="bowl")


def _at(name: str, x: float, bottom: float, half: float) -> Box:
    return Box(np.array([x, 0.0, bottom + half]), np.full(3, half), name=name)


def _goal(*loose: Box) -> Goal:
    return replace(Goal("bowl", "", BOWL.center, BOWL), loose=loose)


def test_fruit_goes_with_its_bowl_and_what_covers_the_rim_does_not() -> None:
    plum, other = (
        _at("plum", 1.03, 0.755, 0.026),
        replace(BOWL, center=BOWL.center + np.array([0.0, 0.0, 0.015]), name="bowl 2"),
    )
    assert contents(_goal(plum, other, _at("lemon", 1.2, 0.755, 0.03))) == [plum]


def test_what_stands_on_a_thing_is_named_and_what_is_in_it_or_over_it_is_not() -> None:
    on_it, on_that = _at("can", 1.02, 0.807, 0.03), _at("lid", 1.02, 0.867, 0.03)
    assert standing_on(_goal(on_it, on_that, _at("plum", 1.0, 0.755, 0.026), _at("mug", 1.2, 0.807, 0.04))) == [on_it]

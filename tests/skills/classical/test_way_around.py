"""Where a robot is on a path: how much of it is left, what is still ahead, and the point to steer for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Array
from skills.motion.base_path_planning import length_left, point_ahead, rest_of

HOOK = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]])
"""4 m long: ahead, to the left, and back."""


def _walk(path: Array, distance: float) -> Array:
    """The point of a path after so many metres."""
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    walked = np.concatenate([[0.0], np.cumsum(lengths)])
    return np.array([np.interp(distance, walked, path[:, axis]) for axis in (0, 1)])


@given(st.floats(0.0, 4.0))
def test_on_the_path_what_is_left_and_what_is_ahead_are_by_its_length(metres: float) -> None:
    here = _walk(HOOK, metres)
    assert length_left(HOOK, here) == pytest.approx(4.0 - metres, abs=1e-6)
    for distance in (0.3, 1.2):
        np.testing.assert_allclose(
            point_ahead(HOOK, here, distance), _walk(HOOK, min(4.0, metres + distance)), atol=1e-6
        )


@pytest.mark.parametrize(
    ("here", "expected", "rest"),
    [
        ((0.5, 0.2), 3.5, HOOK[1:]),
        ((-1.0, 0.0), 4.0, HOOK[1:]),
        ((2.3, 0.4), 1.6, HOOK[2:]),
        ((1.4, 0.9), 0.4, HOOK[3:]),
    ],
)
def test_next_to_the_path_its_nearest_point_counts(here: tuple[float, float], expected: float, rest: Array) -> None:
    assert length_left(HOOK, np.array(here)) == pytest.approx(expected)
    np.testing.assert_array_equal(rest_of(HOOK, np.array(here)), rest)


def test_at_a_corner_the_later_leg_counts() -> None:
    """Else a base that stands on a corner would steer for it instead of past it."""
    np.testing.assert_array_equal(rest_of(HOOK, HOOK[1]), HOOK[2:])
    there_and_back = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert length_left(there_and_back, np.array([0.5, 0.0])) == pytest.approx(0.5)


@pytest.mark.parametrize(("here", "expected"), [((1.0, 1.0), 0.0), ((0.7, 1.0), 0.3), ((1.05, 1.2), 0.206)])
def test_at_its_end_the_straight_way_there_is_left(here: tuple[float, float], expected: float) -> None:
    """A base that has come past the end, or beside it, has not arrived."""
    assert length_left(HOOK, np.array(here)) == pytest.approx(expected, abs=1e-3)


def test_a_path_of_one_point() -> None:
    only, here = np.array([[1.0, 2.0]]), np.array([1.0, 5.0])
    assert length_left(only, here) == 3.0
    np.testing.assert_array_equal(point_ahead(only, here, 0.3), [1.0, 2.0])
    np.testing.assert_array_equal(rest_of(only, here), only)


def test_two_points_in_one_place_are_no_leg() -> None:
    doubled = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert length_left(doubled, np.array([0.5, 0.0])) == pytest.approx(1.5)
    np.testing.assert_allclose(point_ahead(doubled, np.array([0.5, 0.0]), 1.0), [1.0, 0.5])

"""NoMaD's controller: its three cases, its limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.nomad.steering import MAX_V, MAX_W, SPACING, velocities

metres = st.floats(-1.0, 1.0, allow_nan=False)


@given(forward=metres, left=metres)
def test_it_is_slow_and_never_backs_up(forward, left):
    v, w = velocities((forward, left))
    assert 0.0 <= v <= MAX_V and abs(w) <= MAX_W


@pytest.mark.parametrize(
    ("waypoint", "expected"),
    [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, 0.1), (0.0, MAX_W)),
        ((0.0, -0.1), (0.0, -MAX_W)),
        ((0.02, 0.0), (0.08, 0.0)),
        ((1.0, 0.0), (MAX_V, 0.0)),
        ((-0.1, 0.0), (0.0, 0.0)),
        ((0.04, 0.002), (0.16, math.atan(0.05) * 4)),
        ((-0.1, 0.02), (0.0, -MAX_W)),
    ],
)
def test_cases(waypoint, expected):
    assert velocities(waypoint) == pytest.approx(expected)


def test_the_unit_of_paths():
    assert math.isclose(SPACING, 0.05)

"""The six actions of PixNav: numbers and sizes of the simulator in which it was trained (Habitat ObjectNav)."""

from __future__ import annotations

import math

STOP, FORWARD, LEFT, RIGHT, UP, DOWN = range(6)
STEP = 0.25
"""Length (m) of `forward`."""
TURN = math.radians(30.0)
"""Angle (rad) of `left`, `right`, `look up` and `look down`."""

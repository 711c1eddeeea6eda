"""The six actions of PixNav: numbers and sizes of the simulator that it was trained in (habitat ObjectNav)."""

from __future__ import annotations

import math

STOP, FORWARD, LEFT, RIGHT, UP, DOWN = range(6)
STEP = 0.25
"""Metres that `forward` goes."""
TURN = math.radians(30.0)
"""Radians of `left`, `right`, `look up` and `look down`."""

"""Thresholds of states and distances: open, closed, within reach, wiped.

These are the definitions, used by goals, by checks, and by the background locator, which reads world state. Modules
that measure or move (the sensors locator, the skills that open and close) have thresholds of their own, with the reason
why they differ.

>>> is_open(0.5), is_closed(0.5), is_closed(0.06)
(True, False, True)
>>> admits_hand("hinge", 0.3), within_reach(2.1)
(False, False)
>>> is_so("wiped", 0.5), is_not_so("wiped", 0.5)
(False, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

Joint: TypeAlias = Literal["hinge", "slide"]
"""hinge: opens by turning (a door, a lid). slide: opens by being pulled out (a drawer)."""

OPEN = 0.5
"""Fraction of its range from which a door or drawer is open: half, so that one that is ajar does not count as open."""

CLOSED = 0.06
"""Fraction of its range up to which it is closed: a door with a range of 1.92 rad may be 0.115 rad (7 degrees) open."""

LETS_IN = MappingProxyType({"hinge": 0.7, "slide": 0.18})
"""Opening (rad, m) from which a hand gets in. Less than open: a fridge at 40 of its 110 degrees hides nothing."""

REACH = 2.0
"""Largest distance (m) between base and target for manipulation (EMMOE, appendix E.1, D1); there is no need to come
closer."""

NEAR = 1.5
"""Largest horizontal distance (m) between base and entity at which the robot is near it (EmbodiedEval, `agent_near`).
"""

TOO_CLOSE = 0.1
"""Distance (m) below which the arm cannot be stretched out (EMMOE, appendix E.1, D2)."""

AT_SPOT = 0.3
"""Largest distance (m) from the floor of a room at which a robot is still in it: it stops in doorways, half on another
floor."""


def is_open(fraction: float) -> bool:
    """Whether a door or drawer is open, by the fraction of its range."""
    return fraction >= OPEN


def is_closed(fraction: float) -> bool:
    """Whether a door or drawer is closed, by the fraction of its range. Between closed and open it is ajar."""
    return fraction <= CLOSED


def admits_hand(joint: Joint, opening: float) -> bool:
    """Whether a hand gets into a door or drawer at this opening (rad, m)."""
    return opening >= LETS_IN[joint]


def is_near(metres: float) -> bool:
    """Whether the robot is near an entity at this horizontal distance from its base."""
    return metres <= NEAR


def within_reach(metres: float) -> bool:
    """Whether a target at this distance from the robot's base can be manipulated."""
    return metres <= REACH


SHARES: Mapping[str, tuple[float, float]] = MappingProxyType({"wiped": (0.95, 0.2)})
"""For states given as fractions: the fraction from which the state holds, and up to which it does not; in between it is
neither. wiped: a turning sponge misses a corner of an area (one tile of 20), and may touch the next area (4 of 20)."""

NEARLY = (0.95, 0.05)
"""The same for all other states given as fractions."""


def is_so(state: str, value: bool | float) -> bool:
    """Whether an entity is in a state.

    Args:
        value: True or False, or the fraction of the entity that is in the state.
    """
    return value if isinstance(value, bool) else value >= SHARES.get(state, NEARLY)[0]


def is_not_so(state: str, value: bool | float) -> bool:
    """Whether an entity is not in a state, not even partly."""
    return not value if isinstance(value, bool) else value <= SHARES.get(state, NEARLY)[1]

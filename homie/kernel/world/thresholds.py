"""Where a yes ends and a no begins: open, closed, within reach, wiped.

These are the definitions: goals judge by them, checks refuse by them, and the background locator, which knows the
world, answers by them. What only measures or drives (the sensors locator, the skills that open and close) stops at
numbers of its own, and says where they stand why they differ.

>>> is_open(0.5), is_closed(0.5), is_closed(0.06)
(True, False, True)
>>> lets_in("hinge", 0.3), within_reach(2.1)
(False, False)
>>> is_so("wiped", 0.5), is_not_so("wiped", 0.5)
(False, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

Joint: TypeAlias = Literal["hinge", "slide"]
"""What opens by turning (a door, a lid), and what opens by being pulled out (a drawer)."""

OPEN = 0.5
"""Fraction of its range from which something is open: half, so that what is ajar is not taken for open."""

CLOSED = 0.06
"""Fraction of its range up to which it is closed: a door of 1.92 rad may stand off by 0.115 rad (7 degrees)."""

LETS_IN = MappingProxyType({"hinge": 0.7, "slide": 0.18})
"""Rad and metres from which a hand gets in: less than open, a fridge at 40 of its 110 degrees hides nothing."""

REACH = 2.0
"""Metres between base and target up to which the target can be manipulated (EMMOE, appendix E.1, D1), and from which
nobody needs to come closer."""

NEAR = 1.5
"""Metres on the floor between base and thing up to which the robot is near it (EmbodiedEval, `agent_near`)."""

TOO_CLOSE = 0.1
"""Metres below which the arm cannot be stretched out (EMMOE, appendix E.1, D2)."""

AT_SPOT = 0.3
"""Metres beside the floor of a room at which a robot is in it still: it stops in doorways, half on one floor."""


def is_open(fraction: float) -> bool:
    """Whether a door or drawer is open, by the fraction of its range."""
    return fraction >= OPEN


def is_closed(fraction: float) -> bool:
    """Whether a door or drawer is closed, by the fraction of its range. Between the two it is ajar."""
    return fraction <= CLOSED


def lets_in(joint: Joint, opening: float) -> bool:
    """Whether a hand gets into what is open so far, in rad or metres."""
    return opening >= LETS_IN[joint]


def is_near(metres: float) -> bool:
    """Whether the robot is near what is this far from its base, on the floor."""
    return metres <= NEAR


def within_reach(metres: float) -> bool:
    """Whether a target at this distance from the robot's base can be manipulated."""
    return metres <= REACH


SHARES: Mapping[str, tuple[float, float]] = MappingProxyType({"wiped": (0.95, 0.2)})
"""Of states that are shares: from how much something is so, and up to how much it is not; between them it is neither.
wiped: a sponge that turns misses a corner of an area (one tile of 20), and may touch the area beside it (4 of 20)."""

NEARLY = (0.95, 0.05)
"""The same of all other states that are shares."""


def is_so(state: str, value: bool | float) -> bool:
    """Whether something is in a state.

    Args:
        value: Yes or no, or how much of it is, as a share.
    """
    return value if isinstance(value, bool) else value >= SHARES.get(state, NEARLY)[0]


def is_not_so(state: str, value: bool | float) -> bool:
    """Whether something is not in a state, not even partly."""
    return not value if isinstance(value, bool) else value <= SHARES.get(state, NEARLY)[1]

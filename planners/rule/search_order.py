"""Search order: the expected number of objects yet to be found at a piece of furniture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from homie.kernel.interfaces import kind_of
from homie.kernel.world.furniture import FURNITURE, Kept
from perception.names import canonical
from planners.common_sense import is_container, means

Seen: TypeAlias = tuple[float, float, float]
"""Numbers for furniture on which none, few or many objects were seen."""

OPENING_ROUNDS = 3
"""Rounds to look into a closed container: Go to, Open, and Close if the object is not inside."""

SEEN_CLOSELY = 0.3
"""Factor for furniture that was seen closely, where only the smallest objects are overlooked: a guess."""

SMALL = ("fruit", "tuna fish can")
"""Objects too small to be seen across a room, and kept in drawers; unseen larger objects are behind doors."""

MANY = 3
"""Minimum number of objects seen on furniture that counts as many."""

_SMALL_IN = {"fridge": 1.3, "drawer": 0.64, "cabinet": 0.1, "microwave": 0.0}
_SMALL_ON = {
    "table": (1.1, 0.5, 0.05),
    "desk": (1.0, 0.7, 0.2),
    "tv stand": (1.2, 0.1, 0.1),
    "nightstand": (0.95, 0.15, 0.1),
    "shelf": (0.3, 0.2, 0.1),
    "counter": (0.17, 0.35, 0.0),
    "washbasin": (0.1, 0.05, 0.0),
}
_LARGE_IN = {"cabinet": 0.5, "fridge": 0.35, "drawer": 0.12, "microwave": 0.0}
_LARGE_ON = {"shelf": (0.3, 0.3, 0.15), "table": (0.1, 0.0, 0.0), "counter": (0.0, 0.0, 0.0)}
"""Mean number of kinds of objects yet to be found, over 42 generated homes after a look around from the middle of each
room: in closed containers; on furniture on which none, few or many objects were seen. Sinks, stoves, beds, sofas: 0."""

_SUBSTITUTES: dict[Kept, str] = {"fruit": "nightstand", "food": "table"}
"""Measured furniture used for furniture that those homes did not have, if such objects are kept there; for a container
a cabinet."""


def promise(words: str, place: str, known: int | None, *, closely: bool) -> float:
    """Return the expected number of kinds of objects like the sought one at a piece of furniture, per round.

    Args:
        words: The sought object.
        place: The name of the furniture, with or without number.
        known: Number of objects seen on it; None if unknown.
        closely: Whether it has been seen closely.
    """
    small = any(means(kind, words) for kind in SMALL)
    name = canonical(kind_of(place))
    if is_container(name):
        values = _SMALL_IN if small else _LARGE_IN
        return values.get(name.split()[-1], values["cabinet"]) / OPENING_ROUNDS
    none, few, many = _expected_on(name, "fruit", _SMALL_ON) if small else _expected_on(name, "food", _LARGE_ON)
    expected = none if known == 0 else many if known is not None and known >= MANY else few
    return expected * (SEEN_CLOSELY if closely else 1.0)


def _expected_on(name: str, category: Kept, measured: Mapping[str, Seen]) -> Seen:
    """Return the numbers yet to be found on furniture on which none, few or many objects were seen."""
    for kind, numbers in measured.items():
        if name.endswith(kind):
            return numbers
    keeps = any(category in use.keeps for use in FURNITURE if name.endswith(use.word))
    return measured[_SUBSTITUTES[category]] if keeps else (0.0, 0.0, 0.0)

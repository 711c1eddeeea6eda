"""The eight actions by name, in the order and the words of EB-Navigation, and what each of them comes to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

METRES = 0.25
"""Of a move, as in EB-Navigation."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move by `METRES`. aside: the direction in which, rad from straight ahead, to the left."""

    aside: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn on the spot by so much (rad), to the left."""

    angle: float


@dataclass(frozen=True, slots=True)
class Tilt:
    """A nod by so much (rad), down."""

    angle: float


Small: TypeAlias = Move | Turn | Tilt

SMALL: Mapping[str, Small] = {
    "Move forward by 0.25": Move(0.0),
    "Move backward by 0.25": Move(math.pi),
    "Move rightward by 0.25": Move(-math.pi / 2),
    "Move leftward by 0.25": Move(math.pi / 2),
    "Rotate to the right by 90 degrees": Turn(-math.pi / 2),
    "Rotate to the left by 90 degrees": Turn(math.pi / 2),
    "Tilt the camera upward by 30 degrees": Tilt(-math.pi / 6),
    "Tilt the camera downward by 30 degrees": Tilt(math.pi / 6),
}
"""By name. Metres, though their names do not say so."""

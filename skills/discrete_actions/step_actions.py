"""The eight actions by name, in the order and wording of EB-Navigation, and the motion of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from homie.kernel.robot import small_steps

METRES = small_steps.STRIDE
"""Length (m) of a move, as in EB-Navigation."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move by `METRES`.

    Attributes:
        aside: Direction of the move, rad from straight ahead, to the left.
    """

    aside: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn in place by an angle (rad), to the left."""

    angle: float


@dataclass(frozen=True, slots=True)
class Tilt:
    """A nod by an angle (rad), down."""

    angle: float


Small: TypeAlias = Move | Turn | Tilt

SMALL: Mapping[str, Small] = {
    small_steps.FORWARD: Move(0.0),
    small_steps.BACKWARD: Move(math.pi),
    small_steps.RIGHTWARD: Move(-math.pi / 2),
    small_steps.LEFTWARD: Move(math.pi / 2),
    small_steps.TURN_RIGHT: Turn(-math.pi / 2),
    small_steps.TURN_LEFT: Turn(math.pi / 2),
    small_steps.TILT_UP: Tilt(-math.pi / 6),
    small_steps.TILT_DOWN: Tilt(math.pi / 6),
}
"""Motions by action name."""

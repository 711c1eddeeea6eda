"""Turn on and Turn off by a knob: the hand grasps its ridge from above and turns with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, Articulation, FailureReason
from skills.classical.articulated import MoveArticulation
from skills.classical.pulls import Wrist
from skills.motion.motions import NotRetryable

ON = (0.6, 0.45, 0.3)
"""Fractions of its range to which a knob is turned to switch a device on, best first."""
OFF = 0.05
"""Fraction of its range up to which a knob counts as turned back."""
PAST = (-0.4, -0.25, -0.1)
"""Joint positions (rad) to which a knob is turned back, best first: beyond its stop, so that it reaches it."""
FROM_ABOVE = tuple(Wrist(1.0, slant, np.pi / 2) for slant in (0.0, np.pi))
"""The two ways to place the fingers on the sides of a ridge."""


class Turn(MoveArticulation):
    """Turns the knob of the goal's target. The skill sees how far the knob is turned, not whether a device is on."""

    name = "chores/turn"
    actions = ("Turn on", "Turn off")

    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        if self._turns_off:
            return PAST
        return tuple(share * articulation.range for share in ON)

    def is_done(self, articulation: Articulation) -> bool:
        share = articulation.opening / articulation.range
        return share <= OFF if self._turns_off else share >= ON[-1] - OFF

    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        return [articulation.handle]

    def wrists(self, articulation: Articulation) -> Sequence[Wrist]:
        return FROM_ABOVE

    def grasps_handle(self, articulation: Articulation) -> bool:
        return True

    def pick_articulation(self) -> Articulation:
        knob = next((part for part in self.goal.articulations if part.kind == "hinge"), None)
        if knob is None:
            raise NotRetryable(FailureReason.SWITCH_NOT_SEEN)
        return knob

    @property
    def _turns_off(self) -> bool:
        return self.subtask.action == "Turn off"

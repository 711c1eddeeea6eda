"""Turn on and Turn off by a knob: the hand takes its ridge from above and turns with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, Articulation, FailureReason
from skills.classical.articulated import MoveArticulation
from skills.classical.pulls import Wrist
from skills.motion.motions import NotRetryable

ON = (0.6, 0.45, 0.3)
"""Shares of its range to which a knob is turned to turn something on, best first."""
OFF = 0.05
"""Share of its range up to which a knob counts as turned back."""
PAST = (-0.4, -0.25, -0.1)
"""Radians to which a knob is turned back, best first: beyond its stop, so that it comes to it."""
FROM_ABOVE = tuple(Wrist(1.0, slant, np.pi / 2) for slant in (0.0, np.pi))
"""Both ways to put the fingers to the sides of a ridge."""


class Turn(MoveArticulation):
    """Turns the knob of what the goal is about. It sees how far the knob is turned, not whether something is on."""

    name = "chores/turn"
    actions = ("Turn on", "Turn off")

    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        if self._off:
            return PAST
        return tuple(share * articulation.range for share in ON)

    def done(self, articulation: Articulation) -> bool:
        share = articulation.opening / articulation.range
        return share <= OFF if self._off else share >= ON[-1] - OFF

    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        return [articulation.handle]

    def wrists(self, articulation: Articulation) -> Sequence[Wrist]:
        return FROM_ABOVE

    def leads(self, articulation: Articulation) -> bool:
        return True

    def pick_articulation(self) -> Articulation:
        knob = next((part for part in self.goal.articulations if part.kind == "hinge"), None)
        if knob is None:
            raise NotRetryable(FailureReason.SWITCH_NOT_SEEN)
        return knob

    @property
    def _off(self) -> bool:
        return self.subtask.action == "Turn off"

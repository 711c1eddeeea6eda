"""Hand over: the held object is released just above the palm that a person holds out."""

from __future__ import annotations

from homie.kernel.types import FailureReason
from skills.classical.put import Put
from skills.motion.motions import Motion, Stuck


class HandOver(Put):
    """Moves the held object over a held-out palm, the only spot where it can be put, and releases it: the person takes
    it. Without a held-out empty hand, nothing moves."""

    name = "people/hand_over"
    actions = ("Hand over",)

    def routine(self) -> Motion:
        if not self.goal.surfaces:
            raise Stuck(FailureReason.NO_EMPTY_HAND)
        yield from super().routine()

"""Memory of the states of things other than open and closed: on, dirty, filled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.knowledge import CONTRARY
from homie.kernel.types import Detection

MAY_END = frozenset({"dirty", "filled"})
"""States that are over where a look that shows as much of a thing shows them no more."""


class States:
    """The words of `CONTRARY` that are known of each thing, by its entity."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}
        """With the pixels of the thing in the look that has shown it, 0 where the robot has brought it about."""

    def of(self, entity: str) -> tuple[str, ...]:
        """What is known of a thing, in the order of `CONTRARY`."""
        return tuple(word for word in CONTRARY if word in self._known.get(entity, ()))

    def see(self, entity: str, detections: Sequence[Detection]) -> None:
        """Take in all detections of a thing in one look."""
        visible_states = {word for detection in detections for word in detection.states}
        pixels = sum(int(np.count_nonzero(detection.mask)) for detection in detections if detection.mask is not None)
        if not visible_states and entity not in self._known:
            return
        known = self._known.setdefault(entity, {})
        for word in MAY_END & known.keys() - visible_states:
            if pixels >= known[word] > 0:
                del known[word]
        for word in visible_states:
            known.pop(CONTRARY[word], None)
            known[word] = pixels

    def record(self, entity: str, word: str) -> None:
        """The robot has brought a thing into a state."""
        known = self._known.setdefault(entity, {})
        known.pop(CONTRARY[word], None)
        known[word] = 0

    def forget(self, entity: str) -> None:
        """What is known of a thing may be so no longer."""
        self._known.pop(entity, None)

"""Memory of the states of entities other than open and closed: on, dirty, filled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.knowledge import CONTRARY
from homie.kernel.types import Detection

MAY_END = frozenset({"dirty", "filled"})
"""States that end if a look that shows at least as much of the entity does not show them."""


class States:
    """Known states of each entity, as words of `CONTRARY`."""

    def __init__(self) -> None:
        self._states: dict[str, dict[str, int]] = {}
        """Entity -> state -> pixels of the entity in the look that showed the state, 0 if it is the result of a
        skill."""

    def of(self, entity: str) -> tuple[str, ...]:
        """Return the known states of an entity, in the order of `CONTRARY`."""
        return tuple(word for word in CONTRARY if word in self._states.get(entity, ()))

    def see(self, entity: str, detections: Sequence[Detection]) -> None:
        """Update with all detections of an entity in one look."""
        visible_states = {word for detection in detections for word in detection.states}
        pixels = sum(int(np.count_nonzero(detection.mask)) for detection in detections if detection.mask is not None)
        if not visible_states and entity not in self._states:
            return
        known = self._states.setdefault(entity, {})
        for word in MAY_END & known.keys() - visible_states:
            if pixels >= known[word] > 0:
                del known[word]
        for word in visible_states:
            known.pop(CONTRARY[word], None)
            known[word] = pixels

    def record(self, entity: str, word: str) -> None:
        """Record a state of an entity that results from a skill."""
        known = self._states.setdefault(entity, {})
        known.pop(CONTRARY[word], None)
        known[word] = 0

    def forget(self, entity: str) -> None:
        """Discard the states of an entity, which may have changed."""
        self._states.pop(entity, None)

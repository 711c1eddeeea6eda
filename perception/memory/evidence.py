"""Filter for false positives of a detector: a kind is accepted with a high score, or with looks from several sides.

A score is taken for the probability that a report is right. Its odds are summed over looks from different viewpoints
and cameras, so that a few good looks weigh more than many poor ones; looks from the same viewpoint repeat the same
error and count once. If several kinds are reported at one position, the one with most evidence is accepted. Detectors
that distinguish instances are assumed to be correct and need no evidence.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Detection
from perception.localise import Patch
from perception.memory.clouds import beside_cell, cells_of, corners_of
from perception.memory.seen_object import HOLLOW

BELIEVED = 0.8
"""Score of a single look from which a report is accepted; four looks with a score of 0.5 weigh as much. Of 180 small
objects in six houses 161 were accepted when the scores themselves were summed, and 157 by the odds, but 51 instead of
62 other kinds in their places, and 54 instead of 70 objects where there was none (the shipped network)."""
CERTAIN = 0.98
"""Score from which odds no longer grow: no detector knows more than that."""
SAME_OBJECT, SAME_FURNITURE = 0.25, 1.0
"""Distance (m) up to which reports of a kind count for one small object, and for furniture, of which looks show
different pieces."""
RIVALS = 0.05
"""Distance (m) below which two kinds of small objects exclude each other, unless one of them is a container."""
OWN = 0.1
"""Distance (m) from the middle of a small object within which reports of its own kind count against rivals, and for
this place instead of another: the visible side, which differs between looks, is further away than that of a wrong
report that covers the same pixels."""
EYE_CELL = 0.15
"""Distance (m) that a camera has to move for a look to count again."""
FLOOR_CELL = 0.5
"""Size (m) of a floor cell; each cell belongs to one room."""
LEAST_FLOOR, LEAST_POINTS = 12, 3
"""Fewest points of a floor patch, and of one of its cells."""
LEAST_CELLS = 5
"""Fewest cells of a room: a smaller piece of floor is an error at the edge of another room."""

_Look: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class _Claim:
    """Reports of a kind at a point (x, y, z), with the best odds of each look."""

    point: tuple[float, float, float]
    odds: dict[_Look, float] = field(default_factory=dict)


class Evidence:
    """Evidence accumulated over the detections of one episode."""

    def __init__(self) -> None:
        self._claims: dict[str, list[_Claim]] = defaultdict(list)
        self._small: set[str] = set()
        self._floors: dict[int, dict[str, dict[_Look, float]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, kind: str, detection: Detection, patch: Patch, small: bool) -> Patch | None:
        """Add a detection and return the accepted part of its patch, None if there is none.

        Args:
            small: Whether the kind can be lifted with one hand.
        """
        look = (detection.view, tuple(np.round(patch.eye / EYE_CELL).astype(int).tolist()))
        if detection.is_room:
            return self._floor(kind, look, _odds(detection.score), patch)
        point = np.median(patch.points.astype(np.float64), axis=0)
        if small:
            self._small.add(kind)
        self._add_report(kind, point, look, _odds(detection.score))
        total = self._support(kind, point, SAME_OBJECT if small else SAME_FURNITURE)
        return patch if total >= _odds(BELIEVED) and not self.is_outvoted(kind, point) else None

    def is_outvoted(self, kind: str, point: Array) -> bool:
        """Whether another kind has more evidence at a point (3,) than a small object of this kind."""
        if kind in HOLLOW or kind not in self._small:
            return False
        own = self._support(kind, point, OWN)
        return any(self._support(rival, point, RIVALS) > own for rival in self._small - HOLLOW - {kind})

    def favours(self, kind: str, place: Array, other: Array) -> bool:
        """Whether a small object is at a place (3,) rather than at another, more than `OWN` away, which has no more
        evidence."""
        return self._support(kind, place, OWN) >= self._support(kind, other, OWN)

    def _add_report(self, kind: str, point: Array, look: _Look, odds: float) -> None:
        """Add a report to the nearest claim of its kind, or to a new one."""
        x, y, z = point.tolist()
        claims = self._claims[kind]
        nearest = min(claims, key=lambda claim: math.dist(claim.point, (x, y, z)), default=None)
        if nearest is None or math.dist(nearest.point, (x, y, z)) > RIVALS:
            nearest = _Claim((x, y, z))
            claims.append(nearest)
        nearest.odds[look] = max(odds, nearest.odds.get(look, 0.0))

    def _support(self, kind: str, point: Array, metres: float) -> float:
        """Return the sum over looks of the best odds of a kind within a distance of a point (3,)."""
        best: dict[_Look, float] = {}
        place = point.tolist()
        for claim in self._claims[kind]:
            if math.dist(claim.point, place) < metres:
                for look, odds in claim.odds.items():
                    best[look] = max(odds, best.get(look, 0.0))
        return sum(best.values())

    def _floor(self, kind: str, look: _Look, odds: float, patch: Patch) -> Patch | None:
        cells = cells_of(patch.points[:, :2], FLOOR_CELL)
        seen, counts = np.unique(cells, return_counts=True)
        for cell in seen[counts >= LEAST_POINTS].tolist():
            votes = self._floors[cell][kind]
            votes[look] = max(odds, votes.get(look, 0.0))
        is_own = np.isin(cells, [cell for cell in seen.tolist() if self._room_of(cell) == kind])
        return _subset(patch, is_own) if np.count_nonzero(is_own) >= LEAST_FLOOR else None

    def floors(self) -> list[tuple[str, Array]]:
        """Return the pieces of floor accepted as rooms: kind, and the corners (n, 2) of their cells."""
        rooms = {cell: kind for cell in list(self._floors) if (kind := self._room_of(cell))}
        pieces = []
        while rooms:
            first, kind = rooms.popitem()
            piece, edge = [first], [first]
            while edge:
                for neighbour in beside_cell(edge.pop()):
                    if rooms.get(neighbour) == kind:
                        del rooms[neighbour]
                        piece.append(neighbour)
                        edge.append(neighbour)
            if len(piece) >= LEAST_CELLS:
                pieces.append((kind, FLOOR_CELL * corners_of(piece)))
        return pieces

    def _room_of(self, cell: int) -> str:
        """Return the accepted room kind of a floor cell, "" for none."""
        totals = {kind: sum(votes.values()) for kind, votes in self._floors.get(cell, {}).items()}
        kind = max(totals, key=lambda kind: totals[kind], default="")
        return kind if kind and totals[kind] >= _odds(BELIEVED) else ""


def _odds(score: float) -> float:
    probability = min(score, CERTAIN)
    return probability / (1.0 - probability)


def _subset(patch: Patch, chosen: NDArray[np.bool_]) -> Patch:
    return replace(patch, points=patch.points[chosen], level=patch.level[chosen])

"""Doorways, from depth alone: gaps as wide as a door between what is as high as a wall, with floor beyond.

all pictures of one look -> how far it is to something tall, by bearing -> gaps -> doorways, looks put together
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from homie.types import Array, Pose2
from perception.localise import Points, Scan

LOW, HIGH = 1.2, 1.9
"""Metres above the floor between which a wall stands and a doorway is open; most furniture ends below."""
SILL = 0.15, 1.1
"""Metres above the floor between which a window has a wall, and a doorway nothing."""
BEARINGS = 512
"""Directions that are told apart: 0.7 degrees each, 6 cm at 5 m."""
REACH = 6.0
"""Metres up to which the edges of a doorway are seen well enough."""
NARROWEST, WIDEST = 0.65, 1.45
"""Metres that a doorway is wide."""
DEEPER = 0.9
"""Metres that it must go on behind it: a niche between two cupboards is less deep."""
OPEN = 0.75
"""Share of the directions through it that must go on so far: the far jamb hides some in a slanting view."""
STEP = 0.3
"""Metres by which the wall before is nearer than what is seen through the doorway."""
WALL_LONG, WALL_SHORT, WALL_THICK = 0.25, 0.05, 0.12
"""Metres of wall that go on in line beside it, on one side and on the other, and how far out of line."""
SAME = 0.6
"""Metres between the middles up to which two looks show one doorway: less than between two doorways."""
ASIDE = 0.2
"""Metres from its plane from which a robot is on one side of it."""
BEFORE = 2.5
"""Metres before a doorway within which a robot has the room there around it."""
BEYOND = 1.0
"""Metres behind a doorway to which a robot goes through it: the middle of a square of twice that."""

_ANGLES = (np.arange(BEARINGS) + 0.5) * 2 * np.pi / BEARINGS
_WAYS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
"""Unit vectors (BEARINGS, 2) along the bearings."""


@dataclass(slots=True)
class Gap:
    """One look at a doorway: its jambs (2,) each, and the place (2,) that it was seen from."""

    left: Array
    right: Array
    eye: Array

    @property
    def middle(self) -> Array:
        middle: Array = (self.left + self.right) / 2
        return middle

    @property
    def squarely(self) -> float:
        """How squarely and how near it was seen; the best look tells where it is."""
        away = self.middle - self.eye
        along = (self.right - self.left) / np.linalg.norm(self.right - self.left)
        metres = float(np.linalg.norm(away))
        return abs(float(away[0] * along[1] - away[1] * along[0])) / max(metres, 0.5) ** 2


@dataclass(slots=True)
class Passage:
    """A doorway as all looks show it. sides: on which sides (1, -1) of its plane the robot has been, or has seen it
    from. near: the place (2,) that it was first seen from."""

    best: Gap
    near: Array
    sides: set[int] = field(default_factory=set)

    def side(self, point: Array) -> int:
        """On which side of its plane a point (2,) is: 1, -1, or 0 in it."""
        along = (self.best.right - self.best.left) / np.linalg.norm(self.best.right - self.best.left)
        away = point[:2] - self.best.middle
        metres = float(along[0] * away[1] - along[1] * away[0])
        return 0 if abs(metres) < ASIDE else int(np.sign(metres))

    def before(self, side: int, metres: float) -> Array:
        """A point (2,) on the floor before its middle, on one side."""
        along = (self.best.right - self.best.left) / np.linalg.norm(self.best.right - self.best.left)
        point: Array = self.best.middle + side * metres * np.array([-along[1], along[0]])
        return point

    @property
    def explored(self) -> bool:
        """Whether the robot has been on both sides, or has seen it from there."""
        return len(self.sides) == 2

    def square(self, base: Pose2) -> tuple[float, float, float, float]:
        """The floor (x0, y0, x1, y1) where a robot is that has gone through it from where it is now."""
        side = -(self.side(base.xy) or self.side(self.near) or 1)
        x, y = (float(v) for v in self.before(side, BEYOND))
        return x - BEYOND, y - BEYOND, x + BEYOND, y + BEYOND


class Doorways:
    """The doorways of one episode, in the order in which they were seen."""

    def __init__(self) -> None:
        self.all: list[Passage] = []

    def update(self, scans: Sequence[Scan], base: Pose2) -> None:
        """Take in pictures of one moment that together look all around."""
        for gap in gaps(scans, base.xy):
            known = min(self.all, key=lambda one: _apart(one, gap), default=None)
            if known is None or _apart(known, gap) > SAME:
                known = Passage(gap, base.xy)
                self.all.append(known)
            elif gap.squarely > known.best.squarely:
                known.best = gap
            known.sides |= {known.side(base.xy)} - {0}
        for passage in self.all:
            half = float(np.linalg.norm(passage.best.right - passage.best.left)) / 2
            side = passage.side(base.xy)
            ahead = passage.before(side, 0.0) - base.xy
            along = (passage.best.right - passage.best.left) / (2 * half)
            if side and abs(float(ahead @ along)) < half and float(np.linalg.norm(ahead)) < BEFORE:
                passage.sides.add(side)


def _apart(passage: Passage, gap: Gap) -> float:
    return float(np.linalg.norm(passage.best.middle - gap.middle))


def gaps(scans: Sequence[Scan], center: Array) -> list[Gap]:
    """The doorways that pictures show. center (2,): the middle of the cameras, on the floor plan."""
    every = np.concatenate([scan.points[::4, ::2][scan.valid[::4, ::2]] for scan in scans])  # columns are bearings
    every = every[every[:, 2] < HIGH]
    away = every[:, :2] - center.astype(np.float32)
    metres = np.hypot(away[:, 0], away[:, 1])
    bearing = (np.arctan2(away[:, 1], away[:, 0]) * (BEARINGS / (2 * np.pi))).astype(np.intp) % BEARINGS
    tall = np.flatnonzero(every[:, 2] > LOW)
    around = _Around(np.full(BEARINGS, np.inf), np.zeros((BEARINGS, 2)), np.zeros(BEARINGS, np.float32))
    order = tall[np.argsort(-metres[tall])]  # of several at one bearing the last that is written stays: the nearest
    around.wall[bearing[order]], around.edge[bearing[order]] = metres[order], every[order, :2]
    np.maximum.at(around.sight, bearing, metres)
    low = every[(every[:, 2] > SILL[0]) & (every[:, 2] < SILL[1]), :2]
    walls = every[tall, :2]
    found: list[Gap] = []
    for start in np.flatnonzero((np.roll(around.wall, -1) > around.wall + STEP) & (around.wall < REACH)):
        gap = _gap_from(int(start), around, center)
        if gap is not None and _in_a_wall(gap, walls) and not _walled_up(gap, low):
            found.append(gap)
    return found


@dataclass(frozen=True, slots=True)
class _Around:
    """What is seen at each bearing.

    wall: metres to the nearest that is tall, inf where none is seen. edge (n, 2): where that is. sight: metres to the
    farthest that is seen below the lintel, 0 for nothing.
    """

    wall: Array
    edge: Array
    sight: NDArray[np.float32]


def _gap_from(start: int, around: _Around, center: Array) -> Gap | None:
    """The doorway whose right jamb, seen from the middle, is at a bearing; bearings grow to the left."""
    right = around.edge[start]
    span = (start + np.arange(BEARINGS // 3)) % BEARINGS
    wide = np.linalg.norm(around.edge[span] - right, axis=1)
    fits = (around.wall[span] < REACH) & (wide > NARROWEST) & (wide < WIDEST)
    for end in np.flatnonzero(fits[3:]) + 3:
        left, between = around.edge[span[end]], span[1:end]
        line = _chord(right, left, center, between)
        wall = around.wall[between]
        if (wall < line - 0.1).any():
            return None
        if np.count_nonzero(np.minimum(around.sight[between], wall) > line + DEEPER) >= OPEN * len(between):
            return Gap(left, right, center)
    return None


def _chord(right: Array, left: Array, center: Array, bearings: NDArray[np.intp]) -> Array:
    """Metres (n,) from the middle along bearings to the line through two points."""
    along = left - right
    normal = np.array([-along[1], along[0]])
    ways = _WAYS[bearings] @ normal
    metres: Array = float((left - center) @ normal) / np.where(np.abs(ways) < 1e-9, 1e-9, ways)
    return metres


def _in_a_wall(gap: Gap, tall: Array) -> bool:
    """Whether what is tall goes on in line with it on both sides."""
    along = gap.right - gap.left
    width = float(np.linalg.norm(along))
    along = along / width
    out = (tall - gap.left) @ along
    aside = np.abs((tall - gap.left) @ np.array([-along[1], along[0]]))
    near = aside < WALL_THICK
    before = float(-out[near & (out < 0.02) & (out > -0.5)].min(initial=0.0))
    after = float((out[near & (out > width - 0.02) & (out < width + 0.5)] - width).max(initial=0.0))
    return max(before, after) > WALL_LONG and min(before, after) > WALL_SHORT


def _walled_up(gap: Gap, low: Points) -> bool:
    """Whether something fills it from side to side below the height of a window."""
    along = gap.right - gap.left
    width = float(np.linalg.norm(along))
    along = along / width
    out = (low - gap.left) @ along
    aside = np.abs((low - gap.left) @ np.array([-along[1], along[0]]))
    filled = out[(aside < WALL_THICK) & (out > 0.15 * width) & (out < 0.85 * width)]
    return len(np.unique(np.floor(filled / 0.1))) * 0.1 > 0.5 * width

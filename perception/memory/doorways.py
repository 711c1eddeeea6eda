"""Doorway detection from depth alone: door-wide gaps between structures of wall height, with free space beyond.

all pictures of one look -> distance to tall structures by bearing -> gaps -> doorways, merged over looks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.types import Array, Pose2
from perception.scan import Points, Scan

LOW, HIGH = 1.2, 1.9
"""Height range (m) in which walls are solid and doorways are open; most furniture is lower."""
SILL = 0.15, 1.1
"""Height range (m) in which there is wall under a window but free space in a doorway."""
BEARINGS = 512
"""Number of bearing bins: 0.7 degrees each, 6 cm at 5 m."""
REACH = 6.0
"""Largest distance (m) at which the edges of a doorway are accurate enough."""
NARROWEST, WIDEST = 0.65, 1.45
"""Smallest and largest width (m) of a doorway."""
DEEPER = 0.85
"""Smallest free depth (m) behind a doorway: a niche between a fridge and a cupboard is less deep."""
OPEN = 0.35
"""Smallest share of the bearings through it with that free depth: in an oblique view many end at the next wall."""
STEP = 0.3
"""Smallest step (m) in depth from the wall to the view through the doorway."""
WALL_LONG, WALL_SHORT, WALL_THICK = 0.25, 0.1, 0.12
"""Length (m) of wall in line with it on the longer and on the shorter side, and largest distance (m) from that line."""
STRAIGHT, BESIDE = 0.7, 0.4
"""Share of the tall points in line with it, on the side of the longer wall, and the distance (m) within which points
are counted."""
SAME = 0.6
"""Distance (m) between midpoints up to which two gaps are one doorway: less than between two doorways."""
ASIDE = 0.2
"""Distance (m) from its plane from which the robot is on one side of it."""
BEFORE = 2.5
"""Distance (m) in front of a doorway within which the robot has seen the room on that side."""
BEYOND = 1.0
"""Distance (m) behind a doorway of the goal for going through it: the centre of a square with sides of twice that."""

_IDENTITY = "itself"
"""Memo key of a frame's identity, in the cache keys of looks with several frames."""
_ANGLES = (np.arange(BEARINGS) + 0.5) * 2 * np.pi / BEARINGS
_DIRECTIONS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
"""Unit vectors (BEARINGS, 2) along the bearings."""


@dataclass(slots=True)
class Gap:
    """One look at a doorway: its jambs (2,), and the viewpoint (2,)."""

    left: Array
    right: Array
    eye: Array

    @property
    def middle(self) -> Array:
        middle: Array = (self.left + self.right) / 2
        return middle

    def along(self, points: Points) -> tuple[float, Array, Array]:
        """Return its width, and for points (n, 2 or more) their distances along it from the left jamb and from its
        line (m)."""
        way = self.right - self.left
        width = float(np.linalg.norm(way))
        x, y = way / width
        offsets = points[:, :2] - self.left
        return width, offsets @ np.array([x, y]), np.abs(offsets @ np.array([-y, x]))

    @property
    def view_quality(self) -> float:
        """Quality of the view, from its angle and distance; the position is that of the best look."""
        view_offset = self.middle - self.eye
        direction = (self.right - self.left) / np.linalg.norm(self.right - self.left)
        metres = float(np.linalg.norm(view_offset))
        return abs(float(view_offset[0] * direction[1] - view_offset[1] * direction[0])) / max(metres, 0.5) ** 2


@dataclass(slots=True)
class Passage:
    """Doorway, merged over looks.

    Attributes:
        best: Look with the best view.
        sides: Sides (1, -1) of its plane on which the robot has been, or from which it has seen the doorway.
        near: Viewpoint (2,) of the first look.
    """

    best: Gap
    near: Array
    sides: set[int] = field(default_factory=set)

    def side(self, point: Array) -> int:
        """Return the side of its plane on which a point (2,) lies: 1, -1, or 0 in the plane."""
        direction = (self.best.right - self.best.left) / np.linalg.norm(self.best.right - self.best.left)
        offset = point[:2] - self.best.middle
        metres = float(direction[0] * offset[1] - direction[1] * offset[0])
        return 0 if abs(metres) < ASIDE else int(np.sign(metres))

    def before(self, side: int, metres: float) -> Array:
        """Return a point (2,) on the floor in front of its midpoint, on one side."""
        direction = (self.best.right - self.best.left) / np.linalg.norm(self.best.right - self.best.left)
        point: Array = self.best.middle + side * metres * np.array([-direction[1], direction[0]])
        return point

    @property
    def explored(self) -> bool:
        """Whether the robot has been on both sides, or has seen the doorway from there."""
        return len(self.sides) == 2

    def square(self, base: Pose2) -> tuple[float, float, float, float]:
        """Return the goal area (x0, y0, x1, y1) for going through it from the current base pose."""
        side = -(self.side(base.xy) or self.side(self.near) or 1)
        x, y = (float(v) for v in self.before(side, BEYOND))
        return x - BEYOND, y - BEYOND, x + BEYOND, y + BEYOND


class Doorways:
    """The doorways of one episode, in the order in which they were seen."""

    def __init__(self) -> None:
        self.all: list[Passage] = []
        self.same: dict[int, int] = {}
        """Index in `all` of a duplicate -> index of the earlier doorway that it equals."""

    def update(self, scans: Sequence[Scan], base: Pose2) -> None:
        """Update with pictures of one moment that together cover all directions."""
        for gap in _cached_gaps(scans, base.xy):
            known = min(self.all, key=lambda doorway: _distance(doorway, gap), default=None)
            if known is None or _distance(known, gap) > SAME:
                known = Passage(gap, base.xy)
                self.all.append(known)
            elif gap.view_quality > known.best.view_quality:
                known.best = gap
            known.sides |= {known.side(base.xy)} - {0}
        self._join()
        for passage in self.all:
            half = float(np.linalg.norm(passage.best.right - passage.best.left)) / 2
            side = passage.side(base.xy)
            offset = passage.before(side, 0.0) - base.xy
            direction = (passage.best.right - passage.best.left) / (2 * half)
            if side and abs(float(offset @ direction)) < half and float(np.linalg.norm(offset)) < BEFORE:
                passage.sides.add(side)

    def _join(self) -> None:
        """Find duplicates: positions from the best looks are more accurate than those from the first."""
        for later_index, passage in enumerate(self.all):
            for earlier_index in range(later_index if later_index not in self.same else 0):
                if earlier_index not in self.same and _distance(self.all[earlier_index], passage.best) < SAME:
                    self.same[later_index] = earlier_index
                    break


def _distance(passage: Passage, gap: Gap) -> float:
    return float(np.linalg.norm(passage.best.middle - gap.middle))


def _cached_gaps(scans: Sequence[Scan], center: Array) -> list[Gap]:
    """Return the doorways in pictures, cached in the frames."""
    first, *other_memos = (scan.frame.memo for scan in scans)
    key = (gaps, center.tobytes(), *(memo.setdefault(_IDENTITY, object()) for memo in other_memos))
    if key not in first:
        first[key] = gaps(scans, center)
    known: list[Gap] = first[key]
    return known


def gaps(scans: Sequence[Scan], center: Array) -> list[Gap]:
    """Detect doorways in pictures.

    Args:
        center (2,): Centre of the cameras, on the floor plan.
    """
    points = np.concatenate([scan.points[::4, ::2][scan.valid[::4, ::2]] for scan in scans])  # columns are bearings
    points = points[points[:, 2] < HIGH]
    offsets = points[:, :2] - center.astype(np.float32)
    metres = np.hypot(offsets[:, 0], offsets[:, 1])
    bearing = (np.arctan2(offsets[:, 1], offsets[:, 0]) * (BEARINGS / (2 * np.pi))).astype(np.intp) % BEARINGS
    tall = np.flatnonzero(points[:, 2] > LOW)
    wall, sight, edge = np.full(BEARINGS, np.inf), np.zeros(BEARINGS), np.zeros((BEARINGS, 2))
    np.minimum.at(wall, bearing[tall], metres[tall].astype(np.float64))
    np.maximum.at(sight, bearing, metres.astype(np.float64))
    farthest = np.flatnonzero(metres == sight[bearing])
    nearest = tall[metres[tall] == wall[bearing[tall]]]
    edge[bearing[farthest]] = points[farthest, :2]
    edge[bearing[nearest]] = points[nearest, :2]
    surroundings = _Around(wall, sight, edge)
    low = points[(points[:, 2] > SILL[0]) & (points[:, 2] < SILL[1]), :2]
    walls = points[tall, :2]
    gaps: list[Gap] = []
    outline = surroundings.outline
    for start in np.flatnonzero((np.roll(outline, -1) > outline + STEP) & (outline < REACH)):
        real = (
            candidate
            for candidate in _gaps_from(int(start), surroundings, center)
            if _continues_as_wall(candidate, walls)
        )
        gap = next((candidate for candidate in real if not _is_walled_up(candidate, low)), None)
        if gap is not None:
            gaps.append(gap)
    return gaps


@dataclass(frozen=True, slots=True)
class _Around:
    """Distances at each bearing.

    Attributes:
        wall: Distance (m) to the nearest tall point, inf if none is visible.
        sight: Distance (m) to the farthest point below the lintel, 0 for none.
        edge (n, 2): Position of that tall point, else of the farthest point.
    """

    wall: Array
    sight: Array
    edge: Array

    @property
    def outline(self) -> Array:
        """Distance (m) to the wall, else to the farthest point: between two downward cameras no wall is visible."""
        return np.where(np.isinf(self.wall) & (self.sight > 0.0), self.sight, self.wall)


def _gaps_from(start: int, around: _Around, center: Array) -> list[Gap]:
    """Return candidate doorways with the right jamb, seen from the centre, at a bearing; bearings grow to the left."""
    right = around.edge[start]
    span = (start + np.arange(BEARINGS // 3)) % BEARINGS
    jamb_offset = around.edge[span] - right
    wide = np.hypot(jamb_offset[:, 0], jamb_offset[:, 1])
    fits = (around.outline[span] < REACH) & (wide > NARROWEST) & (wide < WIDEST)
    end_indices = np.flatnonzero(fits[3:]) + 3
    if not len(end_indices):
        return []
    span = span[: end_indices[-1]]
    wall, sight = around.wall[span, None], around.sight[span, None]
    places = np.arange(len(span))[:, None]
    is_between = (places > 0) & (places < end_indices)
    # For each bearing (rows) and each left jamb (columns): distance (m) to the line through both jambs, and the sine of
    # the angle between them, 1 if perpendicular.
    x, y = _DIRECTIONS[span].T[:, :, None]
    normal_x, normal_y = -jamb_offset[end_indices, 1], jamb_offset[end_indices, 0]
    normal_offset = x * normal_x + y * normal_y
    lefts = around.edge[(start + end_indices) % BEARINGS]
    line_offset = (lefts[:, 0] - center[0]) * normal_x + (lefts[:, 1] - center[1]) * normal_y
    line = line_offset / np.where(np.abs(normal_offset) < 1e-9, 1e-9, normal_offset)
    is_clear = ((wall > line - 0.1) | ~is_between).all(axis=0)
    deep = (np.minimum(sight, wall) - line) * (np.abs(normal_offset) / wide[end_indices])
    is_open = np.count_nonzero((deep > DEEPER) & is_between, axis=0) >= OPEN * (end_indices - 1)
    return [Gap(left_jamb, right, center) for left_jamb in lefts[is_clear & is_open]]


def _continues_as_wall(gap: Gap, tall: Points) -> bool:
    """Whether tall points continue in line with it on both sides."""
    width, distance_along, off_line = gap.along(tall)
    lengths, straight = [], []
    for distance_beside in (-distance_along, distance_along - width):
        is_near = (distance_beside > -0.02) & (distance_beside < BESIDE) & (off_line < BESIDE)
        in_line = is_near & (off_line < WALL_THICK)
        lengths.append(float(distance_beside[in_line].max(initial=0.0)))
        straight.append(np.count_nonzero(in_line) >= STRAIGHT * np.count_nonzero(is_near))
    goes_on = any(length > WALL_LONG and line for length, line in zip(lengths, straight, strict=True))
    return goes_on and min(lengths) > WALL_SHORT


def _is_walled_up(gap: Gap, low: Points) -> bool:
    """Whether it is filled from side to side below the height of a window."""
    width, distance_along, off_line = gap.along(low)
    filled_positions = distance_along[
        (off_line < WALL_THICK) & (distance_along > 0.15 * width) & (distance_along < 0.85 * width)
    ]
    return len(np.unique(np.floor(filled_positions / 0.1))) * 0.1 > 0.5 * width

"""Model of a remembered piece of furniture."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from homie.kernel.types import Array, Box, Mask, Surface, rotation_z
from homie.kernel.world.furniture import FURNITURE, opens_otherwise
from perception.localise import Patch, rectangle
from perception.memory.clouds import Cloud, all_of, inside
from perception.memory.doors_and_drawers import AWAY, PartView, axes_of, core, tray, update_panel, upright
from perception.memory.panel import Panel
from perception.memory.seen_object import Identity
from perception.memory.surfaces import find_surfaces
from perception.names import vocabulary
from perception.outlines import FARTHEST_HANDLE
from perception.scan import Points, Scan

LEFT_STANDING = frozenset(name for use in FURNITURE for name in use.names)
"""Kinds that are furniture even if only a small part is visible."""
OPENING = frozenset(name for use in FURNITURE if use.opens for name in use.names)
"""Kinds that have a door or a drawer, though none may have been seen."""
NEAR_LOOK, FACED = 0.02, 0.5
"""Pixel spacing (m) up to which a look shows what is inside and the doors in a side, and least cosine between its
direction and the side's normal."""
LARGEST_LOOSE = 0.32
"""Largest extent (m) of a loose object of an unknown kind; anything longer is furniture."""
LEAST_INSIDE = 8
"""Fewest points inside furniture that determine the side through which they were seen."""
TOP = 0.05
"""Distance (m) below the highest point of furniture within which level points belong to its top."""
BEFORE_FRONT = 0.06
"""Distance (m) before the middle of a closed front up to which points belong to the body: the overhang of worktops."""
AT_DOOR, BESIDE_DOOR, BESIDE_HANDLE = 0.6, 0.1, 0.05
"""Share of the points of a patch from which it shows the same door or handle as the largest patch, and the margins (m)
around that."""
LEAST_SWEPT = 0.3
"""Smallest share of a patch where a known open door can be: of one that showed the side of a cabinet in line with its
door, 0.55 was the door's."""
ROOF = 0.05
"""Assumed thickness (m) of the roof of a container."""

_NOTHING: Points = np.zeros((0, 3), dtype=np.float32)


class Furniture:
    """Stationary entity. Its body is accumulated over all looks; of a door or drawer only the last look is kept."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.panel: Panel | None = None
        self.panel_seen = -np.inf
        self.handled = False
        """Whether a hand has been near it since the last subtask began, so that any look may change its state."""
        self._panel_plain = False
        """Whether the opening is from a look that determines it alone (`Seen.plain`)."""
        self.seen = -np.inf
        self.rough = False
        """Whether its outlines are by a network, which may include an open door or drawer in the body."""
        self.part: Literal["", "door", "drawer"] = ""
        self._body = Cloud(0.02, 12000)
        self._moving: Points = _NOTHING
        self._shut_front: Points = _NOTHING
        self._spacing = np.inf
        self._view_direction_sum = np.zeros(2)
        self._glances: deque[tuple[Points, Array]] = deque(maxlen=40)
        self._eye = np.zeros(3)
        self._body_eye: Array | None = None
        """Last viewpoint of its body, which gives the hidden side of a thin face; a viewpoint of its door need not."""
        self._box: Box | None = None
        self._surfaces: tuple[Surface, ...] | None = None
        self._outward: Array | None = None

    def update(self, body: Sequence[Patch], moving: Sequence[Patch], handle: Sequence[Patch], stamp: float) -> None:
        """Update with a look: patches of the body, of the door or drawer, and of its handle, one per picture."""
        self._box = self._surfaces = self._outward = None
        moving = _of_one_door(moving, self.panel) if self.rough else moving
        for patch in (*body, *moving):
            view_direction = patch.eye[:2] - patch.points[:, :2].mean(axis=0)
            self._view_direction_sum += (
                view_direction / max(float(np.linalg.norm(view_direction)), 1e-6) / max(patch.spacing, 0.005)
            )
            self._eye = patch.eye
        looks = (*body, *moving)
        if looks and min(patch.spacing for patch in looks) < self._spacing:
            self._spacing = min(patch.spacing for patch in looks)
            self.identity.rgb = max(
                looks, key=lambda patch: patch.area
            ).rgb  # of a closed cabinet the door, not the plinth
        for patch in body:
            self._body.add(patch.points, patch.level)
            self._body_eye = patch.eye
            if patch.spacing < NEAR_LOOK:
                self._glances.append((patch.points[:: len(patch.points) // 200 + 1], patch.eye))
        self.seen = stamp
        if moving or handle:
            self._update_panel(moving, handle, stamp)

    def check(self, scan: Scan, mask: Mask) -> None:
        """Check the body against a network's outline (H, W) of it in one picture: points outside of it in several
        pictures belong to something else and are dropped."""
        shown, rows, columns = scan.visible(self._body.points)
        confirmed, contradicted = np.zeros((2, len(shown)), dtype=bool)
        confirmed[shown] = mask[rows, columns]
        contradicted[shown] = ~mask[rows, columns]
        self._body.vote(confirmed, contradicted)

    def _update_panel(self, moving: Sequence[Patch], handle: Sequence[Patch], stamp: float) -> None:
        if moving:
            self._moving = np.concatenate([patch.points for patch in moving])
            handle = _handles_on(self._moving, handle)
            handle = _at_largest(handle, BESIDE_HANDLE) if self.rough else handle
        if opens_otherwise(self.identity.kind):
            return
        seen = PartView(
            panel=self._moving if moving else _NOTHING,
            handle=np.concatenate([_NOTHING, *(core(patch.points, patch.eye) for patch in handle)]),
            body=self._body.points,
            box=self.box,
            spacing=min(patch.spacing for patch in (*moving, *handle)),
            eye=(*moving, *handle)[0].eye,
        )
        panel = update_panel(self.panel, "slide" if self.part == "drawer" else "hinge", seen)
        is_plain = panel is not None and seen.plain(panel)
        has_changed = panel is not None and self.panel is not None and panel.state != self.panel.state
        if has_changed and self._panel_plain and not (is_plain or self.handled):
            return  # from afar or obliquely shut doors look open: keep the state of an untouched one
        self._panel_plain = is_plain or self._panel_plain
        self.panel = panel
        self.panel_seen = stamp
        self._outward = None
        if moving and self.panel is not None and self.panel.fully_closed:
            self._shut_front = self._moving
        self._box = None

    @property
    def eye(self) -> Array:
        """Camera position of the last look, (3,)."""
        return self._eye

    @property
    def opens(self) -> bool:
        return bool(self.part)

    @property
    def state(self) -> Literal["", "open", "ajar", "closed"]:
        """State of its door or drawer, "" if it has none, or if it seems open but no look has been clear enough.

        If the handle was never seen, it is open if compartments are visible.
        """
        if not self.opens:
            return ""
        if self.panel is None:
            return "open" if self.surfaces else "closed"
        state = self.panel.state
        return state if self._panel_plain or self.handled or state == "closed" else ""

    def near_door(self, point: Array, metres: float) -> bool:
        """Whether a point (3,) is within a distance of its door or drawer in its current position."""
        door = None if self.panel is None else self.panel.articulation().panel
        return door is not None and door.gap(point) < metres

    @property
    def closed(self) -> bool:
        """Whether it can be opened and is not open far enough to reach in.

        If the handle was never seen, it is open if compartments are visible.
        """
        if self.panel is not None:
            return not self.panel.passable
        return self.opens and not self.surfaces

    @property
    def box(self) -> Box:
        """Box of the body, including the closed front if that hides the body."""
        if self._box is None:
            self._box = self._measure_box()
        return self._box

    def _measure_box(self) -> Box:
        points = np.concatenate([self._body.confirmed, self._shut_front])
        # A closed door may hide all of the body, and of open furniture only the edge of the door may be visible.
        if not len(points) or (len(points) < 200 and self.panel is None):
            points = np.concatenate([points, self._moving])
        if self.rough and self.panel is not None:
            points = _behind_front(points, self.panel)
        center, half, yaw, bottom, top = _outline_of(points)
        if bottom < 0.2:
            bottom = 0.0
        depth = min(0.25, 0.6 * float(half[0]))
        if half[1] < 0.5 * depth and (self.part or (bottom == 0.0 and top > 0.5)):  # seen from one side only
            axis = np.array([-np.sin(yaw), np.cos(yaw)])
            eye = self._eye if self._body_eye is None else self._body_eye
            sign = np.sign(axis @ (center - eye[:2]))
            center = center + axis * sign * (depth - half[1])
            half = np.array([half[0], depth])
        return Box(np.array([*center, (bottom + top) / 2]), np.array([*half, (top - bottom) / 2]), yaw)

    def points(self, *, panel: bool) -> Points:
        """Return all its points, (n, 3), with or without its door or drawer in the current position."""
        return np.concatenate([self._body.points, self._moving]) if panel else self._body.points

    @property
    def moving(self) -> Points:
        """Points of the last look at its door or drawer, (n, 3)."""
        return self._moving

    @property
    def outward(self) -> Array:
        """Unit vector (2,) to the side from which it is used.

        The side of the door, else the side through which its inside was seen, else the side that was seen most.
        """
        if self.panel is not None:
            return self.panel.outward
        if self._outward is None:
            self._outward = self._infer_outward()
        return self._outward

    def _infer_outward(self) -> Array:
        axes = axes_of(self.box.yaw)
        if len(self._moving) and len(self._body):
            direction = np.median(self._moving[:, :2], axis=0) - np.median(self._body.points[:, :2], axis=0)
            return max(axes, key=lambda axis: float(axis @ direction))
        votes = sum((count_entering(points, eye, self.box) for points, eye in self._glances), np.zeros(4))
        if votes.max() > LEAST_INSIDE:
            return axes[int(np.argmax(votes))]
        return max(axes, key=lambda axis: float(axis @ self._view_direction_sum))

    @property
    def unseen_front(self) -> Array | None:
        """Unit vector (2,) to the side where the door or drawer of such furniture must be, if none was seen: the side
        that faced the robot most of those that no look from near has shown. None if there is none."""
        if self.part or self.identity.kind not in OPENING:
            return None
        box = self.box
        eyes = np.array([eye[:2] for _, eye in self._glances]).reshape(-1, 2)

        def was_shown(side: Array, depth: float) -> bool:
            offsets = eyes - (box.center[:2] + depth * side)
            return bool(np.any(offsets @ side > FACED * np.linalg.norm(offsets, axis=1)))

        hidden = [side for k, side in enumerate(axes_of(box.yaw)) if not was_shown(side, float(box.half[k % 2]))]
        front = max(hidden, key=lambda side: float(side @ self._view_direction_sum), default=None)
        return front if front is not None and float(front @ self._view_direction_sum) > 0.0 else None

    @property
    def is_top_seen(self) -> bool:
        """Whether its top was seen: that of a drawer under a worktop never is."""
        top = float(self.box.center[2] + self.box.half[2])
        return int(np.count_nonzero(self._body.points[self._body.level, 2] > top - TOP)) >= LEAST_INSIDE

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Surfaces on which objects can be put: those inside, if it can be opened."""
        if self._surfaces is None:
            self._surfaces = self._fit_surfaces()
        return self._surfaces

    def _fit_surfaces(self) -> tuple[Surface, ...]:
        if self.part == "drawer":
            pulled = None if self.panel is None else tray(self.panel, self._moving.astype(np.float64))
            return () if pulled is None else (pulled,)
        points = self._body.points.astype(np.float64)
        level = points[self._body.level]
        if self.opens:
            roof = float(self.box.center[2] + self.box.half[2]) - ROOF
            return find_surfaces(points, level, self.box.yaw, self.outward, roof)
        return find_surfaces(points, level, self.box.yaw, self.outward) or self._top()

    def board_under(self, box: Box) -> Surface | None:
        """Infer the board under a box from its edge, for boards above the camera whose top is not visible.

        Returns None unless the box is inside and something is above it.
        """
        outline = self.box
        top, bottom = float(outline.center[2] + outline.half[2]), float(box.center[2] - box.half[2])
        if outline.distance(box.center) > 0.01 or bottom < 0.05:
            return None
        points = self._body.points
        front = np.array([*self.outward, 0.0])
        deep = (outline.corners() @ self.outward).max() - points @ front
        is_near = np.linalg.norm(points[:, :2] - box.center[:2], axis=1) < 0.4
        if not np.any(points[is_near, 2] > box.center[2] + box.half[2] + 0.05):
            return None
        sides = np.abs((points - outline.center) @ np.array([-front[1], front[0], 0.0]))
        edge = points[(deep < 0.06) & (sides < sides.max() - 0.05), 2]
        edge = edge[(edge > bottom - 0.08) & (edge < bottom + 0.02)]
        height = float(edge.max()) if len(edge) else bottom
        center = np.array([*outline.center[:2], height])
        half = np.maximum(outline.half[:2] - 0.02, 0.05)
        return Surface(center, float(half[0]), float(half[1]), outline.yaw, top - height, self.outward)

    def _top(self) -> tuple[Surface, ...]:
        """Return the top of the box, the fallback while no surface was found."""
        box = self.box
        center = box.center + np.array([0.0, 0.0, box.half[2]])
        if center[2] > 1.3:
            return ()
        return (Surface(center, float(box.half[0]), float(box.half[1]), box.yaw),)


def _behind_front(points: Points, panel: Panel) -> Points:
    """Remove the points (n, 3) of a body before its closed front; keep all if few would remain."""
    before = (points[:, :2] - panel.front.center[:2]) @ panel.outward
    behind = before < BEFORE_FRONT
    return points[behind] if np.count_nonzero(behind) > 0.5 * len(points) else points


def open_doors(pieces: Iterable[Furniture]) -> list[Box]:
    """Return the boxes of doors and drawers that are not closed, in their current positions."""
    panels = (piece.panel for piece in pieces)
    return [panel.occupied for panel in panels if panel is not None and not panel.is_closed]


def _of_one_door(patches: Sequence[Patch], known: Panel | None) -> Sequence[Patch]:
    """Select the patches that can be of one door or drawer: in another picture, or beside it, something else may have
    been taken for it.

    Args:
        known: The earlier estimate; None if there is none, then the largest patch is the door.
    """
    if known is not None and known.opening > AWAY:  # the outline of an open door may take in the side of its body
        patches = [cut for patch in patches if (cut := _within_sweep(patch, known)) is not None] or patches
    elif known is not None:
        patches = [patch for patch in patches if known.sweeps(patch.points)] or patches
    return _at_largest(patches, BESIDE_DOOR)


def _within_sweep(patch: Patch, panel: Panel) -> Patch | None:
    """Return the part of a patch that lies where a door or drawer can be; None if that is little of it."""
    swept = panel.swept(patch.points)
    if float(swept.mean()) < LEAST_SWEPT:
        return None
    return replace(patch, points=patch.points[swept], level=patch.level[swept])


def _at_largest(patches: Sequence[Patch], margin: float) -> Sequence[Patch]:
    """Select the largest patch, and those that lie inside its box expanded by a margin (m)."""
    if len(patches) < 2:
        return patches
    points = max(patches, key=lambda patch: len(patch.points)).points
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    box = upright(*rectangle(points[:, :2].astype(np.float64)), low, high)
    return [patch for patch in patches if np.mean(inside(patch.points, box, margin)) > AT_DOOR]


def _handles_on(panel: Points, handles: Sequence[Patch]) -> Sequence[Patch]:
    """Select the handles near a panel (n, 3), all if there are none: that of the next cabinet may be visible too."""
    center, half, yaw = rectangle(panel[:, :2].astype(np.float64))
    box = Box(np.array([*center, 0.0]), np.array([*half, 0.0]), yaw)
    nearby = [patch for patch in handles if box.distance(np.median(patch.points, axis=0)) < FARTHEST_HANDLE]
    return nearby or handles


_Outline: TypeAlias = tuple[Array, Array, float, float, float]
"""Centre (2,), half sizes (2,), yaw, heights of the lowest and the highest point, without outliers."""
_outlines: OrderedDict[bytes, _Outline] = OrderedDict()
_OUTLINES = 4096
"""Cache size: clouds of one episode occur again in the next one with the same views."""


def _outline_of(points: Points) -> _Outline:
    """Return the outline of a cloud (n, 3), cached: a lookup takes a fiftieth of the time of the computation."""
    key = hashlib.blake2b(np.ascontiguousarray(points).data, digest_size=16).digest()
    if key not in _outlines:
        columns = np.sort(points.T, axis=1)  # halves the time of numpy's percentiles
        low, high = np.percentile(columns, 0.3, axis=1), np.percentile(columns, 99.7, axis=1)
        low, high = low - 0.01, high + 0.01
        inner_points = points[all_of((points >= low) & (points <= high))]
        outline = rectangle(inner_points[:, :2].astype(np.float64))
        _outlines[key] = *outline, float(inner_points[:, 2].min()), float(inner_points[:, 2].max())
        if len(_outlines) > _OUTLINES:
            _outlines.popitem(last=False)
    return _outlines[key]


def count_entering(points: Points, eye: Array, box: Box) -> Array:
    """Count the points (n, 3) well inside a box that were seen from `eye` (3,) through each of its sides, (4,).

    The sides are those at yaw + 0, 90, 180 and 270 degrees; points seen through top or bottom are not counted.
    """
    turn = rotation_z(box.yaw)
    deep = points[inside(points, box, -0.05)]
    start, end_points = (eye - box.center) @ turn, (deep - box.center) @ turn
    rays = end_points - start
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(np.abs(rays) > 1e-9, (np.sign(start) * box.half - start) / rays, -np.inf)
    times[:, np.abs(start) <= box.half] = -np.inf
    last = np.argmax(times, axis=1)
    sides = np.array([0 if start[0] > 0 else 2, 1 if start[1] > 0 else 3])
    counts = np.zeros(4)
    counts[sides] = [np.count_nonzero(last == 0), np.count_nonzero(last == 1)]
    return counts


def is_furniture(kind: str, box: Box) -> bool:
    """Whether an entity is furniture, by its kind and size: a pan is a loose object even if its handle is long."""
    if kind in LEFT_STANDING:
        return True
    return kind not in vocabulary().objects and 2 * float(box.half.max()) > LARGEST_LOOSE

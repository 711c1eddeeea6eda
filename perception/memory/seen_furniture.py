"""What is remembered of a piece of furniture."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from homie.kernel.types import Array, Box, Mask, Surface, rotation_z
from homie.kernel.world.furniture import FURNITURE, opens_otherwise
from perception.localise import FARTHEST_HANDLE, Patch, Points, Scan, rectangle
from perception.memory.clouds import Cloud, all_of, inside
from perception.memory.doors_and_drawers import Panel, Seen, core, tray, update_panel
from perception.memory.seen_object import Identity
from perception.memory.surfaces import find_surfaces
from perception.names import vocabulary

LEFT_STANDING = frozenset(name for use in FURNITURE for name in use.names)
"""Kinds that a hand does not lift, however little of them is seen."""
LARGEST_LOOSE = 0.32
"""Metres: a thing of an unknown kind that is longer is furniture."""
LEAST_INSIDE = 8
"""Points inside of furniture that show through which side they were seen."""
TOP = 0.05
"""Metres below the highest point of furniture within which level points are of its top."""
PLAIN_VIEW = 3.5
"""Metres from which a network that sees furniture reports it."""
BEFORE_FRONT = 0.06
"""Metres before the middle of a closed front up to which points are of the body: as far as worktops hang over."""
ROOF = 0.05
"""Metres that the roof of a container is taken to be thick."""

_NOTHING: Points = np.zeros((0, 3), dtype=np.float32)


class Furniture:
    """A thing that stays. Its body is gathered over all looks; of a door or drawer the last look counts."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.panel: Panel | None = None
        self.panel_seen = -np.inf
        self.handled = False
        """Whether a hand is or was at it since the last subtask began, so that any look may show it otherwise."""
        self._panel_plain = False
        """Whether what is known of how far it is open is of a look that tells it by itself."""
        self.seen = -np.inf
        self.rough = False
        """Whether its outlines are by a network, which may take an open door or drawer for a piece of the body."""
        self.part: Literal["", "door", "drawer"] = ""
        self._body = Cloud(0.02, 12000)
        self._moving: Points = _NOTHING
        self._shut_front: Points = _NOTHING
        self._spacing = np.inf
        self._toward = np.zeros(2)
        self._glances: deque[tuple[Points, Array]] = deque(maxlen=40)
        self._eye = np.zeros(3)
        self._body_eye: Array | None = None
        """Where its body was seen from last: which side of a thin face the rest is on, the place before its door need
        not tell."""
        self._box: Box | None = None
        self._surfaces: tuple[Surface, ...] | None = None
        self._outward: Array | None = None

    def update(self, body: Sequence[Patch], moving: Sequence[Patch], handle: Sequence[Patch], stamp: float) -> None:
        """One more look: what was seen of the body, of the door or drawer, and of its handle, a patch per picture."""
        self._box = self._surfaces = self._outward = None
        for patch in (*body, *moving):
            view_direction = patch.eye[:2] - patch.points[:, :2].mean(axis=0)
            self._toward += (
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
            if patch.spacing < 0.02:
                self._glances.append((patch.points[:: len(patch.points) // 200 + 1], patch.eye))
        self.seen = stamp
        if moving or handle:
            self._update_panel(moving, handle, stamp)

    def check(self, scan: Scan, mask: Mask) -> None:
        """Hold the body against the outline (H, W) that a network drew of it in one picture: points that several
        pictures show outside of it are of something else."""
        shown, rows, columns = scan.visible(self._body.points)
        confirmed, contradicted = np.zeros((2, len(shown)), dtype=bool)
        confirmed[shown] = mask[rows, columns]
        contradicted[shown] = ~mask[rows, columns]
        self._body.vote(confirmed, contradicted)

    def in_plain_view(self, scan: Scan) -> bool:
        """Whether a picture shows most of what was seen of it, from near."""
        points = self.points(panel=True)
        points = points[:: len(points) // 200 + 1]
        if not len(points) or float(np.linalg.norm(points.mean(axis=0) - scan.eye)) > PLAIN_VIEW:
            return False
        return float(scan.visible(points)[0].mean()) > 0.5

    def _update_panel(self, moving: Sequence[Patch], handle: Sequence[Patch], stamp: float) -> None:
        if moving:
            self._moving = np.concatenate([patch.points for patch in moving])
            handle = _handles_on(self._moving, handle)
        if opens_otherwise(self.identity.kind):
            return
        seen = Seen(
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
            return  # from afar or from its side shut doors look open: what nobody has touched stays as it was
        self._panel_plain = is_plain or self._panel_plain
        self.panel = panel
        self.panel_seen = stamp
        self._outward = None
        if moving and self.panel is not None and self.panel.tight:
            self._shut_front = self._moving
        self._box = None

    @property
    def eye(self) -> Array:
        """Where it was seen from last, (3,)."""
        return self._eye

    @property
    def opens(self) -> bool:
        return bool(self.part)

    @property
    def state(self) -> Literal["", "open", "ajar", "closed"]:
        """How its door or drawer stands, "" for what has none, and where it seems open without a plain look yet.

        Where the handle was never seen, compartments that show tell that it is open.
        """
        if not self.opens:
            return ""
        if self.panel is None:
            return "open" if self.surfaces else "closed"
        state = self.panel.state
        return state if self._panel_plain or self.handled or state == "closed" else ""

    def near_door(self, point: Array, metres: float) -> bool:
        """Whether a point (3,) is so near to its door or drawer as that stands."""
        door = None if self.panel is None else self.panel.articulation().panel
        if door is None:
            return False
        height_gap = max(0.0, abs(float(point[2] - door.center[2])) - float(door.half[2]))
        return float(np.hypot(door.distance(point), height_gap)) < metres

    @property
    def closed(self) -> bool:
        """Whether it opens and is not open far enough to reach in.

        Where the handle was never seen, it is open if compartments can be seen in it.
        """
        if self.panel is not None:
            return not self.panel.passable
        return self.opens and not self.surfaces

    @property
    def box(self) -> Box:
        """The box of the body; of the closed front too, where that hides the body."""
        if self._box is None:
            self._box = self._measured()
        return self._box

    def _measured(self) -> Box:
        points = np.concatenate([self._body.confirmed, self._shut_front])
        # A closed door may hide all of the body, and of what stands open no more may be seen than the edge of its door.
        if not len(points) or (len(points) < 200 and self.panel is None):
            points = np.concatenate([points, self._moving])
        if self.rough and self.panel is not None:
            points = _behind_front(points, self.panel)
        center, half, yaw, bottom, top = _outlined(points)
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
        """All that was seen of it, (n, 3), with or without its door or drawer as it stands now."""
        return np.concatenate([self._body.points, self._moving]) if panel else self._body.points

    @property
    def moving(self) -> Points:
        """What the last look at its door or drawer showed, (n, 3)."""
        return self._moving

    @property
    def outward(self) -> Array:
        """Unit vector (2,) to the side that a person uses.

        Where the door is, else the side through which its inside was seen, else the side that was seen most.
        """
        if self.panel is not None:
            return self.panel.outward
        if self._outward is None:
            self._outward = self._likely_outward()
        return self._outward

    def _likely_outward(self) -> Array:
        yaw = self.box.yaw
        axes = [np.array([np.cos(yaw + k * np.pi / 2), np.sin(yaw + k * np.pi / 2)]) for k in range(4)]
        if len(self._moving) and len(self._body):
            direction = np.median(self._moving[:, :2], axis=0) - np.median(self._body.points[:, :2], axis=0)
            return max(axes, key=lambda axis: float(axis @ direction))
        votes = sum((entered(points, eye, self.box) for points, eye in self._glances), np.zeros(4))
        if votes.max() > LEAST_INSIDE:
            return axes[int(np.argmax(votes))]
        return max(axes, key=lambda axis: float(axis @ self._toward))

    @property
    def topped(self) -> bool:
        """Whether its top was seen: of a drawer under a worktop it never is."""
        top = float(self.box.center[2] + self.box.half[2])
        return int(np.count_nonzero(self._body.points[self._body.level, 2] > top - TOP)) >= LEAST_INSIDE

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Where things can be put: inside, for what opens."""
        if self._surfaces is None:
            self._surfaces = self._fitted_surfaces()
        return self._surfaces

    def _fitted_surfaces(self) -> tuple[Surface, ...]:
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
        """The board that a box stands on, where that is above the eye, so that only its edge could be seen.

        None unless the box is inside and something is above it.
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
        """The top of the box, where nothing better was seen yet."""
        box = self.box
        center = box.center + np.array([0.0, 0.0, box.half[2]])
        if center[2] > 1.3:
            return ()
        return (Surface(center, float(box.half[0]), float(box.half[1]), box.yaw),)


def _behind_front(points: Points, panel: Panel) -> Points:
    """The points (n, 3) of a body that are not before its closed front; all of them where those are few."""
    before = (points[:, :2] - panel.front.center[:2]) @ panel.outward
    behind = before < BEFORE_FRONT
    return points[behind] if np.count_nonzero(behind) > 0.5 * len(points) else points


def _handles_on(panel: Points, handles: Sequence[Patch]) -> Sequence[Patch]:
    """The handles that are at a panel (n, 3), where there are any: the one of the next cabinet may be seen too."""
    center, half, yaw = rectangle(panel[:, :2].astype(np.float64))
    box = Box(np.array([*center, 0.0]), np.array([*half, 0.0]), yaw)
    nearby = [patch for patch in handles if box.distance(np.median(patch.points, axis=0)) < FARTHEST_HANDLE]
    return nearby or handles


_Outline: TypeAlias = tuple[Array, Array, float, float, float]
"""Centre (2,), half sizes (2,), yaw, height of the lowest and of the highest point, but for a few that stray."""
_outlines: OrderedDict[bytes, _Outline] = OrderedDict()
_OUTLINES = 4096
"""Of clouds that were measured last: those of one episode come again in the next that sees the same."""


def _outlined(points: Points) -> _Outline:
    """The outline of a cloud (n, 3); to know one again takes a fiftieth of the time of measuring it."""
    key = hashlib.blake2b(np.ascontiguousarray(points).data, digest_size=16).digest()
    if key not in _outlines:
        columns = np.sort(points.T, axis=1)  # of these numpy has percentiles in half the time
        low, high = np.percentile(columns, 0.3, axis=1), np.percentile(columns, 99.7, axis=1)
        low, high = low - 0.01, high + 0.01
        inner_points = points[all_of((points >= low) & (points <= high))]
        outline = rectangle(inner_points[:, :2].astype(np.float64))
        _outlines[key] = *outline, float(inner_points[:, 2].min()), float(inner_points[:, 2].max())
        if len(_outlines) > _OUTLINES:
            _outlines.popitem(last=False)
    return _outlines[key]


def entered(points: Points, eye: Array, box: Box) -> Array:
    """How many of the points (n, 3) well inside a box were seen from `eye` (3,) through each of its sides, (4,).

    The sides are those at yaw + 0, 90, 180 and 270 degrees; what was seen through top or bottom is not counted.
    """
    turn = rotation_z(box.yaw)
    deep = points[inside(points, box, -0.05)]
    start, end_points = (eye - box.center) @ turn, (deep - box.center) @ turn
    ways = end_points - start
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(np.abs(ways) > 1e-9, (np.sign(start) * box.half - start) / ways, -np.inf)
    times[:, np.abs(start) <= box.half] = -np.inf
    last = np.argmax(times, axis=1)
    sides = np.array([0 if start[0] > 0 else 2, 1 if start[1] > 0 else 3])
    counts = np.zeros(4)
    counts[sides] = [np.count_nonzero(last == 0), np.count_nonzero(last == 1)]
    return counts


def is_furniture(kind: str, box: Box) -> bool:
    """Whether a thing of a kind and a size stays where it is: a pan is lifted however long its handle is."""
    if kind in LEFT_STANDING:
        return True
    return kind not in vocabulary().objects and 2 * float(box.half.max()) > LARGEST_LOOSE

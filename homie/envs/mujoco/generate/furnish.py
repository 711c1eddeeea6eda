"""Places furniture in one room: at walls or free-standing, with the floor kept clear that people and doors need.

All yaws are multiples of a right angle here, so everything is an axis-aligned rectangle (x0, y0, x1, y1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from homie.envs.mujoco.blueprints.catalog_furniture import blueprint
from homie.envs.mujoco.blueprints.parts import WALL, Blueprint
from homie.envs.mujoco.house.spec import DoorwaySpec, RoomSpec

Rect: TypeAlias = tuple[float, float, float, float]
STEP = 0.05
GAP = 0.012
"""Between furniture and the wall behind it (m)."""
DOOR_DEPTH = 0.9
"""Floor kept free on both sides of a doorway (m)."""


@dataclass(slots=True)
class Piece:
    """Furniture while it is being placed. `stands_on` is another piece; `name` is given last."""

    kind: str
    colour: str
    room: str = ""
    width: float | None = None
    depth: float | None = None
    height: float | None = None
    hinge: Literal["left", "right"] = "left"
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    name: str = ""
    stands_on: Piece | None = None
    on: bool = False

    @property
    def plan(self) -> Blueprint:
        return blueprint(self.kind, self.colour, self.width, self.depth, self.height, self.hinge)

    def area(self, x0: float, x1: float, y0: float, y1: float) -> Rect:
        """A rectangle of its own frame, in the world."""
        c, s = round(math.cos(self.yaw)), round(math.sin(self.yaw))
        us = (self.x + c * x0 - s * y0, self.x + c * x1 - s * y1)
        vs = (self.y + s * x0 + c * y0, self.y + s * x1 + c * y1)
        return min(us), min(vs), max(us), max(vs)

    @property
    def footprint(self) -> Rect:
        plan = self.plan
        return self.area(-plan.half_x, plan.half_x, -plan.half_y, plan.half_y)

    def zones(self) -> list[Rect]:
        """Floor that has to stay free: in front of it, and where its door sweeps."""
        plan = self.plan
        side = plan.half_y if plan.half_y >= 0.3 else 0.4
        front = self.area(plan.half_x, plan.half_x + plan.free_front, -side, side)
        return ([front] if plan.free_front else []) + self.sweeps()

    def sweeps(self) -> list[Rect]:
        """Floor under its door while that opens."""
        plan = self.plan
        if not any(plan.sweep):
            return []
        left, right = plan.half_y + plan.sweep[0], -plan.half_y - plan.sweep[1]
        return [self.area(plan.half_x, plan.half_x + 2 * plan.half_y + 0.1, right, left)]

    def pulls(self) -> list[Rect]:
        """Floor under its drawer, with the handle, while that is pulled out."""
        plan, link = self.plan, self.plan.articulation
        if link is None or link.kind != "slide":
            return []
        return [self.area(plan.half_x, plan.half_x + link.upper + 0.1, -plan.half_y, plan.half_y)]


class Floor:
    """The floor of one room while it fills up."""

    def __init__(self, room: RoomSpec, doorways: Sequence[DoorwaySpec], rng: np.random.Generator) -> None:
        self.room, self.rng = room, rng
        half = WALL / 2
        self.inner: Rect = (room.x0 + half, room.y0 + half, room.x1 - half, room.y1 - half)
        self.solid: list[Rect] = []
        self.free: list[Rect] = []
        self.pieces: list[Piece] = []
        for d in doorways:
            if room.name in d.rooms:
                w = d.width / 2 + 0.05
                deep = DOOR_DEPTH + half
                across = abs(d.x - room.x0) < 1e-6 or abs(d.x - room.x1) < 1e-6
                u, v = (deep, w) if across else (w, deep)
                self.free.append((d.x - u, d.y - v, d.x + u, d.y + v))

    def against_wall(self, group: Sequence[Piece], *, gap: float = 0.0, wall: int | None = None) -> bool:
        """Place a row of pieces side by side along a wall (front to back order: left to right as seen from the room).

        Tries walls and offsets in random order; corners first. Returns whether it found a place. `wall`: 0 south,
        1 east, 2 north, 3 west.
        """
        length = sum(2 * p.plan.half_y for p in group) + gap * (len(group) - 1)
        walls = [int(k) for k in self.rng.permutation(4)] if wall is None else [wall]
        for k in walls:
            x0, y0, x1, y1 = self.inner
            run = x1 - x0 if k in (0, 2) else y1 - y0
            count = math.floor((run - length - 2 * GAP) / STEP) + 1
            if count < 1:
                continue
            starts = GAP + STEP * self.rng.permutation(count)
            corners = [GAP, run - length - GAP]
            for start in [*(corners if self.rng.random() < 0.7 else []), *starts]:
                self._line_up(group, k, float(start), gap)
                if self.fits(group):
                    self._keep(group)
                    return True
        return False

    def _line_up(self, group: Sequence[Piece], wall: int, start: float, gap: float) -> None:
        x0, y0, x1, y1 = self.inner
        along = start
        for piece in group:
            plan = piece.plan
            t, out = along + plan.half_y, GAP + plan.half_x
            along += 2 * plan.half_y + gap
            piece.yaw = (math.pi / 2, math.pi, -math.pi / 2, 0.0)[wall]
            x, y = ((x0 + t, y0 + out), (x1 - out, y0 + t), (x1 - t, y1 - out), (x0 + out, y1 - t))[wall]
            piece.x, piece.y = round(x, 4), round(y, 4)

    def standing_free(self, piece: Piece, *, back: float = 1.1) -> bool:
        """Place a piece in the open, reachable from its front and its back."""
        x0, y0, x1, y1 = self.inner
        for _ in range(60):
            piece.yaw = float(self.rng.choice([0.0, math.pi / 2, math.pi, -math.pi / 2]))
            piece.x = round(float(self.rng.uniform(x0 + 0.5, x1 - 0.5)), 2)
            piece.y = round(float(self.rng.uniform(y0 + 0.5, y1 - 0.5)), 2)
            plan = piece.plan
            behind = piece.area(-plan.half_x - back, -plan.half_x, -plan.half_y, plan.half_y)
            ends = piece.area(-plan.half_x, plan.half_x, -plan.half_y - 0.55, plan.half_y + 0.55)
            if self.fits([piece], extra=[behind]) and self._inside(ends) and not self._blocked(ends, self.solid):
                self._keep([piece])
                self.free.append(behind)
                return True
        return False

    def beside(self, piece: Piece, host: Piece, side: int) -> bool:
        """Place a chair at the left (1) or right (-1) end of a table, looking at it."""
        plan, own = host.plan, piece.plan
        away = plan.half_y + own.half_x - 0.1
        c, s = round(math.cos(host.yaw)), round(math.sin(host.yaw))
        piece.x, piece.y = round(host.x - s * side * away, 4), round(host.y + c * side * away, 4)
        piece.yaw = math.remainder(host.yaw - side * math.pi / 2, 2 * math.pi)
        area = piece.area(-own.half_x - 0.02, own.half_x - 0.12, -own.half_y, own.half_y)
        if not self._inside(area) or self._blocked(area, self.solid) or self._blocked(area, self.free):
            return False
        piece.room = self.room.name
        self.solid.append(area)
        self.pieces.append(piece)
        return True

    def on_top(self, piece: Piece, host: Piece, *, x: float = 0.0, y: float = 0.0) -> None:
        """Stand a piece on another, at (x, y) of the host's frame."""
        c, s = math.cos(host.yaw), math.sin(host.yaw)
        piece.x, piece.y = round(host.x + c * x - s * y, 4), round(host.y + s * x + c * y, 4)
        piece.yaw, piece.room, piece.stands_on = host.yaw, self.room.name, host
        self.pieces.append(piece)

    def swings(self, piece: Piece) -> bool:
        """Whether the door of a piece that stands on another opens without hitting walls or furniture."""
        return all(self._inside(zone) and not self._blocked(zone, self.solid) for zone in piece.sweeps())

    def fits(self, group: Sequence[Piece], extra: Sequence[Rect] = ()) -> bool:
        """Whether footprints are inside and clear, and the floor they need is too."""
        prints = [piece.footprint for piece in group]
        zones = [zone for piece in group for zone in piece.zones()] + list(extra)
        return (
            all(self._inside(rect) for rect in (*prints, *zones))
            and not any(self._blocked(rect, self.solid) or self._blocked(rect, self.free) for rect in prints)
            and not any(self._blocked(zone, self.solid) or self._blocked(zone, prints) for zone in zones)
            and not self._doors_meet_drawers([*self.pieces, *group])
        )

    def _doors_meet_drawers(self, pieces: Sequence[Piece]) -> bool:
        """Whether an open door would stand in the way of a drawer."""
        standing = [piece for piece in pieces if piece.stands_on is None]
        pulls = [zone for piece in standing for zone in piece.pulls()]
        return any(self._blocked(zone, pulls) for piece in standing for zone in piece.sweeps())

    def open_sides(self, piece: Piece) -> tuple[str, ...]:
        """The sides (front, back, left, right) with 0.9 m of free floor before them."""
        plan, deep = piece.plan, 0.9
        a, b = plan.half_x, plan.half_y
        strips = {
            "front": (a, a + deep, -b, b),
            "back": (-a - deep, -a, -b, b),
            "left": (-a, a, b, b + deep),
            "right": (-a, a, -b - deep, -b),
        }
        areas = {side: piece.area(*strip) for side, strip in strips.items()}
        return tuple(s for s, area in areas.items() if self._inside(area) and not self._blocked(area, self.solid))

    def _keep(self, group: Sequence[Piece]) -> None:
        for piece in group:
            piece.room = self.room.name
            self.solid.append(piece.footprint)
            self.free.extend(piece.zones())
            self.pieces.append(piece)

    def _inside(self, rect: Rect) -> bool:
        a, b = self.inner, 0.001
        return rect[0] >= a[0] - b and rect[1] >= a[1] - b and rect[2] <= a[2] + b and rect[3] <= a[3] + b

    @staticmethod
    def _blocked(rect: Rect, others: Sequence[Rect]) -> bool:
        e = 0.004
        return any(
            rect[0] < o[2] - e and o[0] < rect[2] - e and rect[1] < o[3] - e and o[1] < rect[3] - e for o in others
        )

"""Place furniture in one room, at walls or free-standing, keeping the floor clear that the robot and doors need.

All yaws are multiples of 90 degrees here, so everything is an axis-aligned rectangle (x0, y0, x1, y1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, TypeAlias

import numpy as np

from homie.envs.mujoco.blueprints.catalog import blueprint
from homie.envs.mujoco.blueprints.parts import WALL, Blueprint
from homie.envs.mujoco.house.spec_parts import DoorwaySpec, RoomSpec

Rect: TypeAlias = tuple[float, float, float, float]
STEP = 0.05
"""Spacing (m) of the candidate positions along a wall."""
GAP = 0.012
"""Distance (m) between furniture and the wall behind it."""
DOOR_DEPTH = 0.9
"""Depth (m) of the floor kept free on both sides of a doorway."""
DOOR_MARGIN = 0.05
"""Floor (m) kept free beside the opening of a doorway."""
LEAST_SIDE = 0.3
"""Half width (m) above which the free floor in front of a piece is as wide as the piece; narrower pieces need more, for
the robot."""
SIDE = 0.4
"""Half width (m) of the floor kept free in front of a narrower piece."""
HANDLE = 0.1
"""Depth (m) that the handle adds to the floor under an open door or drawer."""
CORNER_SHARE = 0.7
"""Probability of trying the two corners of a wall first, as people do when they furnish rooms."""
TABLE_TRIES = 60
"""Maximum number of poses sampled for a free-standing piece."""
FROM_WALL = 0.5
"""Minimum distance (m) of a free-standing piece's centre from the walls."""
TABLE_ENDS = 0.55
"""Floor (m) kept free at both ends of a free-standing table: room for a chair."""
TUCKED = 0.1
"""Depth (m) by which a chair is pushed under its table."""


@dataclass(slots=True)
class Piece:
    """A piece of furniture to place. `stands_on` is another piece; `name` is set when all pieces are placed."""

    kind: str
    colour: str
    _: KW_ONLY
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
        """Transform a rectangle from the piece's frame to the world frame."""
        c, s = round(math.cos(self.yaw)), round(math.sin(self.yaw))
        us = (self.x + c * x0 - s * y0, self.x + c * x1 - s * y1)
        vs = (self.y + s * x0 + c * y0, self.y + s * x1 + c * y1)
        return min(us), min(vs), max(us), max(vs)

    @property
    def footprint(self) -> Rect:
        plan = self.plan
        return self.area(-plan.half_x, plan.half_x, -plan.half_y, plan.half_y)

    def zones(self) -> list[Rect]:
        """Return the floor that has to stay free: in front of the piece, and where its door swings."""
        plan = self.plan
        side = plan.half_y if plan.half_y >= LEAST_SIDE else SIDE
        front = self.area(plan.half_x, plan.half_x + plan.free_front, -side, side)
        return ([front] if plan.free_front else []) + self.sweeps()

    def sweeps(self) -> list[Rect]:
        """Return the floor that the piece's door sweeps while it opens."""
        plan = self.plan
        if not any(plan.sweep):
            return []
        left, right = plan.half_y + plan.sweep[0], -plan.half_y - plan.sweep[1]
        return [self.area(plan.half_x, plan.half_x + 2 * plan.half_y + HANDLE, right, left)]

    def pulls(self) -> list[Rect]:
        """Return the floor that the piece's drawer or flap and its handle sweep while it opens."""
        plan = self.plan
        depth = max((link.stands_out for link in plan.articulations), default=0.0)
        return [self.area(plan.half_x, plan.half_x + depth + HANDLE, -plan.half_y, plan.half_y)] if depth else []


class Floor:
    """The floor of one room and the furniture placed on it so far."""

    def __init__(self, room: RoomSpec, doorways: Sequence[DoorwaySpec], rng: np.random.Generator) -> None:
        self.room, self.rng = room, rng
        half = WALL / 2
        self.inner: Rect = (room.x0 + half, room.y0 + half, room.x1 - half, room.y1 - half)
        self.solid: list[Rect] = []
        self.free: list[Rect] = []
        self.pieces: list[Piece] = []
        for d in doorways:
            if room.name in d.rooms:
                w = d.width / 2 + DOOR_MARGIN
                deep = DOOR_DEPTH + half
                is_on_x_wall = abs(d.x - room.x0) < 1e-6 or abs(d.x - room.x1) < 1e-6
                u, v = (deep, w) if is_on_x_wall else (w, deep)
                self.free.append((d.x - u, d.y - v, d.x + u, d.y + v))

    def against_wall(self, group: Sequence[Piece], *, gap: float = 0.0, wall: int | None = None) -> bool:
        """Place a row of pieces side by side along a wall, left to right as seen from the room.

        Walls and offsets are tried in random order, mostly with the corners first.

        Args:
            group: the pieces of the row; their poses are set.
            gap: distance between two pieces (m).
            wall: 0 south, 1 east, 2 north, 3 west; None for any wall.

        Returns:
            Whether the row was placed.
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
            for start in [*(corners if self.rng.random() < CORNER_SHARE else []), *starts]:
                self._line_up(group, k, float(start), gap)
                if self.fits(group):
                    self._add(group)
                    return True
        return False

    def _line_up(self, group: Sequence[Piece], wall: int, start: float, gap: float) -> None:
        x0, y0, x1, y1 = self.inner
        position = start
        for piece in group:
            plan = piece.plan
            t, distance = position + plan.half_y, GAP + plan.half_x
            position += 2 * plan.half_y + gap
            piece.yaw = (math.pi / 2, math.pi, -math.pi / 2, 0.0)[wall]
            x, y = ((x0 + t, y0 + distance), (x1 - distance, y0 + t), (x1 - t, y1 - distance), (x0 + distance, y1 - t))[
                wall
            ]
            piece.x, piece.y = round(x, 4), round(y, 4)

    def standing_free(self, piece: Piece, *, back: float = 1.1) -> bool:
        """Place a piece away from the walls with `back` metres of free floor behind it. Returns whether it fits."""
        x0, y0, x1, y1 = self.inner
        for _ in range(TABLE_TRIES):
            piece.yaw = float(self.rng.choice([0.0, math.pi / 2, math.pi, -math.pi / 2]))
            piece.x = round(float(self.rng.uniform(x0 + FROM_WALL, x1 - FROM_WALL)), 2)
            piece.y = round(float(self.rng.uniform(y0 + FROM_WALL, y1 - FROM_WALL)), 2)
            plan = piece.plan
            area_behind = piece.area(-plan.half_x - back, -plan.half_x, -plan.half_y, plan.half_y)
            end_areas = piece.area(-plan.half_x, plan.half_x, -plan.half_y - TABLE_ENDS, plan.half_y + TABLE_ENDS)
            if (
                self.fits([piece], extra=[area_behind])
                and self._is_inside(end_areas)
                and not self._is_blocked(end_areas, self.solid)
            ):
                self._add([piece])
                self.free.append(area_behind)
                return True
        return False

    def beside(self, piece: Piece, host: Piece, side: int) -> bool:
        """Place a chair at the left (1) or right (-1) end of a table, facing it. Returns whether it fits."""
        plan, piece_plan = host.plan, piece.plan
        distance = plan.half_y + piece_plan.half_x - TUCKED
        c, s = round(math.cos(host.yaw)), round(math.sin(host.yaw))
        piece.x, piece.y = round(host.x - s * side * distance, 4), round(host.y + c * side * distance, 4)
        piece.yaw = math.remainder(host.yaw - side * math.pi / 2, 2 * math.pi)
        # Only the part of the chair that is not under the table needs free floor, with 2 cm to spare at both ends.
        area = piece.area(
            -piece_plan.half_x - 0.02, piece_plan.half_x - TUCKED - 0.02, -piece_plan.half_y, piece_plan.half_y
        )
        if not self._is_inside(area) or self._is_blocked(area, self.solid) or self._is_blocked(area, self.free):
            return False
        piece.room = self.room.name
        self.solid.append(area)
        self.pieces.append(piece)
        return True

    def on_top(self, piece: Piece, host: Piece, *, x: float = 0.0, y: float = 0.0) -> None:
        """Place a piece on another, at (x, y) in the host's frame."""
        c, s = math.cos(host.yaw), math.sin(host.yaw)
        piece.x, piece.y = round(host.x + c * x - s * y, 4), round(host.y + s * x + c * y, 4)
        piece.yaw, piece.room, piece.stands_on = host.yaw, self.room.name, host
        self.pieces.append(piece)

    def swings(self, piece: Piece) -> bool:
        """Whether the door of a piece that stands on another opens without hitting walls or furniture."""
        return all(self._is_inside(zone) and not self._is_blocked(zone, self.solid) for zone in piece.sweeps())

    def fits(self, group: Sequence[Piece], extra: Sequence[Rect] = ()) -> bool:
        """Whether the pieces and the floor that they need free are inside the room and free of other pieces."""
        footprints = [piece.footprint for piece in group]
        zones = [zone for piece in group for zone in piece.zones()] + list(extra)
        return (
            all(self._is_inside(rect) for rect in (*footprints, *zones))
            and not any(self._is_blocked(rect, self.solid) or self._is_blocked(rect, self.free) for rect in footprints)
            and not any(self._is_blocked(zone, self.solid) or self._is_blocked(zone, footprints) for zone in zones)
            and not self._doors_meet_drawers([*self.pieces, *group])
        )

    def _doors_meet_drawers(self, pieces: Sequence[Piece]) -> bool:
        """Whether an open door would block a drawer."""
        floor_pieces = [piece for piece in pieces if piece.stands_on is None]
        pulls = [zone for piece in floor_pieces for zone in piece.pulls()]
        return any(self._is_blocked(zone, pulls) for piece in floor_pieces for zone in piece.sweeps())

    def open_sides(self, piece: Piece) -> tuple[str, ...]:
        """Return the sides (front, back, left, right) with 0.9 m of free floor: room for a robot and its arm."""
        plan, deep = piece.plan, 0.9
        a, b = plan.half_x, plan.half_y
        strips = {
            "front": (a, a + deep, -b, b),
            "back": (-a - deep, -a, -b, b),
            "left": (-a, a, b, b + deep),
            "right": (-a, a, -b - deep, -b),
        }
        areas = {side: piece.area(*strip) for side, strip in strips.items()}
        return tuple(s for s, area in areas.items() if self._is_inside(area) and not self._is_blocked(area, self.solid))

    def _add(self, group: Sequence[Piece]) -> None:
        for piece in group:
            piece.room = self.room.name
            self.solid.append(piece.footprint)
            self.free.extend(piece.zones())
            self.pieces.append(piece)

    def _is_inside(self, rect: Rect) -> bool:
        a, b = self.inner, 0.001  # 1 mm for rounding
        return rect[0] >= a[0] - b and rect[1] >= a[1] - b and rect[2] <= a[2] + b and rect[3] <= a[3] + b

    @staticmethod
    def _is_blocked(rect: Rect, others: Sequence[Rect]) -> bool:
        e = 0.004  # pieces in a row touch: less than 4 mm of overlap is rounding
        return any(
            rect[0] < o[2] - e and o[0] < rect[2] - e and rect[1] < o[3] - e and o[1] < rect[3] - e for o in others
        )

"""The static shell of a house: floors, walls with doorways, skirting boards, windows, ceilings.

Geom groups: 0 below 1.1 m, 1 above (hidden in third-person views), 3 the invisible ground plane. Literal numbers are
positions and sizes in metres.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from homie.envs.mujoco.blueprints.materials import RGB, STEM, shade
from homie.envs.mujoco.blueprints.parts import WALL, Span
from homie.envs.mujoco.house.index import GeomInfo
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import RoomSpec

KNEE = 1.1
"""Height (m) at which walls are split into a lower and an upper geom."""
CEILING = 2.4
LINTEL = 2.05
"""Height (m) of the ceiling, and of the upper edge of a doorway."""
UPPER = 1
"""Geom group of the upper part of the walls and of the ceiling."""
SOLID = (1, 3)
"""contype and conaffinity of everything solid in the house."""

PAINT: dict[str, RGB] = {
    "kitchen": (0.94, 0.90, 0.80),
    "living room": (0.86, 0.89, 0.82),
    "bedroom": (0.82, 0.87, 0.92),
    "bathroom": (0.80, 0.91, 0.91),
    "dining room": (0.95, 0.88, 0.80),
    "study": (0.90, 0.87, 0.92),
}
FLOOR: dict[str, RGB] = {"wood": (0.72, 0.53, 0.35), "tiles": (0.80, 0.80, 0.78), "carpet": (0.62, 0.60, 0.62)}
TRIM: RGB = (0.97, 0.97, 0.95)
SKY: RGB = (0.68, 0.84, 0.97)
HILLS: tuple[RGB, ...] = ((0.30, 0.52, 0.28), (0.75, 0.45, 0.25), (0.25, 0.42, 0.60), (0.60, 0.35, 0.45))
RUGS: dict[str, tuple[RGB, RGB]] = {
    "living room": ((0.62, 0.25, 0.22), (0.88, 0.80, 0.66)),
    "bedroom": ((0.35, 0.45, 0.58), (0.90, 0.88, 0.82)),
    "study": ((0.28, 0.40, 0.34), (0.85, 0.80, 0.62)),
}
"""Colours of the rug in the middle of a room: border and field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One side of a room: `at` is the coordinate of the edge, `along` the axis it runs along, `inward` the sign of the
    direction into the room."""

    room: RoomSpec
    along: int
    at: float
    inward: float
    span: Span


def add_shell(spec: mujoco.MjSpec, scene: SceneSpec, geoms: dict[str, GeomInfo]) -> None:
    """Add floors, walls and ceilings; every geom gets its entry in `geoms`."""
    add_ground(spec)
    geoms["ground"] = GeomInfo("floor", "")
    for room in scene.rooms:
        _Builder(spec, scene, room, geoms).build()


def add_ground(spec: mujoco.MjSpec) -> None:
    """Add the plane at height 0 that carries everything; it is not drawn."""
    ground = spec.worldbody.add_geom(
        name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], group=3, friction=[0.8, 0.005, 0.0001]
    )
    ground.contype, ground.conaffinity = SOLID


class _Builder:
    """Adds the shell of one room."""

    def __init__(self, spec: mujoco.MjSpec, scene: SceneSpec, room: RoomSpec, geoms: dict[str, GeomInfo]) -> None:
        self.scene, self.room, self.geoms = scene, room, geoms
        self.body = spec.worldbody.add_body(name=f"walls/{room.name}")
        self.paint = PAINT[room.kind]
        self.count = 0

    def build(self) -> None:
        room = self.room
        floor = f"floor/{room.name}"
        flat = ((room.x0, room.x1), (room.y0, room.y1))
        self._box(*flat, (-0.02, 0.0), FLOOR[room.floor], name=floor, material=room.floor, entity=room.name)
        self._box(*flat, (CEILING, CEILING + 0.02), TRIM, group=UPPER, part="ceiling", material="ceiling")
        if room.kind in RUGS:
            self._rug(*RUGS[room.kind])
        for side in (
            _Side(room=room, along=0, at=room.y0, inward=1.0, span=(room.x0, room.x1)),
            _Side(room=room, along=0, at=room.y1, inward=-1.0, span=(room.x0, room.x1)),
            _Side(room=room, along=1, at=room.x0, inward=1.0, span=(room.y0, room.y1)),
            _Side(room=room, along=1, at=room.x1, inward=-1.0, span=(room.y0, room.y1)),
        ):
            self._side(side)

    def _rug(self, border: RGB, field: RGB) -> None:
        """A rug in the middle of the room: visual geoms only, without contacts."""
        room = self.room
        x, y = (room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2
        for half_x, half_y, high, rgb in (
            (1.1, 0.8, 0.002, border),
            (1.0, 0.7, 0.003, field),
            (0.8, 0.5, 0.004, border),
            (0.74, 0.44, 0.005, field),
        ):
            spans = (x - half_x, x + half_x), (y - half_y, y + half_y), (0.0, high)
            self._box(*spans, rgb, part="rug", material="carpet", entity=room.name)

    def _side(self, side: _Side) -> None:
        doors = self._doors(side)
        outside = _subtract(side.span, self._shared_spans(side))
        for span in _subtract(side.span, doors):
            self._wall(side, span, side.inward)
            self._slab(side, span, (0.0, 0.08), WALL / 2, WALL / 2 + 0.012, TRIM)
        for span in outside:
            wall_span = (span[0] - (WALL / 2 if span[0] == side.span[0] else 0), span[1])
            wall_span = (wall_span[0], wall_span[1] + (WALL / 2 if span[1] == side.span[1] else 0))
            self._wall(side, wall_span, -side.inward)
        for door in doors:
            self._slab(side, door, (LINTEL, CEILING), 0.0, WALL / 2, self.paint, solid=True, group=UPPER)
            for a in (door[0] - 0.07, door[1]):
                self._slab(side, (a, a + 0.07), (0.0, KNEE), WALL / 2, WALL / 2 + 0.015, TRIM)
                self._slab(side, (a, a + 0.07), (KNEE, LINTEL), WALL / 2, WALL / 2 + 0.015, TRIM, group=UPPER)
            trim = (door[0] - 0.07, door[1] + 0.07)
            self._slab(side, trim, (LINTEL, LINTEL + 0.07), WALL / 2, WALL / 2 + 0.015, TRIM, group=UPPER)
        self._add_wall_decoration(side, outside, _subtract(side.span, doors))

    def _doors(self, side: _Side) -> list[Span]:
        spans = []
        for doorway in self.scene.doorways:
            wall_position, middle = (doorway.y, doorway.x) if side.along == 0 else (doorway.x, doorway.y)
            inside = side.span[0] < middle < side.span[1]
            if self.room.name in doorway.rooms and abs(wall_position - side.at) < 1e-6 and inside:
                spans.append((middle - doorway.width / 2, middle + doorway.width / 2))
        return sorted(spans)

    def _shared_spans(self, side: _Side) -> list[Span]:
        """Return the parts of this side that border another room."""
        spans = []
        for other in self.scene.rooms:
            edges = (other.y0, other.y1) if side.along == 0 else (other.x0, other.x1)
            span = (other.x0, other.x1) if side.along == 0 else (other.y0, other.y1)
            outer_edge = edges[1] if side.inward > 0 else edges[0]
            a, b = max(span[0], side.span[0]), min(span[1], side.span[1])
            if other.name != self.room.name and abs(outer_edge - side.at) < 1e-6 and b - a > 1e-6:
                spans.append((a, b))
        return sorted(spans)

    def _wall(self, side: _Side, span: Span, inward: float) -> None:
        depth = WALL / 2 if inward == side.inward else -WALL / 2
        paint = self.paint if inward == side.inward else shade(TRIM, 0.85)
        self._slab(side, span, (0.0, KNEE), 0.0, depth, paint, solid=True)
        self._slab(side, span, (KNEE, CEILING), 0.0, depth, paint, solid=True, group=UPPER)

    def _add_wall_decoration(self, side: _Side, outside: list[Span], walls: list[Span]) -> None:
        """Add a window in the middle of a long outer wall and a picture in the middle of a long inner one, unless tall
        furniture is in front of it."""
        inner = [span for span in walls if not any(span[0] < b and a < span[1] for a, b in outside)]
        for spans, half, hang in ((outside, 0.6, self._window), (inner, 0.4, self._picture)):
            longest_span = max(spans, key=lambda span: span[1] - span[0], default=(0.0, 0.0))
            middle = (longest_span[0] + longest_span[1]) / 2
            if longest_span[1] - longest_span[0] > 2.2 and not self._is_hidden(side, (middle - half, middle + half)):
                hang(side, middle)

    def _is_hidden(self, side: _Side, span: Span) -> bool:
        """Whether tall furniture stands at a part of a wall."""
        for piece in self.scene.furniture:
            corners = [(c[side.along], c[1 - side.along]) for c in piece.corners()]
            is_near = min(abs(wall_distance - side.at) for _, wall_distance in corners) < 0.5
            tall = self.scene.base(piece) + piece.blueprint.height > KNEE
            if is_near and tall and min(u for u, _ in corners) < span[1] and max(u for u, _ in corners) > span[0]:
                return True
        return False

    def _window(self, side: _Side, middle: float) -> None:
        w, pane = WALL / 2, (middle - 0.55, middle + 0.55)
        self._slab(side, pane, (1.15, 2.05), w, w + 0.006, SKY, group=UPPER, part="window", material="glow")
        for z in ((1.1, 1.16), (2.0, 2.06)):
            self._slab(side, (pane[0] - 0.05, pane[1] + 0.05), z, w, w + 0.02, TRIM, group=UPPER, part="window")
        for a in (pane[0] - 0.05, middle - 0.02, pane[1]):
            self._slab(side, (a, a + 0.05), (1.15, 2.05), w, w + 0.02, TRIM, group=UPPER, part="window")

    def _picture(self, side: _Side, middle: float) -> None:
        """A framed landscape: sky, hills, a sun."""
        w, half = WALL / 2, 0.38
        pick = len(self.geoms) % len(HILLS)
        layers: tuple[tuple[Span, Span, float, RGB], ...] = (
            ((-half, half), (1.3, 1.82), 0.015, STEM),
            ((-half + 0.03, half - 0.03), (1.33, 1.79), 0.017, shade(SKY, 1.3)),
            ((-half + 0.03, half - 0.03), (1.33, 1.48), 0.019, HILLS[pick]),
            ((-half + 0.03, 0.05), (1.48, 1.56), 0.019, shade(HILLS[pick], 0.75)),
            ((0.14, 0.23), (1.64, 1.73), 0.019, (0.98, 0.75, 0.25)),
        )
        for (a, b), z, depth, rgb in layers:
            self._slab(side, (middle + a, middle + b), z, w, w + depth, rgb, group=UPPER, part="picture")

    def _slab(
        self,
        side: _Side,
        span: Span,
        z: Span,
        near: float,
        far: float,
        rgb: RGB,
        *,
        solid: bool = False,
        group: int = 0,
        part: str = "",
        material: str = "matte",
    ) -> None:
        """Add a box on a side: `near` and `far` are measured from the edge into the room."""
        a, b = side.at + side.inward * near, side.at + side.inward * far
        cross_span = (min(a, b), max(a, b))
        x, y = (span, cross_span) if side.along == 0 else (cross_span, span)
        self._box(x, y, z, rgb, solid=solid, group=group, part=part, material=material)

    def _box(
        self,
        x: Span,
        y: Span,
        z: Span,
        rgb: RGB,
        *,
        solid: bool = False,
        group: int = 0,
        name: str = "",
        part: str = "",
        material: str = "matte",
        entity: str = "wall",
    ) -> None:
        self.count += 1
        label = name or f"walls/{self.room.name}/{self.count}"
        geom = self.body.add_geom(
            name=label,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            group=group,
            material=material,
            rgba=[*rgb, 1.0],
            size=[(x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (z[1] - z[0]) / 2],
            pos=[(x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2],
            mass=0,
        )
        geom.contype, geom.conaffinity = SOLID if solid else (0, 0)
        self.geoms[label] = GeomInfo(entity, part)


def _subtract(span: Span, holes: list[Span]) -> list[Span]:
    """Return the parts of an interval outside of sorted, disjoint holes."""
    start, spans = span[0], []
    for a, b in holes:
        if a - start > 1e-6:
            spans.append((start, a))
        start = max(start, b)
    if span[1] - start > 1e-6:
        spans.append((start, span[1]))
    return spans

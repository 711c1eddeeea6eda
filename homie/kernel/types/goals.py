"""Goals of skills: the target with its surfaces and doors, obstacles, and the map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from homie.kernel.types.geometry import Array, Box, Mask, Solid, planar_rotation
from homie.kernel.types.observations import Detection


@dataclass(frozen=True, slots=True)
class Surface:
    """A horizontal rectangle to place objects on (top centre, half extents along its own axes, yaw).

    `clearance` is the free height above it in metres (inf without a ceiling). `access` is the unit vector (2,) pointing
    out through the only open side, or None if it can be reached from above. `lid` is the free height in metres when it
    is pushed in, as for a drawer (inf for fixed surfaces).
    """

    center: Array
    half_x: float
    half_y: float
    yaw: float
    clearance: float = float("inf")
    access: Array | None = None
    lid: float = float("inf")

    @property
    def plate(self) -> Box:
        """The rectangle as a box without height."""
        return Box(self.center, np.array([self.half_x, self.half_y, 0.0]), self.yaw)


@dataclass(frozen=True, slots=True)
class Articulation:
    """A door or a drawer: its joint, its handle and its opening.

    Attributes:
        axis_point, axis: (3,) each; for a hinge the point is on the axis and a positive angle (right-hand rule about
            `axis`) opens; for a slide `axis` is the opening direction.
        handle: Current centre of the handle (3,).
        handle_axis: Unit vector (3,) along the bar of the handle.
        outward: Unit vector (3,) from the panel towards a person in front of it.
        opening, range: Current and largest opening, in rad or m.
        panel: Current box of the moving panel, if known.
    """

    kind: Literal["hinge", "slide"]
    axis_point: Array
    axis: Array
    handle: Array
    handle_axis: Array
    outward: Array
    opening: float
    range: float
    panel: Box | None = None


@dataclass(frozen=True, slots=True)
class OccupancyGrid:
    """Obstacles on the floor plan: `occupied` and `unknown` (ny, nx); cell (0, 0) has its lower corner at `origin`
    (2,), cells are `resolution` metres wide; y grows with the row. `walls` (ny, nx) marks walls, which no arm reaches
    over or through, without furniture; None if not known."""

    occupied: Mask
    unknown: Mask
    origin: Array
    resolution: float
    walls: Mask | None = None

    def walled(self, points: Array, box: Box) -> Mask:
        """Return from which points (n, 2) an object is behind a wall, (n,): walls occlude its whole middle part.

        Args:
            box: Box of the object. Only the middle half of its length and width is tested: its sides are known less
                accurately, and an object seen through a doorway may appear to be inside the wall beside it.
        """
        if self.walls is None:
            return np.zeros(len(points), dtype=bool)
        turn = planar_rotation(box.yaw)
        local = np.clip((points - box.center[:2]) @ turn, -box.half[:2] / 2, box.half[:2] / 2)
        middles = np.broadcast_to(box.center[:2], points.shape)
        return self._crosses(points, middles) & self._crosses(points, box.center[:2] + local @ turn.T)

    def _crosses(self, starts: Array, ends: Array) -> Mask:
        """Return which of the line segments between points (n, 2) cross a wall, (n,)."""
        assert self.walls is not None
        steps = int(np.linalg.norm(ends - starts, axis=1).max(initial=0.0) / (0.4 * self.resolution)) + 2
        share = np.linspace(0.0, 1.0, steps)[:, None, None]
        cells = np.floor((starts + share * (ends - starts) - self.origin) / self.resolution).astype(np.intp)
        rows, columns = cells[..., 1], cells[..., 0]
        in_grid = (rows >= 0) & (rows < self.walls.shape[0]) & (columns >= 0) & (columns < self.walls.shape[1])
        walled = self.walls[np.where(in_grid, rows, 0), np.where(in_grid, columns, 0)] & in_grid
        crossing: Mask = walled.any(axis=0)
        return crossing


@dataclass(frozen=True, slots=True)
class Goal:
    """Input of a skill, made from a subtask by a goal adapter (`Locator.goal`). Positions are in the odometry frame, m.

    Attributes:
        name: The resolved entity or room.
        text: The subtask in words.
        task: The instruction that the subtask belongs to; without one that of the scene, or "".
        position: Reference point (3,) of the target.
        box: Bounding box of the target.
        surfaces: Surfaces for a Put, best first.
        obstacles: Boxes of the objects standing on them.
        articulations: Doors and drawers of the target.
        room: Rectangle (x0, y0, x1, y1) if the target is a spot.
        front: Yaw of the side that a person uses, for furniture.
        grid: Obstacles for the base.
        solids: Boxes near the target and near the robot that the arm avoids, except a target object and the panels
            that Open and Close move.
        parts: Solids of a target object at their current poses, if known.
        loose: Boxes of named objects that could be moved out of the way: near the target, and anywhere on the floor.
        held: Current box of the held object, if known.
        seen: Detections of the target in the first observation of an attempt, for skills that use cameras.
    """

    name: str
    text: str
    position: Array
    box: Box | None = None
    surfaces: tuple[Surface, ...] = ()
    obstacles: tuple[Box, ...] = ()
    articulations: tuple[Articulation, ...] = ()
    room: tuple[float, float, float, float] | None = None
    front: float | None = None
    grid: OccupancyGrid | None = field(default=None, repr=False)
    solids: tuple[Box, ...] = field(default=(), repr=False)
    parts: tuple[Solid, ...] = field(default=(), repr=False)
    held: Box | None = None
    loose: tuple[Box, ...] = field(default=(), repr=False)
    seen: tuple[Detection, ...] = field(default=(), repr=False)
    task: str = ""

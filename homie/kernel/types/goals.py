"""What a skill needs of its target: surfaces, doors, the map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from homie.kernel.types.geometry import Array, Box, Mask, Solid, planar_rotation
from homie.kernel.types.observations import Detection


@dataclass(frozen=True, slots=True)
class Surface:
    """Where things can be put: a horizontal rectangle (top centre, half sizes along its own axes, yaw).

    `clearance` is the free height above it in metres (inf under the open sky). `access` is the unit vector (2,)
    from inside out through the only open side, or None where it can be reached from above. `lid` is the free height
    that is left when it is pushed in, as a drawer is (inf for what does not move).
    """

    center: Array
    half_x: float
    half_y: float
    yaw: float
    clearance: float = float("inf")
    access: Array | None = None
    lid: float = float("inf")


@dataclass(frozen=True, slots=True)
class Articulation:
    """A door or a drawer: how it moves and where to take it.

    Attributes:
        axis_point, axis: (3,) each; for a hinge the point is on the axis and a positive angle (right-hand rule about
            `axis`) opens; for a slide `axis` is the opening direction.
        handle: Centre (3,) now.
        handle_axis: Unit vector along the bar.
        outward: Unit vector (3,) pointing from the panel to the person.
        opening: How far it is open now, range: its largest opening, in rad or m.
        panel: The box of the moving panel as it stands now, where known.
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
    (2,), cells are `resolution` metres wide; y grows with the row. `walls` (ny, nx): what no arm reaches over
    or through, furniture left out; None where nobody knows."""

    occupied: Mask
    unknown: Mask
    origin: Array
    resolution: float
    walls: Mask | None = None

    def walled(self, points: Array, box: Box) -> Mask:
        """Between which places (n, 2) and a thing there is a wall, (n,): nothing of the middle of the thing can be seen
        from there past all walls.

        Args:
            box: Of the thing. Its middle counts, half as long and wide: its sides are known less well, and what was
                seen through a doorway may seem to stand in the wall beside it.
        """
        if self.walls is None:
            return np.zeros(len(points), dtype=bool)
        turn = planar_rotation(box.yaw)
        local = np.clip((points - box.center[:2]) @ turn, -box.half[:2] / 2, box.half[:2] / 2)
        middles = np.broadcast_to(box.center[:2], points.shape)
        return self._crosses(points, middles) & self._crosses(points, box.center[:2] + local @ turn.T)

    def _crosses(self, starts: Array, ends: Array) -> Mask:
        """Which of the straight lines between points (n, 2) each go through a wall, (n,)."""
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
    """What a skill needs, made from a subtask by a goal adapter.

    Attributes:
        name: The resolved entity or room.
        text: The subtask in words.
        task: The instruction that it is a part of; that of the scene, or "", where nobody has said one.
        position: Its reference point (3,).
        box: Its bounding box.
        surfaces: Where to put (best first).
        obstacles: Boxes of things standing there.
        articulations: Doors and drawers that belong to it.
        room: The rectangle (x0, y0, x1, y1) if it is a spot.
        front: Yaw of the side a person uses, for furniture.
        grid: Where the base cannot be.
        solids: Boxes near the target and near the robot that the arm keeps out of, but not a target object, nor the
            panels that Open and Close move.
        parts: The solids that a target object is made of, as it lies, where they are known.
        loose: Boxes with names of what could be moved out of the way: near the target, and anywhere on the floor.
        held: The box of the object in the hand as it is now, where that is known.
        seen: Boxes of the target in the observation that an attempt begins with, for skills that have cameras.
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

"""What is found in the MJCF file of a house. Ids are those of its model; metres and radians in the world, with every
door and drawer shut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from homie.envs.mujoco.blueprints.parts import Hollow
from homie.envs.mujoco.house.index import Rect
from homie.kernel.types import Array, Box


@dataclass(frozen=True, slots=True)
class Unclear:
    """Something that was not understood, and why, as a sentence says it."""

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRoom:
    """A room: its floor, and what of the file it is."""

    name: str
    kind: str
    rect: Rect
    geom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseJoint:
    """A door or a drawer.

    Attributes:
        part: What it is, such as `drawer` or `left_door`.
        handle: The geom that a hand takes, -1 where none was found.
        closed, open: Joint positions.
        panel: The geom that shows most to the front.
        level: Whether it turns about a level axis: a flap or a lid.
        frame (3, 3): Its columns point out of the furniture, to the side, and up.
    """

    part: str
    kind: Literal["hinge", "slide"]
    joint: int
    body: int
    handle: int
    panel: int
    level: bool
    closed: float
    open: float
    frame: Array

    @property
    def is_drawer(self) -> bool:
        """Whether it comes out towards who opens it."""
        return self.part.endswith("drawer")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseSurface:
    """A level rectangle that things can lie on, with `center` (3,) in the world. moves: The body that it moves with,
    0 if it does not move. The others as in `homie.envs.mujoco.house.index.SupportSurface`."""

    name: str
    moves: int
    center: Array
    half_x: float
    half_y: float
    clearance: float
    inside: bool
    access: Literal["top", "front"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HousePiece:
    """A piece of furniture.

    Attributes:
        origin: The name of its body in the file.
        box: Around it without its handles; its yaw is that of the side from which it is used.
        geoms: All but those of its doors and drawers.
    """

    name: str
    kind: str
    colour: str
    origin: str
    room: str
    box: Box
    geoms: tuple[int, ...]
    surfaces: tuple[HouseSurface, ...]
    joints: tuple[HouseJoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseObject:
    """A loose thing. half: Half extents of its box where it lies; hollow in the frame of its body."""

    name: str
    kind: str
    colour: str
    origin: str
    body: int
    half: Array
    hollow: Hollow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseContents:
    """All that was found in a house. floors, walls: Geoms of the house itself."""

    rooms: tuple[HouseRoom, ...]
    pieces: tuple[HousePiece, ...]
    objects: tuple[LooseObject, ...]
    floors: tuple[int, ...]
    walls: tuple[int, ...]
    unclear: tuple[Unclear, ...] = field(default=())

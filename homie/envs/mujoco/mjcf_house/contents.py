"""The contents recognised in the MJCF file of a house. Ids refer to its model; metres and radians in the world frame,
with every door and drawer shut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from homie.envs.mujoco.blueprints.parts import Hollow
from homie.envs.mujoco.house.index import Rect
from homie.kernel.types import Array, Box


@dataclass(frozen=True, slots=True)
class Unclear:
    """An element that was not recognised, and the reason as a clause of a sentence."""

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRoom:
    """A room: its kind, floor rectangle and floor geom."""

    name: str
    kind: str
    rect: Rect
    geom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseJoint:
    """A door or a drawer.

    Attributes:
        part: Name within the piece, such as `drawer` or `left_door`.
        handle: The geom to grasp, -1 if none was found.
        closed, open: Joint positions.
        panel: The geom with the largest area seen from the front.
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
        """Whether it slides out towards the front."""
        return self.part.endswith("drawer")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseSurface:
    """A level rectangle that supports objects, with `center` (3,) in the world. moves: The body that carries it,
    0 if it is fixed. The others as in `homie.envs.mujoco.house.index.SupportSurface`."""

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
        origin: Name of its body in the file.
        box: Bounding box without handles; its yaw is that of the front.
        geoms: All geoms except those of doors and drawers.
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
    """A loose object. half: Half extents of its initial bounding box; hollow: its cavity, in the body frame."""

    name: str
    kind: str
    colour: str
    origin: str
    body: int
    half: Array
    hollow: Hollow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseContents:
    """Everything recognised in a house. floors, walls: Geoms of the house itself."""

    rooms: tuple[HouseRoom, ...]
    pieces: tuple[HousePiece, ...]
    objects: tuple[LooseObject, ...]
    floors: tuple[int, ...]
    walls: tuple[int, ...]
    unclear: tuple[Unclear, ...] = field(default=())

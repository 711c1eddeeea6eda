"""Blueprints: furniture and objects as plain data, independent of MuJoCo.

The generator, the builder, the checks of a scene spec and the map use the same blueprint, so objects are placed exactly
where the shelves are built. Furniture frame: origin on the floor (or on the supporting piece) at the centre of the
footprint, x to the front, y left, z up. Lengths in metres, masses in kilograms, angles in radians.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.materials import CHROME, RGB
from homie.kernel.types import Array

Vec3: TypeAlias = tuple[float, float, float]
Quat: TypeAlias = tuple[float, float, float, float]
Span: TypeAlias = tuple[float, float]
Shape: TypeAlias = Literal["box", "cylinder", "capsule", "sphere", "ellipsoid", "mesh"]
Finish: TypeAlias = Literal["matte", "gloss", "metal", "grain", "fabric"]

UPRIGHT: Quat = (1.0, 0.0, 0.0, 0.0)

WALL = 0.1
"""Thickness of walls (m), half of it inside the rectangle of each of the two rooms."""

FLOOR_SURFACE = "floor"
"""The surface of a room that objects may stand on."""


LinkName: TypeAlias = Literal["door", "left_door", "right_door", "drawer", "flap", "lid", "sliding_door", "button"]

POWERED = ("lamp", "stream")
"""Labels of parts that show whether something is on."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The visual or collision geometry of a part of shape `mesh`.

    Attributes:
        name: A name that is equal for equal content.
        points (n, 3): Vertices in the frame of the part.
        faces (m, 3): Triangles; None for the convex hull of the points.
        uv (n, 2), texture (h, w, 3): Texture rows start at the top, v at the bottom; None without texture.
    """

    name: str
    points: Array
    faces: NDArray[np.int32] | None = None
    uv: Array | None = None
    texture: NDArray[np.uint8] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One geom. Its first five fields are positional, in the order of MuJoCo's geoms; all others are keyword-only.

    Attributes:
        size: As in MuJoCo (half sizes; radius and half length).
        pos, quat: In the frame of the body.
        solid: Whether it collides; otherwise it is visual only.
        hidden: Whether it is invisible and only collides.
        label: "" for the body itself, or `handle`, `button`, `lamp`, `stream` (shown only while it is on), ...
        glow: The colour of a lamp that is on.
        surface: Geometry of a mesh, whose `size` is half its extents.
    """

    shape: Shape
    size: Vec3
    pos: Vec3
    rgb: RGB
    quat: Quat = UPRIGHT
    _: KW_ONLY
    solid: bool = True
    hidden: bool = False
    label: str = ""
    finish: Finish = "matte"
    glow: RGB | None = None
    mass: float = 0.0
    surface: Surface | None = None

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
        """The same part, shifted."""
        return replace(self, pos=(self.pos[0] + x, self.pos[1] + y, self.pos[2] + z))


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A moving part: a door, flap or lid that turns, a drawer or sliding door that slides, or a `button` with a spring.

    Attributes:
        pos: Origin of its frame in the furniture frame, for hinges on the axis; `parts` are in the link's frame.
        upper: Joint position when fully open (rad or m); 0 is closed or not pressed.
        frictionloss, damping, stiffness: As in MuJoCo.
        balanced: Whether springs compensate its weight, so that a flap or lid stays at any angle.
    """

    name: LinkName
    kind: Literal["hinge", "slide"]
    pos: Vec3
    axis: Vec3
    upper: float
    parts: tuple[Part, ...]
    mass: float
    frictionloss: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    balanced: bool = False

    @property
    def turns_level(self) -> bool:
        """Whether it turns about a horizontal axis: a flap opens downwards, a lid upwards."""
        return self.kind == "hinge" and self.axis[2] == 0.0

    @property
    def stands_out(self) -> float:
        """Metres by which it extends in front of the piece, within its width, when fully open; 0 for doors, which swing
        aside."""
        if self.kind == "slide":
            return self.upper * self.axis[0]
        return 2 * self.parts[0].size[2] if self.name == "flap" else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfacePlan:
    """A horizontal rectangle that objects rest on, in the frame of `link` (of the furniture if `link` is "").

    Attributes:
        clearance: Free height above it (m).
        inside: Whether it is behind a door or in a drawer.
        access: Whether objects on it are reached from above or only through the open front.
    """

    name: str
    center: Vec3
    half_x: float
    half_y: float
    clearance: float = math.inf
    inside: bool = False
    access: Literal["top", "front"] = "top"
    link: Literal["", "drawer"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """A piece of furniture with a footprint of 2 half_x by 2 half_y, without handles.

    Attributes:
        free_front: Depth of the floor kept free in front (m).
        sweep: Space that an open door needs beside the piece, (left, right) (m).
        support: Height at which another piece can stand on it; None if none can.
    """

    half_x: float
    half_y: float
    height: float
    parts: tuple[Part, ...]
    links: tuple[Link, ...] = ()
    surfaces: tuple[SurfacePlan, ...] = ()
    free_front: float = 0.0
    sweep: Span = (0.0, 0.0)
    support: float | None = None

    @property
    def articulations(self) -> tuple[Link, ...]:
        """The links that open: doors, drawer, flap or lid."""
        return tuple(link for link in self.links if link.name != "button")

    @property
    def powered(self) -> bool:
        """Whether it can be on or off."""
        return any(part.label in POWERED for part in self.parts)


@dataclass(frozen=True, slots=True)
class Hollow:
    """The space inside a bowl or a mug: a truncated cone in the frame of the object, `center` in the middle of its
    floor.

    Attributes:
        floor, rim: Radius at the floor and at the rim (m).
        depth: Height from the floor to the rim (m).
    """

    center: Vec3
    depth: float
    floor: float
    rim: float

    def radius(self, height: float) -> float:
        """The radius (m) at a height (m) above the floor; above the rim it is that of the rim."""
        return self.floor + (self.rim - self.floor) * min(max(height / self.depth, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """A movable object standing upright: origin at the centre of its bounding box, `half` its half extents (3,).

    Attributes:
        rolls: Whether it is round and needs rolling friction to come to rest.
        hollow: The space inside that can hold other objects.
    """

    half: Vec3
    parts: tuple[Part, ...]
    rolls: bool = False
    hollow: Hollow | None = None


def block(x: Span, y: Span, z: Span, rgb: RGB, **options: object) -> Part:
    """A box from its extents along the three axes."""
    size = ((x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (z[1] - z[0]) / 2)
    pos = ((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2)
    return replace(Part("box", size, pos, rgb), **options)  # type: ignore[arg-type]


def disc(x: float, y: float, z: Span, radius: float, rgb: RGB, **options: object) -> Part:
    """An upright cylinder."""
    part = Part("cylinder", (radius, (z[1] - z[0]) / 2, 0.0), (x, y, (z[0] + z[1]) / 2), rgb)
    return replace(part, **options)  # type: ignore[arg-type]


def ball(x: float, y: float, z: float, radius: float, rgb: RGB, **options: object) -> Part:
    """A sphere."""
    return replace(Part("sphere", (radius, 0.0, 0.0), (x, y, z), rgb), **options)  # type: ignore[arg-type]


def rod(start: Vec3, end: Vec3, radius: float, rgb: RGB, **options: object) -> Part:
    """A capsule whose end centres are `start` and `end`."""
    d = tuple(b - a for a, b in zip(start, end, strict=True))
    length = math.sqrt(sum(v * v for v in d))
    middle = tuple((a + b) / 2 for a, b in zip(start, end, strict=True))
    part = Part("capsule", (radius, length / 2, 0.0), middle, rgb, quat=_z_onto(d, length))  # type: ignore[arg-type]
    return replace(part, **options)  # type: ignore[arg-type]


def _z_onto(direction: tuple[float, ...], length: float) -> Quat:
    """Return the shortest rotation that maps the z axis to a direction."""
    x, y, z = (v / length for v in direction)
    if z < -0.999999:
        return (0.0, 1.0, 0.0, 0.0)
    w = math.sqrt((1 + z) / 2)
    return (w, -y / (2 * w), x / (2 * w), 0.0)


def turned(yaw: float) -> Quat:
    """A rotation about z."""
    return (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))


HANDLE_RADIUS = 0.01
HANDLE_GAP = 0.05
"""Free space (m) between a panel and its handle bar, so that two fingers can close around the bar."""


def handle(x: float, start: Span, end: Span) -> tuple[Part, ...]:
    """A bar handle in front of a panel at `x`, between two points (y, z): the bar, then its two posts."""
    bar_x = x + HANDLE_GAP + HANDLE_RADIUS
    bar = rod((bar_x, *start), (bar_x, *end), HANDLE_RADIUS, CHROME, label="handle", finish="metal")
    posts = (rod((x, *at), (bar_x, *at), 0.007, CHROME, label="handle", finish="metal") for at in (start, end))
    return (bar, *posts)


def button(pos: Vec3, rgb: RGB, radius: float = 0.015) -> Link:
    """A push button on a vertical front panel at `pos`, pressed along -x by up to 8 mm against a spring."""
    cap = Part("cylinder", (radius, 0.008, 0.0), (0.006, 0.0, 0.0), rgb, (0.70710678, 0.0, 0.70710678, 0.0))
    parts = (replace(cap, label="button"),)
    return Link(
        name="button",
        kind="slide",
        pos=pos,
        axis=(-1.0, 0.0, 0.0),
        upper=0.008,
        parts=parts,
        mass=0.03,
        damping=2.0,
        stiffness=250.0,
    )

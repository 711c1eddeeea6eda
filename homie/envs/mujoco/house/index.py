"""The index of a built home: entities and their MuJoCo ids, for skill goals, world state and the simulated detector.

Body, joint and geom fields are MuJoCo ids. Positions are in the frame of the `body` of the same class; SI units,
radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.blueprints.parts import Hollow, Vec3
from homie.envs.mujoco.blueprints.person import Gesture, Posture
from homie.envs.mujoco.blueprints.state_parts import Group

Rect = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomInfo:
    """A room: free floor `rect` (x0, y0, x1, y1) between its walls, in the world frame."""

    name: str
    kind: str
    rect: Rect
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportSurface:
    """A horizontal rectangle that objects rest on, in the frame of `body` (which moves for a drawer).

    Attributes:
        clearance: Free height above it (m) when closed, inf if nothing is above it.
        inside: Whether it is behind a door or in a drawer.
        access: `top` if objects on it are reached from above, `front` if only through the open front (+x).
    """

    name: str
    body: int
    center: Vec3
    half_x: float
    half_y: float
    clearance: float
    inside: bool
    access: Literal["top", "front"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticulationInfo:
    """A door or drawer: its joint, its body and its handle bar, and its joint positions when closed and fully open.

    Attributes:
        handle: Geom of the handle bar, -1 if it has none.
        panel: The geom with the largest frontal area.
        frame: A body whose x axis points out of the furniture: it moves with the door or drawer, but for a flap or lid
            with a horizontal axis it is static, because the robot stands in front of the piece.
    """

    name: str
    kind: Literal["hinge", "slide"]
    joint: int
    body: int
    handle: int
    panel: int
    closed: float
    open: float
    frame: int

    @property
    def range(self) -> float:
        """The opening when fully open, m or rad."""
        return abs(self.open - self.closed)

    def opening(self, position: float) -> float:
        """Convert a joint position to an opening, m or rad."""
        return float(position - self.closed if self.open > self.closed else self.closed - position)

    def position(self, opening: float) -> float:
        """Convert an opening (m or rad) to a joint position."""
        return self.closed + opening * (1.0 if self.open > self.closed else -1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplianceInfo:
    """The power of an appliance: joint, geom and travel (m) of its button, its lamp geoms and their colours off and on.

    Attributes:
        streams: Geoms that are visible only while it is on.
    """

    joint: int
    button: int
    travel: float
    lamps: tuple[int, ...]
    off: tuple[RGB, ...]
    glow: tuple[RGB, ...]
    initially_on: bool
    streams: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceptacleInfo:
    """A piece of furniture. `center` and `half` (3,) are its box in its body frame, doors closed, without handles.

    Attributes:
        front: Yaw in the world of the side from which it is used.
        surfaces: Best first, () if objects cannot be put there.
    """

    name: str
    kind: str
    colour: str
    aliases: tuple[str, ...]
    body: int
    room: str
    front: float
    center: Vec3
    half: Vec3
    surfaces: tuple[SupportSurface, ...]
    articulations: tuple[ArticulationInfo, ...]
    appliance: ApplianceInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInfo(ReceptacleInfo):
    """A person: a destination for handing over objects, as furniture is for putting, but without surfaces.

    Attributes:
        front: Yaw of the viewing direction at the start.
        points_at: Name of the thing that the person points at, None if there is none.
        eyes: Point between the eyes.
        palm: Centre of a hand that is held out, None if there is none; both in the frame of the body.
        hand: Equality constraint by which the person holds a thing, -1 in a house without things.
        joints: Joints x, y and yaw of a walking person, else ().
        path: The points (m) of the person's path, in the world frame.
    """

    posture: Posture
    gesture: Gesture
    points_at: str | None
    eyes: Vec3
    palm: Vec3 | None
    hand: int
    joints: tuple[int, ...] = ()
    path: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInfo:
    """A movable object.

    Attributes:
        half: Half extents of its bounding box when it is upright.
        hollow: The space inside a bowl or a mug; both in the frame of its body. `Extents` gives its bounding box at its
            current pose.
    """

    name: str
    kind: str
    colour: str
    aliases: tuple[str, ...]
    body: int
    half: Vec3
    hollow: Hollow | None


@dataclass(frozen=True, slots=True)
class GeomInfo:
    """The entity that a geom belongs to, and its part: "", door, drawer, handle, button, lamp, books; for people
    `person`, since their names are arbitrary."""

    entity: str
    part: str


@dataclass(frozen=True, slots=True)
class SceneIndex:
    """All entities of a home. `geoms` has every geom of the home (not of the robot) by id; walls are the entity `wall`.
    `looks` has the geoms that show the states of things, by the things' names."""

    rooms: tuple[RoomInfo, ...]
    receptacles: tuple[ReceptacleInfo, ...]
    objects: tuple[ObjectInfo, ...]
    geoms: dict[int, GeomInfo]
    looks: Mapping[str, Mapping[Group, tuple[int, ...]]] = field(default_factory=dict)
    people: tuple[PersonInfo, ...] = ()

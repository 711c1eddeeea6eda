"""The parts of a scene spec, each validated by itself, and their container `SceneParts` for checks and builders.

Frames as in `homie.envs.mujoco.house.spec`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from homie.envs.mujoco.blueprints.catalog import blueprint, object_plan
from homie.envs.mujoco.blueprints.extents import rotation_of, span
from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.envs.mujoco.blueprints.parts import Blueprint, Link, ObjectPlan
from homie.envs.mujoco.blueprints.person import HALF_X, HALF_Y, Gesture, Posture
from homie.envs.mujoco.blueprints.state_parts import tapped
from homie.envs.mujoco.meshes.meshed import mesh_plan
from homie.kernel.errors import suggestion
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.text_pattern import pattern_validator
from homie.kernel.world.household_verbs import states_of

LEAST_ANGLE, LARGEST_ANGLE = 1.45, 2.9
"""Range of the opening angle (rad): the minimum leaves 0.95 m of a doorway of 1.1 m free, the maximum is near the
wall."""
Name = Annotated[
    str,
    Field(max_length=40),
    pattern_validator(
        "[a-z][a-z0-9_]*", "be lower case letters, digits and _, beginning with a letter, such as table_2"
    ),
]
Metres = Annotated[float, Field(ge=-100.0, le=100.0, allow_inf_nan=False)]
Angle = Annotated[float, Field(ge=-2 * math.pi, le=2 * math.pi, allow_inf_nan=False)]


class _Model(PlainNumbers, BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _OmitsDefaults(_Model):
    """A part of a spec that omits the fields in `seldom` from files if they have their defaults, so that files written
    before those fields existed stay unchanged."""

    @model_serializer(mode="wrap")
    def _omit_defaults(self, dump: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields: dict[str, object] = dump(self)
        defaults = {name: field.default for name, field in type(self).model_fields.items() if name in self.seldom}
        default_fields = {name for name, default in defaults.items() if getattr(self, name) == default}
        return {name: value for name, value in fields.items() if name not in default_fields}

    seldom: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that are omitted if they have their defaults."""


class RoomSpec(_Model):
    """A room: the rectangle between the centre lines of its walls."""

    name: Name
    kind: Literal["kitchen", "living room", "bedroom", "bathroom", "dining room", "study"]
    x0: Metres
    y0: Metres
    x1: Metres
    y1: Metres
    floor: Literal["wood", "tiles", "carpet"] = "wood"

    @model_validator(mode="after")
    def _check_size(self) -> RoomSpec:
        if self.x1 - self.x0 < 2.0 or self.y1 - self.y0 < 2.0:
            raise ValueError(f"room '{self.name}' must be at least 2 m by 2 m with x0 < x1 and y0 < y1")
        return self

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point is in the room and at least `margin` metres from its walls' centre lines."""
        return self.x0 + margin <= x <= self.x1 - margin and self.y0 + margin <= y <= self.y1 - margin


class LeafSpec(_Model):
    """The door in a doorway.

    Attributes:
        into: The room that it opens into.
        hinge: The side of its hinge as seen from that room.
        angle: Its opening angle at the start (rad); it keeps its angle until something pushes it.
    """

    into: Name
    hinge: Literal["left", "right"] = "left"
    angle: Annotated[float, Field(ge=LEAST_ANGLE, le=LARGEST_ANGLE)] = 1.6


class DoorwaySpec(_OmitsDefaults):
    """An opening in the wall between two rooms, centred at (x, y) on their common edge, with or without a door."""

    seldom: ClassVar[tuple[str, ...]] = ("leaf",)

    rooms: tuple[Name, Name]
    x: Metres
    y: Metres
    width: Annotated[float, Field(ge=0.9, le=3.0)] = 1.1
    leaf: LeafSpec | None = None

    @model_validator(mode="after")
    def _check_leaf_room(self) -> DoorwaySpec:
        if self.leaf is not None and self.leaf.into not in self.rooms:
            raise ValueError(f"the door between '{self.rooms[0]}' and '{self.rooms[1]}' opens into '{self.leaf.into}'")
        return self


class FurnitureSpec(_OmitsDefaults):
    """A piece of furniture: the pose of its centre (the front faces along `yaw`), its size and its state.

    Attributes:
        width, depth, height: Metres, None for the default size of the kind.
        stands_on: Name of the piece it stands on, None for the floor.
        open: Opening of its door or drawer, 0 to 1.
        on: Whether an appliance is on.
        states: States (`clean`) that differ from the defaults, in a scene with states.
    """

    seldom: ClassVar[tuple[str, ...]] = ("states",)

    name: Name
    kind: str
    colour: str
    room: Name
    x: Metres
    y: Metres
    yaw: Angle = 0.0
    stands_on: Name | None = None
    width: float | None = None
    depth: float | None = None
    height: float | None = None
    hinge: Literal["left", "right"] = "left"
    open: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    on: bool = False
    states: Mapping[str, bool] = {}

    @model_validator(mode="after")
    def _check_blueprint(self) -> FurnitureSpec:
        plan = self.blueprint
        if self.open and not plan.articulations:
            raise ValueError(f"'{self.name}' has neither a door nor a drawer, so it cannot be open")
        if self.on and not plan.powered:
            raise ValueError(f"'{self.name}' is not an appliance, so it cannot be on")
        return self

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint of the piece with its size."""
        return blueprint(self.kind, self.colour, self.width, self.depth, self.height, self.hinge)

    def corners(self, margin: float = 0.0) -> tuple[tuple[float, float], ...]:
        """The four footprint corners in the world, grown by `margin`, counter-clockwise."""
        plan, c, s = self.blueprint, math.cos(self.yaw), math.sin(self.yaw)
        a, b = plan.half_x + margin, plan.half_y + margin
        return tuple((self.x + c * u - s * v, self.y + s * u + c * v) for u, v in ((a, b), (-a, b), (-a, -b), (a, -b)))

    def panels(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the corners (x, y) in the world frame of each open door, and of the floor under each open drawer or
        flap. Lids, sliding doors and closed doors have none."""
        links = self.blueprint.articulations if self.open else ()
        return tuple(corners for link in links if (corners := self._panel(link)))

    def _panel(self, link: Link) -> tuple[tuple[float, float], ...]:
        """Return the corners of the floor area that an open link covers; () if that is inside the footprint."""
        plan = self.blueprint
        local: tuple[tuple[float, float], ...]
        if link.kind == "slide" or link.turns_level:
            if not link.stands_out:
                return ()
            share = self.open if link.kind == "slide" else math.sin(self.open * link.upper)
            a, b, reach = plan.half_x, plan.half_y, share * link.stands_out
            local = ((a + reach, b), (a, b), (a, -b), (a + reach, -b))
        else:
            turn = self.open * link.upper * link.axis[2]
            c, s = math.cos(turn), math.sin(turn)
            (thick, half_y, _), (_, middle, _) = link.parts[0].size, link.parts[0].pos
            rim = (
                (2 * thick, middle + half_y),
                (0.0, middle + half_y),
                (0.0, middle - half_y),
                (2 * thick, middle - half_y),
            )
            local = tuple((link.pos[0] + c * u - s * v, link.pos[1] + s * u + c * v) for u, v in rim)
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return tuple((self.x + c * u - s * v, self.y + s * u + c * v) for u, v in local)


class MeshSpec(_Model):
    """A mesh that replaces the visual shape of an object.

    Attributes:
        sha256: SHA-256 of the mesh and of the files that it refers to, "" for any.
    """

    file: Annotated[str, Field(min_length=1, max_length=4096)]
    sha256: Annotated[str, pattern_validator("([0-9a-f]{64})?", "be a SHA-256: 64 digits of 0-9 and a-f")] = ""


class ObjectSpec(_OmitsDefaults):
    """A movable object, on a surface of a piece of furniture or on the floor of a room.

    Attributes:
        x, y, yaw: In the frame of the surface; in the world if `receptacle` is a room and `surface` is `floor`.
        pitch, roll: Rotations about the object's y and x (rad), 0 if it is upright.
        z: Height of its centre above the surface (m); None if it stands on the surface itself. Objects on, in or
            leaning against another have a z.
        states: States (`homie.kernel.world.household_verbs.STATES`) that differ from the defaults, in a scene with
            states.
        mesh: Mesh for its appearance; None for the default shape of its kind.
    """

    seldom: ClassVar[tuple[str, ...]] = ("z", "pitch", "roll", "states", "mesh")

    name: Name
    kind: str
    colour: str
    receptacle: Name
    surface: str
    x: Metres
    y: Metres
    yaw: Angle = 0.0
    z: Metres | None = None
    pitch: Angle = 0.0
    roll: Angle = 0.0
    states: Mapping[str, bool] = {}
    mesh: MeshSpec | None = None

    @model_validator(mode="after")
    def _check_blueprint(self) -> ObjectSpec:
        object_plan(self.kind, self.colour)
        return self

    @property
    def plan(self) -> ObjectPlan:
        """The blueprint of the object. Raises BadInput for a mesh that cannot be read."""
        if self.mesh is None:
            return object_plan(self.kind, self.colour)
        return mesh_plan(self.kind, self.colour, self.mesh.file, self.mesh.sha256)

    @property
    def stands(self) -> bool:
        """Whether it stands upright on its surface."""
        return self.z is None and self.pitch == 0.0 and self.roll == 0.0

    @property
    def footprint(self) -> tuple[float, float]:
        """Half extents (m) of its bounding box along the surface's axes, from its centre."""
        if self.stands:
            a, b, _ = self.plan.half
            c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
            return a * c + b * s, a * s + b * c
        low, high = span(self.plan, rotation_of(self.yaw, self.pitch, self.roll))
        return max(-float(low[0]), float(high[0])), max(-float(low[1]), float(high[1]))

    @property
    def heights(self) -> tuple[float, float]:
        """Heights (m) of its lowest and highest points relative to its centre."""
        if self.stands:
            return -self.plan.half[2], self.plan.half[2]
        low, high = span(self.plan, rotation_of(self.yaw, self.pitch, self.roll))
        return float(low[2]), float(high[2])

    def corners(self) -> tuple[tuple[float, float], ...]:
        """The four corners of its footprint, counter-clockwise, in the frame of x and y."""
        a, b = self.footprint
        return tuple((self.x + u, self.y + v) for u, v in ((a, b), (-a, b), (-a, -b), (a, -b)))


class PersonSpec(_OmitsDefaults):
    """A person: a mannequin that stands or sits on the floor of a room.

    Attributes:
        id: Name of the person.
        position: Position on the floor, in the world frame (m).
        facing: Viewing direction, degrees from +x towards +y.
        colour: Colour of the shirt.
        points_at: Name of the furniture, object or person that a pointing arm points at.
        path: Points in the world frame (m) to which the person walks one after another once the robot is near; () for a
            person who stays.
    """

    seldom: ClassVar[tuple[str, ...]] = ("posture", "gesture", "points_at", "path")

    id: Name
    position: tuple[Metres, Metres]
    facing: Annotated[float, Field(ge=-360.0, le=360.0, allow_inf_nan=False)] = 0.0
    colour: str = "blue"
    posture: Posture = "standing"
    gesture: Gesture = "none"
    points_at: Name | None = None
    path: tuple[tuple[Metres, Metres], ...] = ()

    @model_validator(mode="after")
    def _check_consistency(self) -> PersonSpec:
        if self.colour not in COLOURS:
            hint = suggestion(self.colour, COLOURS, f"known colours: {', '.join(COLOURS)}")
            raise ValueError(f"unknown colour '{self.colour}' of '{self.id}' ({hint})")
        if (self.points_at is None) is (self.gesture == "pointing"):
            raise ValueError(f'\'{self.id}\' needs both "gesture": "pointing" and points_at, or neither')
        if self.path and self.posture == "sitting":
            raise ValueError(f"'{self.id}' sits, so it cannot walk a path")
        return self

    @property
    def yaw(self) -> float:
        """The viewing direction (rad)."""
        return math.radians(self.facing)

    def corners(self, margin: float = 0.0) -> tuple[tuple[float, float], ...]:
        """The four footprint corners in the world, grown by `margin`, counter-clockwise."""
        (x, y), c, s = self.position, math.cos(self.yaw), math.sin(self.yaw)
        a, b = HALF_X + margin, HALF_Y + margin
        return tuple((x + c * u - s * v, y + s * u + c * v) for u, v in ((a, b), (-a, b), (-a, -b), (a, -b)))


class StartSpec(_Model):
    """The start pose of the robot's base."""

    x: Metres
    y: Metres
    yaw: Angle = 0.0


class SceneParts(_OmitsDefaults):
    """All parts of a house. Whether they fit together is checked in `SceneSpec`.

    Attributes:
        states: Whether things can be sliced, filled and so on by the household rules, and sinks have water.
    """

    seldom: ClassVar[tuple[str, ...]] = ("people", "states")

    version: Literal[1] = 1
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    rooms: Annotated[tuple[RoomSpec, ...], Field(min_length=1, max_length=12)]
    doorways: tuple[DoorwaySpec, ...] = ()
    furniture: tuple[FurnitureSpec, ...] = ()
    objects: tuple[ObjectSpec, ...] = ()
    people: tuple[PersonSpec, ...] = ()
    robot: StartSpec
    states: bool = False

    @property
    def states_at_start(self) -> dict[str, dict[str, bool]]:
        """Initial states of all things that can have states, by name."""
        if not self.states:
            return {}
        entities: tuple[FurnitureSpec | ObjectSpec, ...] = (*self.furniture, *self.objects)
        states = {item.name: {**states_of(item.kind), **item.states} for item in entities}
        return {name: initial for name, initial in states.items() if initial}

    def blueprint(self, piece: FurnitureSpec) -> Blueprint:
        """Return the blueprint of a piece in this scene: with states a sink has a tap with running water."""
        return tapped(piece.blueprint) if self.states else piece.blueprint

    def room_at(self, x: float, y: float) -> str:
        """Return the room of a point on the floor (m); "" outside."""
        return next((room.name for room in self.rooms if room.contains(x, y)), "")

    @property
    def furniture_by_name(self) -> dict[str, FurnitureSpec]:
        """Pieces of furniture by name."""
        return {piece.name: piece for piece in self.furniture}

    def base(self, piece: FurnitureSpec) -> float:
        """Return the height (m) of the floor or the piece that a piece stands on."""
        if piece.stands_on is None:
            return 0.0
        host = self.furniture_by_name[piece.stands_on]
        return self.base(host) + (host.blueprint.support or 0.0)

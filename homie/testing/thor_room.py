"""Rooms of the fake AI2-THOR: a rectangle with the objects that a task names, which have AI2-THOR's properties.
Furniture stands along the walls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from homie.envs.thor.kinds import (
    CONTAINERS,
    INSIDE,
    KITCHEN,
    OPENABLE,
    PICKUPABLE,
    RECEPTACLES,
    SLICEABLE,
    TOGGLEABLE,
    is_slice,
)
from homie.envs.thor.settings import Point, ThorSettings
from homie.envs.thor.snapshot import type_of
from homie.kernel.errors import BadInput

HALF = {True: 0.06, False: 0.25}
"""Half the width, depth and height of an object in m, by whether it can be picked up."""


@dataclass(slots=True)
class Thing:
    """An object in the room.

    Attributes:
        place: Position of its centre, None if it follows from the object that it is in or on.
        parent: objectId of that object, "" for none.
    """

    object_id: str
    object_type: str
    place: Point | None
    parent: str = ""
    opened: bool = False
    on: bool = False
    cut: bool = False
    held: bool = False

    @property
    def pickupable(self) -> bool:
        return self.object_type in PICKUPABLE or is_slice(self.object_type)

    @property
    def half(self) -> float:
        """Half its width, depth and height in m."""
        return HALF[self.pickupable]


@dataclass
class Things:
    """All objects of a room, by objectId."""

    by_id: dict[str, Thing] = field(default_factory=dict)

    def add(self, thing: Thing) -> None:
        self.by_id[thing.object_id] = thing

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.by_id.values())

    @property
    def held(self) -> Thing | None:
        """Held object."""
        return next((thing for thing in self if thing.held), None)

    def within(self, thing: Thing) -> Iterator[Thing]:
        """Yield the objects that it is in or on, from the innermost to the outermost."""
        while thing.parent:
            thing = self.by_id[thing.parent]
            yield thing

    def contents(self, thing: Thing) -> list[Thing]:
        """Return the objects in or on it, directly or indirectly."""
        return [item for item in self if any(outer is thing for outer in self.within(item))]

    def hidden(self, thing: Thing) -> Thing | None:
        """Return the closed container that it is in, if any."""
        return next(
            (outer for outer in self.within(thing) if outer.object_type in CONTAINERS and not outer.opened), None
        )

    def position(self, thing: Thing) -> Point:
        """Return the position of its centre in m."""
        if thing.place is not None:
            return thing.place
        outer = self.by_id[thing.parent]
        siblings = [item.object_id for item in self if item.parent == outer.object_id]
        x, y, z = self.position(outer)
        angle = 2.4 * siblings.index(thing.object_id)  # the golden angle: all positions differ
        radius = 0.6 * outer.half
        height_above = 0.0 if outer.object_type in INSIDE else outer.half + thing.half
        return (x + radius * math.cos(angle), y + height_above, z + radius * math.sin(angle))

    def metadata(self, thing: Thing, *, visible: bool, distance: float) -> dict[str, Any]:
        """Return its metadata as in AI2-THOR."""
        x, y, z = self.position(thing)
        receptacle, opens = thing.object_type in RECEPTACLES, thing.object_type in OPENABLE
        size = 2.0 * thing.half
        return {
            "objectId": thing.object_id,
            "name": thing.object_id.replace("|", "_"),
            "objectType": thing.object_type,
            "position": _vector(x, y, z),
            "rotation": _vector(0.0, 0.0, 0.0),
            "axisAlignedBoundingBox": {"center": _vector(x, y, z), "size": _vector(size, size, size)},
            "visible": visible,
            "distance": distance,
            "pickupable": thing.pickupable,
            "isPickedUp": thing.held,
            "receptacle": receptacle,
            "receptacleObjectIds": [item.object_id for item in self.contents(thing)] if receptacle else None,
            "parentReceptacles": [outer.object_id for outer in self.within(thing)] or None,
            "openable": opens,
            "isOpen": thing.opened,
            "openness": float(thing.opened),
            "toggleable": thing.object_type in TOGGLEABLE,
            "isToggled": thing.on,
            "sliceable": thing.object_type in SLICEABLE,
            "isSliced": thing.cut,
        }


def _vector(x: float, y: float, z: float) -> Mapping[str, float]:
    return {"x": x, "y": y, "z": z}


AGENT = 0.2
"""Radius of the agent in m, as of AI2-THOR's default agent."""
EYE_LEVEL = 0.9
"""Height of the agent's own position above the floor in m, as in AI2-THOR."""
APART = 0.9
"""Distance in m between the centres of neighbouring furniture along a wall."""
FURNITURE_HEIGHT = 0.75
"""Height in m above the floor of the centre of furniture and of objects on it."""
MARGIN = 1.5
"""Margin in m around the outermost object or agent position, for scenes with given positions."""
SUPPORTS = ("CounterTop", "SideTable", "Dresser", "Desk", "Shelf", "CoffeeTable")
"""Furniture for loose objects: the first kind that the task does not name, so that no object is at its goal."""
PER_SUPPORT = 4
"""Maximum number of loose objects on one piece of furniture, so that they have room."""


@dataclass(frozen=True, slots=True)
class Room:
    """Rectangle (x0, z0, x1, z1; m) with objects, and the agent's start: x, y, z (m), rotation, horizon (degrees)."""

    bounds: tuple[float, float, float, float]
    things: Things
    pose: tuple[float, float, float, float, float]

    def blocked_by(self, x: float, z: float) -> str:
        """Return what an agent at this position would collide with: `wall`, an objectId, "" for nothing."""
        x0, z0, x1, z1 = self.bounds
        if not (x0 + AGENT <= x <= x1 - AGENT and z0 + AGENT <= z <= z1 - AGENT):
            return "wall"
        for thing in self.things:
            if thing.pickupable or thing.place is None:
                continue
            reach = AGENT + thing.half - 1e-6  # a cell adjacent to furniture touches it and is free
            if abs(x - thing.place[0]) < reach and abs(z - thing.place[2]) < reach:
                return thing.object_id
        return ""

    def reachable(self, grid: float) -> list[tuple[float, float]]:
        """Return the free cells (x, z) of a grid that contains the agent's start."""
        x0, z0, x1, z1 = self.bounds
        columns, rows = (
            [start + grid * number for number in range(-int((start - low) / grid), int((high - start) / grid) + 1)]
            for start, low, high in ((self.pose[0], x0, x1), (self.pose[2], z0, z1))
        )
        return [(x, z) for x in columns for z in rows if not self.blocked_by(x, z)]


def room_of(settings: ThorSettings) -> Room:
    """Return the room of a scene: the objects that the settings place, then one of each kind they name. Raises
    BadInput."""
    things = Things()
    for object_id, point in settings.things.items():
        thing = Thing(object_id, type_of(object_id), point)
        if thing.pickupable:
            support = _new_thing(_support(settings.kinds), (point[0], FURNITURE_HEIGHT, point[2]), things)
            things.add(support)
            thing.parent = support.object_id
        things.add(thing)
    kinds = settings.kinds or (() if settings.things else KITCHEN)
    furniture, portable = (
        [kind for kind in kinds if (kind in PICKUPABLE) == pickupable] for pickupable in (False, True)
    )
    supports = [_support(kinds)] * -(-len(portable) // PER_SUPPORT)
    bounds = _bounds(settings, len(furniture) + len(supports))
    furniture_pieces = [*supports, *furniture]
    for kind, spot in zip(furniture_pieces, _along_walls(bounds, len(furniture_pieces)), strict=True):
        things.add(_new_thing(kind, spot, things))
    bases = [thing for thing in things if thing.object_type in supports]
    for number, kind in enumerate(portable):
        support_base = bases[number // PER_SUPPORT]
        item = _new_thing(kind, things.position(support_base), things)
        item.place, item.parent = None, support_base.object_id
        things.add(item)
    _fit_basins(things)
    pose = settings.pose or (*_middle(bounds), 0.0, 0.0)
    for object_id in settings.hidden:
        things.by_id.pop(object_id, None)
    room = Room(bounds, things, pose)
    if blocker := room.blocked_by(pose[0], pose[2]):
        raise BadInput(f"pose: the agent would stand in {blocker}: give a free place, or leave it out.")
    return room


def _support(kinds: Sequence[str]) -> str:
    return next((kind for kind in SUPPORTS if kind not in kinds), SUPPORTS[0])


def _bounds(settings: ThorSettings, pieces: int) -> tuple[float, float, float, float]:
    """Return bounds around all given positions; without any, a square with room for the furniture along its walls."""
    places = [(point[0], point[2]) for point in settings.things.values()]
    if settings.pose is not None:
        places.append((settings.pose[0], settings.pose[2]))
    side = max(4.0, APART * (pieces / 4.0 + 2.0))
    if not places:
        return (0.0, 0.0, side, side)
    xs, zs = zip(*places, strict=True)
    return (min(xs) - MARGIN, min(zs) - MARGIN, max(xs) + MARGIN, max(zs) + MARGIN)


def _middle(bounds: tuple[float, float, float, float]) -> Point:
    x0, z0, x1, z1 = bounds
    return ((x0 + x1) / 2.0, EYE_LEVEL, (z0 + z1) / 2.0)


def _along_walls(bounds: tuple[float, float, float, float], number: int) -> list[Point]:
    """Return positions for a number of pieces of furniture, side by side along the walls."""
    x0, z0, x1, z1 = bounds
    inset = APART / 2.0
    wide, deep = x1 - x0 - 2.0 * inset, z1 - z0 - 2.0 * inset
    perimeter = 2.0 * (wide + deep)
    points: list[Point] = []
    for index in range(number):
        at = perimeter * index / max(number, 1)
        for length, wall_axis in (
            (wide, lambda s: (x0 + inset + s, z1 - inset)),
            (deep, lambda s: (x1 - inset, z1 - inset - s)),
            (wide, lambda s: (x1 - inset - s, z0 + inset)),
            (deep, lambda s: (x0 + inset, z0 + inset + s)),
        ):
            if at < length:
                x, z = wall_axis(at)
                points.append((x, FURNITURE_HEIGHT, z))
                break
            at -= length
    return points


def _new_thing(kind: str, spot: Point, things: Things) -> Thing:
    """Return a new object with an unused id in AI2-THOR's form."""
    x, y, z = spot
    while (object_id := f"{kind}|{x:+06.2f}|{y:+06.2f}|{z:+06.2f}") in things.by_id:
        x += 0.01
    return Thing(object_id, kind, spot)


def _fit_basins(things: Things) -> None:
    """Put basins into their sinks and bathtubs: in AI2-THOR each pair is one piece."""
    for part, host_type in (("SinkBasin", "Sink"), ("BathtubBasin", "Bathtub")):
        hosts = [thing for thing in things if thing.object_type == host_type]
        parts = [thing for thing in things if thing.object_type == part]
        for inner, outer in zip(parts, hosts, strict=False):
            inner.place = outer.place

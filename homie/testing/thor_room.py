"""The rooms of the fake AI2-THOR: one rectangle with what a task names in it, objects with AI2-THOR's properties.
Furniture stands along its walls."""

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
"""Half the width, depth and height of an object (m), by whether it can be picked up."""


@dataclass(slots=True)
class Thing:
    """An object.

    Attributes:
        place: Where its middle is, None where that follows from what it is in or on.
        parent: The objectId of that, "" for none.
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
        """Half its width, depth and height, m."""
        return HALF[self.pickupable]


@dataclass
class Things:
    """All objects of a room, by their ids."""

    by_id: dict[str, Thing] = field(default_factory=dict)

    def add(self, thing: Thing) -> None:
        self.by_id[thing.object_id] = thing

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.by_id.values())

    @property
    def held(self) -> Thing | None:
        """The held object."""
        return next((thing for thing in self if thing.held), None)

    def within(self, thing: Thing) -> Iterator[Thing]:
        """What it is in or on, and so on outwards."""
        while thing.parent:
            thing = self.by_id[thing.parent]
            yield thing

    def contents(self, thing: Thing) -> list[Thing]:
        """What is in or on it, directly or in something that is."""
        return [item for item in self if any(outer is thing for outer in self.within(item))]

    def hidden(self, thing: Thing) -> Thing | None:
        """The closed container that it is in."""
        return next(
            (outer for outer in self.within(thing) if outer.object_type in CONTAINERS and not outer.opened), None
        )

    def position(self, thing: Thing) -> Point:
        """Its middle, m."""
        if thing.place is not None:
            return thing.place
        outer = self.by_id[thing.parent]
        siblings = [item.object_id for item in self if item.parent == outer.object_id]
        x, y, z = self.position(outer)
        angle = 2.4 * siblings.index(thing.object_id)  # the golden angle: no two lie at the same place
        radius = 0.6 * outer.half
        height_above = 0.0 if outer.object_type in INSIDE else outer.half + thing.half
        return (x + radius * math.cos(angle), y + height_above, z + radius * math.sin(angle))

    def metadata(self, thing: Thing, *, visible: bool, distance: float) -> dict[str, Any]:
        """What AI2-THOR tells of it."""
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
"""Metres of the agent's radius, as AI2-THOR's default agent has it."""
EYE_LEVEL = 0.9
"""Metres of the agent's own position above the floor, as in AI2-THOR."""
APART = 0.9
"""Metres between the middles of two pieces of furniture that stand along a wall."""
FURNITURE_HEIGHT = 0.75
"""Metres above the floor of the middle of furniture and of what lies on it."""
MARGIN = 1.5
"""Metres from the outermost thing or place of the agent to the wall, where a task says where they are."""
SUPPORTS = ("CounterTop", "SideTable", "Dresser", "Desk", "Shelf", "CoffeeTable")
"""Furniture to put loose things on, the first that the task does not name: so nothing is where it has to go."""
PER_SUPPORT = 4
"""Loose things on one piece of furniture, with room between them."""


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangle (x0, z0, x1, z1; m) with things in it, and where the agent begins: x, y, z, rotation, horizon."""

    bounds: tuple[float, float, float, float]
    things: Things
    pose: tuple[float, float, float, float, float]

    def blocked_by(self, x: float, z: float) -> str:
        """What an agent that stands there would be in: `wall`, an objectId, "" for nothing."""
        x0, z0, x1, z1 = self.bounds
        if not (x0 + AGENT <= x <= x1 - AGENT and z0 + AGENT <= z <= z1 - AGENT):
            return "wall"
        for thing in self.things:
            if thing.pickupable or thing.place is None:
                continue
            reach = AGENT + thing.half - 1e-6  # a cell beside furniture touches it and is free
            if abs(x - thing.place[0]) < reach and abs(z - thing.place[2]) < reach:
                return thing.object_id
        return ""

    def reachable(self, grid: float) -> list[tuple[float, float]]:
        """The free cells (x, z) of a grid through where the agent begins."""
        x0, z0, x1, z1 = self.bounds
        columns, rows = (
            [start + grid * number for number in range(-int((start - low) / grid), int((high - start) / grid) + 1)]
            for start, low, high in ((self.pose[0], x0, x1), (self.pose[2], z0, z1))
        )
        return [(x, z) for x in columns for z in rows if not self.blocked_by(x, z)]


def room_of(settings: ThorSettings) -> Room:
    """The room of a scene: what the settings place, then a piece for each kind that they name. Raises BadInput."""
    things = Things()
    for object_id, point in settings.things.items():
        thing = Thing(object_id, type_of(object_id), point)
        if thing.pickupable:
            support = _numbered(_support(settings.kinds), (point[0], FURNITURE_HEIGHT, point[2]), things)
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
        things.add(_numbered(kind, spot, things))
    bases = [thing for thing in things if thing.object_type in supports]
    for number, kind in enumerate(portable):
        support_base = bases[number // PER_SUPPORT]
        item = _numbered(kind, things.position(support_base), things)
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
    """Around what has a place; where nothing has, a square with room for its furniture along the walls."""
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
    """Places for so many pieces of furniture, side by side along the walls."""
    x0, z0, x1, z1 = bounds
    inset = APART / 2.0
    wide, deep = x1 - x0 - 2.0 * inset, z1 - z0 - 2.0 * inset
    way = 2.0 * (wide + deep)
    points: list[Point] = []
    for index in range(number):
        at = way * index / max(number, 1)
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


def _numbered(kind: str, spot: Point, things: Things) -> Thing:
    """A thing with an id of AI2-THOR's form, of which there is none yet."""
    x, y, z = spot
    while (object_id := f"{kind}|{x:+06.2f}|{y:+06.2f}|{z:+06.2f}") in things.by_id:
        x += 0.01
    return Thing(object_id, kind, spot)


def _fit_basins(things: Things) -> None:
    """Put basins into their sinks and bathtubs, and faucets above the first: they are one piece in AI2-THOR."""
    for part, host_type in (("SinkBasin", "Sink"), ("BathtubBasin", "Bathtub")):
        wholes = [thing for thing in things if thing.object_type == host_type]
        parts = [thing for thing in things if thing.object_type == part]
        for inner, outer in zip(parts, wholes, strict=False):
            inner.place = outer.place

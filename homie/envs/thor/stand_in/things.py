"""What stands in a room of the stand-in: an object with AI2-THOR's properties, as its metadata tell them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from homie.envs.thor.kinds import CONTAINERS, INSIDE, OPENABLE, PICKUPABLE, RECEPTACLES, SLICEABLE, TOGGLEABLE, is_slice
from homie.envs.thor.settings import Point

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
        beside = [item.object_id for item in self if item.parent == outer.object_id]
        x, y, z = self.position(outer)
        angle = 2.4 * beside.index(thing.object_id)  # the golden angle: no two lie at the same place
        radius = 0.6 * outer.half
        above = 0.0 if outer.object_type in INSIDE else outer.half + thing.half
        return (x + radius * math.cos(angle), y + above, z + radius * math.sin(angle))

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

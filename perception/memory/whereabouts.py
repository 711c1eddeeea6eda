"""Places of remembered entities in words: the room, and the furniture or object that they are on or in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from perception.memory.clouds import within
from perception.memory.memory import Things
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import LooseObject
from perception.memory.support_relations import BOARDS, ON_TOP, holder_of

ON_FLOOR = 0.15
"""Height (m) of its underside, the least accurate side, up to which an object is assumed to lie on the floor."""
RAISED = 0.3
"""Height (m) of its underside from which furniture is assumed to stand on other furniture."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Place of an entity.

    Attributes:
        room, holder: Entities, "" if unknown.
        word: `on` or `in`, the relation to the holder; `on the floor` without a holder.
    """

    room: str = ""
    word: str = ""
    holder: str = ""


def whereabouts(item: Furniture | LooseObject, things: Things, held: str | None) -> Whereabouts:
    """Return the place of an entity at its last known position.

    Args:
        held: The held object, which is not a possible holder.
    """
    return Whereabouts(things.room_with(item), *_place(item, things, held))


def _place(item: Furniture | LooseObject, things: Things, held: str | None) -> tuple[str, str]:
    bottom = float(item.box.center[2] - item.box.half[2])
    furniture = [other for other in things.furniture.values() if other is not item]
    if isinstance(item, LooseObject):
        if item.container in things.furniture:
            return "in", item.container
        for entity, other in things.objects.items():
            if other is not item and entity != held and _holds(other, item):
                return "in", entity
        if bottom < ON_FLOOR:
            return "on the floor", ""
    elif bottom < RAISED:
        return "", ""
    else:
        furniture = [
            holder for holder in furniture if not holder.opens
        ]  # a worktop is not an object on the drawers under it
    holder = holder_of(item.box, furniture)
    if holder is None or (isinstance(item, Furniture) and not _carries(holder[1], bottom)):
        return "", ""
    return holder[0], holder[1].identity.entity


def _carries(holder: Furniture, bottom: float) -> bool:
    """Whether furniture with its underside at a height (m) stands on the holder, not just within its outline."""
    top = float(holder.box.center[2] + holder.box.half[2])
    return abs(bottom - top) < ON_TOP or holder.identity.kind in BOARDS


def _holds(bowl: LooseObject, item: LooseObject) -> bool:
    """Whether an object is in a hollow one; of two nested bowls, the smaller is in the larger."""
    if not (bowl.hollow and within(bowl.box, item.box.center)):
        return False
    is_inside = item.hollow and within(item.box, bowl.box.center)
    return not (is_inside and float(item.box.half[:2].max()) > float(bowl.box.half[:2].max()))


def resolve_contradictions(places: Mapping[str, Whereabouts], furniture: Collection[str]) -> dict[str, Whereabouts]:
    """Resolve contradictions between places, for a planner.

    Furniture can only be on furniture, relations have no cycles, and an entity is in the same room as its holder.

    Args:
        places: Place of every entity, from geometry.
        furniture: Entities of furniture.
    """
    result = dict(places)
    for entity, place in places.items():
        if entity in furniture and place.holder and place.holder not in furniture:
            result[entity] = Whereabouts(place.room)
    for entity in places:
        outwards = [entity]
        while (holder := result[outwards[-1]].holder) in result and holder not in outwards:
            outwards.append(holder)
        if holder in outwards:
            result[entity] = Whereabouts(result[entity].room)
        elif room := next((result[name].room for name in reversed(outwards) if result[name].room), ""):
            result[entity] = replace(result[entity], room=room)
    return result

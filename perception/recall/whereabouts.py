"""Where a remembered thing is, as one would say it: in which room, on or in what."""

from __future__ import annotations

from dataclasses import dataclass

from perception.scene.entities import Furniture, LooseObject, within
from perception.scene.places import holder_of
from perception.scene.things import Things

ON_FLOOR = 0.15
"""Height (m) of its underside, which is seen least well, up to which a thing is taken to lie on the floor."""
RAISED = 0.3
"""The same from which furniture stands on other furniture."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """room, holder: entities, "" where not known. word: `on` or `in`, what the thing is to its holder; `on the floor`
    by itself."""

    room: str = ""
    word: str = ""
    holder: str = ""


def whereabouts(item: Furniture | LooseObject, things: Things, held: str | None) -> Whereabouts:
    """Where a thing is, by where it was seen last. held: what is in the hand, which holds nothing."""
    return Whereabouts(things.room_with(item), *_place(item, things, held))


def _place(item: Furniture | LooseObject, things: Things, held: str | None) -> tuple[str, str]:
    bottom = float(item.box.center[2] - item.box.half[2])
    furniture = [other for other in things.furniture.values() if other is not item]
    if isinstance(item, LooseObject):
        if item.container in things.furniture:
            return "in", item.container
        for entity, other in things.objects.items():
            if other is not item and other.hollow and entity != held and within(other.box, item.box.center):
                return "in", entity
        if bottom < ON_FLOOR:
            return "on the floor", ""
    elif bottom < RAISED:
        return "", ""
    else:
        furniture = [
            holder for holder in furniture if not holder.opens
        ]  # a worktop is no thing on the drawers under it
    holder = holder_of(item.box, furniture)
    return ("", "") if holder is None else (holder[0], holder[1].identity.entity)

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


def whereabouts(thing: Furniture | LooseObject, things: Things, held: str | None) -> Whereabouts:
    """Where a thing is, by where it was seen last. held: what is in the hand, which holds nothing."""
    return Whereabouts(things.room_with(thing), *_place(thing, things, held))


def _place(thing: Furniture | LooseObject, things: Things, held: str | None) -> tuple[str, str]:
    bottom = float(thing.box.center[2] - thing.box.half[2])
    furniture = [one for one in things.furniture.values() if one is not thing]
    if isinstance(thing, LooseObject):
        if thing.container in things.furniture:
            return "in", thing.container
        for entity, other in things.objects.items():
            if other is not thing and other.hollow and entity != held and within(other.box, thing.box.center):
                return "in", entity
        if bottom < ON_FLOOR:
            return "on the floor", ""
    elif bottom < RAISED:
        return "", ""
    else:
        furniture = [one for one in furniture if not one.opens]  # a worktop is no thing on the drawers under it
    holder = holder_of(thing.box, furniture)
    return ("", "") if holder is None else (holder[0], holder[1].identity.entity)

"""Errands on a table: a sentence with slots, and the objects for them, from the conditions of its scene."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from homie.envs.mujoco.table.table_scene import TableScene, Thing
from homie.kernel.world.predicates import In, Is, Sorted, Stacked
from suites.authoring.homie_eb.table_references import UnsuitedScene

PICK = (
    "Pick up {x} and place it into {place}.",
    "Put {x} into {place}.",
    "Take {x} and let it fall into {place}.",
)
STACK = ("Put {b} on top of {a}.", "Stack {b} on {a}.", "Set {b} down on {a}.")
SORT = ("Drop {x} through its own hole of {place}.", "Put {x} through the hole of {place} that fits it.")
WIPE = ("Wipe {area} with {tool}.", "Take {tool} and wipe {area}.", "Use {tool} to wipe {area} clean.")


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A text with slots.

    Attributes:
        text: The text with the slots of `about`.
        about: Objects and places by slot.
    """

    text: str
    about: Mapping[str, Thing]


def errand(scene: TableScene, rng: random.Random) -> TaskTemplate:
    """Word the instruction of a scene, sampled from those of its family. Raises UnsuitedScene for a tower of three,
    which takes more actions than EB-Manipulation allows."""
    for condition in scene.conditions:
        match condition:
            case In(pair=(str() as name, str() as place)):
                return TaskTemplate(rng.choice(PICK), {"x": scene.thing(name), "place": scene.thing(place)})
            case Sorted(pair=(str() as name, str() as place)):
                return TaskTemplate(rng.choice(SORT), {"x": scene.thing(name), "place": scene.thing(place)})
            case Stacked(stacked=(str() as below, str() as above)):
                return TaskTemplate(rng.choice(STACK), {"a": scene.thing(below), "b": scene.thing(above)})
            case Is(in_state=(str() as name, "wiped")):
                sponge = next(item for item in scene.things if item.kind == "sponge")
                return TaskTemplate(rng.choice(WIPE), {"area": scene.thing(name), "tool": sponge})
    raise UnsuitedScene("a tower of three takes too long")

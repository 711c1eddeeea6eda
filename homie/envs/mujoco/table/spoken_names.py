"""How instructions speak of the things on the table: by colour, by shape, by where they are.

Left and right, in front and behind are as in the picture of the front camera, which looks at the robot: y grows to the
right, x to the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.table.table_scene import Subset, Thing

RELATIONS: dict[str, tuple[int, int]] = {
    "left of": (1, -1),
    "right of": (1, 1),
    "behind": (0, -1),
    "in front of": (0, 1),
}
"""Axis (x, y) and sign."""
CLEARLY = 0.06
"""Metres from which a thing is on one side of another; what is nearer is on neither side for certain."""


def related(item: Thing, relation: str, other: Thing) -> bool | None:
    """Whether a thing is on that side of another; None where nobody could tell."""
    axis, sign = RELATIONS[relation]
    delta = sign * ((item.x, item.y)[axis] - (other.x, other.y)[axis])
    return None if abs(delta) < CLEARLY else delta > 0


def by_look(item: Thing, things: Sequence[Thing]) -> str | None:
    """`the red cube`, or None if there are several."""
    lookalikes = [other for other in things if (other.kind, other.colour) == (item.kind, item.colour)]
    return f"the {item.colour} {item.kind}" if len(lookalikes) == 1 else None


def by_kind(item: Thing, things: Sequence[Thing]) -> str | None:
    """`the cube`, or None if there are several."""
    return f"the {item.kind}" if sum(other.kind == item.kind for other in things) == 1 else None


def by_relation(
    item: Thing, things: Sequence[Thing], rng: np.random.Generator, *, moving: Sequence[Thing] = ()
) -> str | None:
    """`the cube left of the green star`, where there are several cubes and only this one can be meant; else None.

    Args:
        moving: Things that the task moves or changes; a place beside them would be another one later.
    """
    rivals = [other for other in things if other.kind == item.kind and other is not item]
    if not rivals:
        return None
    phrases = []
    for other in things:
        name = by_look(other, things)
        if other is item or other in moving or name is None:
            continue
        for relation in RELATIONS:
            related_rivals = [related(rival, relation, other) for rival in rivals if rival is not other]
            if related(item, relation, other) and all(answer is False for answer in related_rivals):
                phrases.append(f"the {item.kind} {relation} {name}")
    return str(rng.choice(phrases)) if phrases else None


@dataclass(frozen=True, slots=True)
class Reference:
    """How an instruction speaks of a thing: the words in the sentence, and the sentence before it that it needs.

    A place beside something has a sentence of its own (`Find the cube left of the star.`, then `this cube`):
    behind the words for a place no further words can be taken for a part of them.
    """

    words: str
    subset: Subset
    before: str = ""


def spatial_reference(place_words: str, item: Thing) -> Reference:
    """A thing by words for its place."""
    return Reference(f"this {item.kind}", "spatial", f"Find {place_words}. ")


def reference(item: Thing, things: Sequence[Thing]) -> Reference:
    """A thing by its colour or, now and then, by its kind alone. It can mean no other: no two things look the same."""
    kind_words = by_kind(item, things)
    look = by_look(item, things)
    assert look is not None
    return Reference(look, "visual" if kind_words is None else "base")


def references(
    chosen: Sequence[Thing], things: Sequence[Thing], rng: np.random.Generator, *, moving: Sequence[Thing] = ()
) -> list[Reference]:
    """One way to speak of each of the chosen things, at most one of them by its place."""
    chosen_references: list[Reference] = []
    for item in chosen:
        ways = [reference(item, things)]
        if (kind_words := by_kind(item, things)) is not None:
            ways.append(Reference(kind_words, "base"))
        place = by_relation(item, things, rng, moving=(*chosen, *moving))
        if place is not None and all(not reference.before for reference in chosen_references):
            ways.append(spatial_reference(place, item))
        chosen_references.append(ways[int(rng.integers(len(ways)))])
    return chosen_references


def subset_of(chosen_references: Sequence[Reference]) -> Subset:
    """What tells the things of an instruction apart: `spatial`, places; `visual`, looks; `base`, their kinds do."""
    for subset in ("spatial", "visual"):
        if any(reference.subset == subset for reference in chosen_references):
            return subset
    return "base"

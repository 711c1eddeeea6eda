"""Referring expressions for objects on the table: by colour, by shape, by spatial relation.

Left and right, in front and behind are as in the image of the front camera, which faces the robot: y increases to the
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
"""Axis index (x, y) and sign of each relation."""
CLEARLY = 0.06
"""Minimum offset (m) for a spatial relation between two objects; below it the relation is ambiguous."""


def related(item: Thing, relation: str, other: Thing) -> bool | None:
    """Whether an object is in a spatial relation to another; None if that is ambiguous."""
    axis, sign = RELATIONS[relation]
    delta = sign * ((item.x, item.y)[axis] - (other.x, other.y)[axis])
    return None if abs(delta) < CLEARLY else delta > 0


def by_look(item: Thing, things: Sequence[Thing]) -> str | None:
    """Return a name by colour and kind, such as `the red cube`, or None if there are several."""
    lookalikes = [other for other in things if (other.kind, other.colour) == (item.kind, item.colour)]
    return f"the {item.colour} {item.kind}" if len(lookalikes) == 1 else None


def by_kind(item: Thing, things: Sequence[Thing]) -> str | None:
    """Return a name by kind, such as `the cube`, or None if there are several."""
    return f"the {item.kind}" if sum(other.kind == item.kind for other in things) == 1 else None


def by_relation(
    item: Thing, things: Sequence[Thing], rng: np.random.Generator, *, moving: Sequence[Thing] = ()
) -> str | None:
    """Return a unique name by relation, such as `the cube left of the green star`, if there are several cubes; or None.

    Args:
        moving: Objects that the task moves or changes; they are no landmarks.
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
    """A referring expression: its words in the instruction, and a sentence that must precede the instruction.

    A spatial relation gets its own sentence (`Find the cube left of the star.`, then `this cube`), so that following
    words cannot be parsed as part of it.
    """

    words: str
    subset: Subset
    before: str = ""


def spatial_reference(place_words: str, item: Thing) -> Reference:
    """Return a reference to an object by words for its place."""
    return Reference(f"this {item.kind}", "spatial", f"Find {place_words}. ")


def reference(item: Thing, things: Sequence[Thing]) -> Reference:
    """Return a reference by colour and kind, which is unique: no two objects look the same."""
    kind_words = by_kind(item, things)
    look = by_look(item, things)
    assert look is not None
    return Reference(look, "visual" if kind_words is None else "base")


def references(
    chosen: Sequence[Thing], things: Sequence[Thing], rng: np.random.Generator, *, moving: Sequence[Thing] = ()
) -> list[Reference]:
    """Sample a reference to each of the chosen objects, at most one of them by its place."""
    chosen_references: list[Reference] = []
    for item in chosen:
        candidates = [reference(item, things)]
        if (kind_words := by_kind(item, things)) is not None:
            candidates.append(Reference(kind_words, "base"))
        place = by_relation(item, things, rng, moving=(*chosen, *moving))
        if place is not None and all(not reference.before for reference in chosen_references):
            candidates.append(spatial_reference(place, item))
        chosen_references.append(candidates[int(rng.integers(len(candidates)))])
    return chosen_references


def subset_of(chosen_references: Sequence[Reference]) -> Subset:
    """Return the hardest kind of reference in an instruction: `spatial`, then `visual`, then `base` (by kind)."""
    for subset in ("spatial", "visual"):
        if any(reference.subset == subset for reference in chosen_references):
            return subset
    return "base"

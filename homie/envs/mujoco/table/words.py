"""How instructions speak of the things on the table: by colour, by shape, by where they are.

Left and right, in front and behind are as in the picture of the front camera, which looks at the robot: y grows to the
right, x to the front.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.envs.mujoco.table.scene import Thing

RELATIONS: dict[str, tuple[int, int]] = {
    "left of": (1, -1),
    "right of": (1, 1),
    "behind": (0, -1),
    "in front of": (0, 1),
}
"""Axis (x, y) and sign."""
CLEARLY = 0.06
"""Metres from which a thing is on one side of another; what is nearer is on neither side for certain."""


def related(one: Thing, relation: str, other: Thing) -> bool | None:
    """Whether a thing is on that side of another; None where nobody could tell."""
    axis, sign = RELATIONS[relation]
    delta = sign * ((one.x, one.y)[axis] - (other.x, other.y)[axis])
    return None if abs(delta) < CLEARLY else delta > 0


def by_look(thing: Thing, things: Sequence[Thing]) -> str | None:
    """`the red cube`, or None if there are several."""
    same = [one for one in things if (one.kind, one.colour) == (thing.kind, thing.colour)]
    return f"the {thing.colour} {thing.kind}" if len(same) == 1 else None


def by_kind(thing: Thing, things: Sequence[Thing]) -> str | None:
    """`the cube`, or None if there are several."""
    return f"the {thing.kind}" if sum(one.kind == thing.kind for one in things) == 1 else None


def by_relation(thing: Thing, things: Sequence[Thing], rng: np.random.Generator) -> str | None:
    """`the cube left of the green star`, where there are several cubes and only this one can be meant; else None."""
    rivals = [one for one in things if one.kind == thing.kind and one is not thing]
    if not rivals:
        return None
    phrases = []
    for other in things:
        name = by_look(other, things)
        if other is thing or name is None:
            continue
        for relation in RELATIONS:
            against = [related(one, relation, other) for one in rivals if one is not other]
            if related(thing, relation, other) and all(said is False for said in against):
                phrases.append(f"the {thing.kind} {relation} {name}")
    return str(rng.choice(phrases)) if phrases else None


def phrase(thing: Thing, things: Sequence[Thing], rng: np.random.Generator) -> str:
    """One of the ways to speak of a thing that can mean no other. There is one: no two things look the same."""
    ways = [way for way in (by_look(thing, things), by_kind(thing, things), by_relation(thing, things, rng)) if way]
    return str(rng.choice(ways))

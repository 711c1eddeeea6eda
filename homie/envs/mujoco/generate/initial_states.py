"""A generated house in which things have states: what its verbs need is there, and some of it is dirty.

The house itself stays as its seed gives it; what comes to it is drawn from a stream of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np

from homie.envs.mujoco.generate.place_objects import Sides, add_objects
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec
from homie.kernel.world.household_verbs import RULES, states_of

_USUAL = ("knife", "sponge", "mug", "bowl", "plate", "bread", "tomato", "potato", "apple")
"""Tools, vessels, something of every look to be cut."""
_ASKED = (kinds for rule in RULES for kinds in (rule.tool, rule.things) if kinds and not kinds & {*_USUAL})
_FURTHER = tuple(dict.fromkeys(min(kinds) for kinds in _ASKED))
"""What further rules ask for. It comes last, by an rng of its own: all else in a house stays as its seed gives it."""
NEEDED = (*_USUAL, *_FURTHER)
"""Kinds of which a house with states has at least one: with them every rule can be at work."""
ON = ("kitchen_counter", "table", "desk", "shelf", "tv_stand")
"""Furniture on which they lie, the kitchen's first."""
DIRTY = 0.5
"""Share of what can be dirty that is."""
STREAM = 16
"""Keeps the rng of states apart from those of a house and of its variations."""


def with_states(scene: SceneSpec, sides: Sides, requested: Collection[str] = ()) -> SceneSpec:
    """The house with states. Raises ValueError with one sentence where there is no room for what it needs, even in the
    place of something else.

    Args:
        requested: Kinds of objects that have to stay, in addition to those that it needs.
    """
    rng = np.random.default_rng([scene.seed, STREAM])
    objects: Sequence[ObjectSpec] = scene.objects
    kept_kinds = {*NEEDED, *requested}
    for kind in _USUAL:
        if not any(item.kind == kind for item in objects):
            objects = _add_object(scene.model_copy(update={"objects": tuple(objects)}), sides, kind, kept_kinds, rng)
    scene = scene.model_copy(
        update={
            "states": True,
            "objects": tuple(_soil_at_random(item, rng) for item in objects),
            "furniture": tuple(_soil_at_random(piece, rng) for piece in scene.furniture),
        }
    )
    for kind in _FURTHER:
        if not any(item.kind == kind for item in scene.objects):
            kind_rng = np.random.default_rng([scene.seed, STREAM, *kind.encode()])
            scene = scene.model_copy(update={"objects": _add_object(scene, sides, kind, kept_kinds, kind_rng)})
    return scene


def _add_object(
    scene: SceneSpec, sides: Sides, kind: str, kept_kinds: Collection[str], rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """The objects with one more of a kind, on the first furniture that has room for it; in a full house in the place of
    something of a kind that need not be kept."""
    kitchens = {room.name for room in scene.rooms if room.kind == "kitchen"}
    places = [piece for piece in scene.furniture if piece.kind in ON and (piece.height or 1.0) > 0.1]
    places.sort(key=lambda piece: (piece.room not in kitchens, ON.index(piece.kind), piece.name))
    for place in places:
        with suppress(ValueError):
            return add_objects(scene, sides, [("", kind, place.name)], rng)
    order = {place.name: rank for rank, place in enumerate(places)}
    removable = [item for item in scene.objects if item.receptacle in order and item.kind not in kept_kinds]
    for other in sorted(removable, key=lambda item: (order[item.receptacle], item.name)):
        fewer = scene.model_copy(update={"objects": tuple(item for item in scene.objects if item is not other)})
        with suppress(ValueError):
            return add_objects(fewer, sides, [("", kind, other.receptacle)], rng)
    raise ValueError(f"there is no room for a {kind}, which a house with states needs")


def _soil_at_random(entity: FurnitureSpec | ObjectSpec, rng: np.random.Generator) -> FurnitureSpec | ObjectSpec:
    if "clean" not in states_of(entity.kind) or rng.random() >= DIRTY:
        return entity
    return entity.model_copy(update={"states": {"clean": False}})

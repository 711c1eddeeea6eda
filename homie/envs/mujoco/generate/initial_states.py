"""Add states to a generated house: it gets the objects that the household verbs need, and some things are dirty.

The house itself stays as its seed gives it; additions are sampled from a separate random stream.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np

from homie.envs.mujoco.generate.place_objects import Sides, add_objects
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec
from homie.kernel.world.household_verbs import RULES, states_of

_BASIC_KINDS = ("knife", "sponge", "mug", "bowl", "plate", "bread", "tomato", "potato", "apple")
"""Tools, vessels, and things to cut of every appearance."""
_UNCOVERED_RULE_KINDS = (
    kinds for rule in RULES for kinds in (rule.tool, rule.things) if kinds and not kinds & {*_BASIC_KINDS}
)
_RULE_KINDS = tuple(dict.fromkeys(min(kinds) for kinds in _UNCOVERED_RULE_KINDS))
"""Kinds that other rules need. They are added last with a separate rng, so that all else in a house stays the same."""
NEEDED = (*_BASIC_KINDS, *_RULE_KINDS)
"""Kinds of which a house with states has at least one object, so that every rule can act."""
ON = ("kitchen_counter", "table", "desk", "shelf", "tv_stand")
"""Furniture on which they are placed, first in the kitchen."""
DIRTY = 0.5
"""Probability that furniture or an object that can be dirty is dirty."""
STREAM = 16
"""Seed component that separates the rng of states from those of the house and its variations."""


def with_states(scene: SceneSpec, sides: Sides, requested: Collection[str] = ()) -> SceneSpec:
    """Return the house with states. Raises ValueError with one sentence if an object that it needs does not fit, even
    as a replacement for another.

    Args:
        requested: Kinds of objects that must be kept, in addition to those that states need.
    """
    rng = np.random.default_rng([scene.seed, STREAM])
    objects: Sequence[ObjectSpec] = scene.objects
    kept_kinds = {*NEEDED, *requested}
    for kind in _BASIC_KINDS:
        if not any(item.kind == kind for item in objects):
            objects = _add_object(scene.model_copy(update={"objects": tuple(objects)}), sides, kind, kept_kinds, rng)
    scene = scene.model_copy(
        update={
            "states": True,
            "objects": tuple(_soil_at_random(item, rng) for item in objects),
            "furniture": tuple(_soil_at_random(piece, rng) for piece in scene.furniture),
        }
    )
    for kind in _RULE_KINDS:
        if not any(item.kind == kind for item in scene.objects):
            kind_rng = np.random.default_rng([scene.seed, STREAM, *kind.encode()])
            scene = scene.model_copy(update={"objects": _add_object(scene, sides, kind, kept_kinds, kind_rng)})
    return scene


def _add_object(
    scene: SceneSpec, sides: Sides, kind: str, kept_kinds: Collection[str], rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """Return the objects and one more of a kind, on the first furniture with room for it; in a full house it replaces
    an object of a kind that need not be kept."""
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

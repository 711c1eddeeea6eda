"""Sample the put task of a seed from the objects and furniture of its house."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.envs.mujoco.world import World

BOWL_SHARE, STACK_SHARE = 0.2, 0.35
"""Probabilities that the destination is a bowl, and an object to stack on, in houses with such; else it is furniture.
In half of the houses no kind qualifies for stacking: a can or box of it is in closed furniture or on a shelf."""
INTO_BOWL = 0.062, 0.15
"""Half the diagonal and the height (m) of the largest object put into a bowl, whose inner width is 0.148 m."""
FLAT = (
    *("tuna_fish_can", "master_chef_can", "tomato_soup_can", "potted_meat_can"),
    *("cracker_box", "sugar_box", "pudding_box", "gelatin_box"),
)
"""Kinds with a flat top and bottom, which are stacked and stacked on."""
WIDER = 1.5
"""Maximum ratio of the width of a stacked object to that of its support."""
UPRIGHT = 0.98
"""Minimum vertical component of the object's z axis at which a bowl or can counts as upright."""


@dataclass(frozen=True)
class PutTask:
    """One task and its success criteria.

    Attributes:
        destinations: Names of the accepted destinations.
        sort: Furniture, bowl or stack.
        doors: Initial opening (fraction) of every door and drawer, by the name of its furniture.
    """

    seed: int
    text: str
    kind: str
    destinations: tuple[str, ...]
    sort: str
    doors: dict[str, float]


def task_of(seed: int, scene: SceneSpec) -> PutTask:
    """Sample a random kind of object, and a random destination at which no object of that kind is yet.

    Bowls and objects to stack on are freely accessible, upright and empty: no gripper reaches into a bowl under a
    shelf board.
    """
    rng = np.random.default_rng([seed, 51])
    home = build(scene)
    world = World(home, home.new_data())
    draw = float(rng.random())
    sort = "bowl" if draw < BOWL_SHARE else "stack" if draw < BOWL_SHARE + STACK_SHARE else "furniture"
    task = _on_object(seed, scene, world, sort, rng) if sort != "furniture" else None
    return task or _on_furniture(seed, scene, world, rng)


def _on_furniture(seed: int, scene: SceneSpec, world: World, rng: np.random.Generator) -> PutTask:
    kinds = sorted({item.kind for item in scene.objects})
    places = [piece for piece in scene.furniture if surfaces_of(scene, piece)]
    while True:
        kind = kinds[rng.integers(len(kinds))]
        piece = places[rng.integers(len(places))]
        same = [other for other in places if other.kind == piece.kind]
        name = piece.kind.replace("_", " ")
        if len({other.colour for other in same}) > 1:
            same = [other for other in same if other.colour == piece.colour]
            name = f"{piece.colour} {name}"
        inside = any(plan.inside for plan in surfaces_of(scene, piece)) or piece.kind in ("sink", "washbasin")
        fits = any(_height(scene, kind) <= plan.clearance for plan in surfaces_of(scene, piece))
        if fits and _free_of_kind(scene, world, kind, same):
            return _task(seed, scene, kind, f"{'in' if inside else 'on'} the {name}", same, "furniture")


def _height(scene: SceneSpec, kind: str) -> float:
    """Return the height (m) of an object of a kind: upright it must fit under shelf boards and into closed drawers."""
    return 2 * next(item.plan.half[2] for item in scene.objects if item.kind == kind)


def _on_object(seed: int, scene: SceneSpec, world: World, sort: str, rng: np.random.Generator) -> PutTask | None:
    """Sample a task into a bowl, or onto a can or box; None if nothing in the house fits."""
    hosts = [
        item
        for item in scene.objects
        if _is_accessible(world, item) and item.kind in (FLAT if sort == "stack" else ("bowl",))
    ]
    pairs = []
    for host in hosts:
        for kind in sorted({item.kind for item in scene.objects} - {host.kind}):
            plan = next(item.plan for item in scene.objects if item.kind == kind)
            wide, high = max(plan.half[:2]), 2 * plan.half[2]
            across = wide if plan.half[0] == plan.half[1] else math.hypot(*plan.half[:2])
            into = plan.hollow is None and across <= INTO_BOWL[0] and high <= INTO_BOWL[1]
            onto = kind in FLAT and wide <= WIDER * min(host.plan.half[:2])
            if into if sort == "bowl" else onto:
                pairs.append((kind, host))
    for number in rng.permutation(len(pairs)):
        kind, host = pairs[int(number)]
        same = [item for item in scene.objects if item.kind == host.kind]
        name = host.kind.replace("_", " ")
        if len({item.colour for item in same}) > 1:
            same = [item for item in same if item.colour == host.colour]
            name = f"{host.colour} {name}"
        if _free_of_kind(scene, world, kind, same) and all(_is_accessible(world, item) for item in same):
            return _task(seed, scene, kind, f"{'in' if sort == 'bowl' else 'on'} the {name}", same, sort)
    return None


def _is_accessible(world: World, item: ObjectSpec) -> bool:
    """Whether an object is upright and freely accessible, with nothing in it or on it."""
    upright = world.rotation(world.objects[item.name].body)[2, 2] > UPRIGHT
    _, plan = world.furniture_of(item.name) or (None, None)
    in_the_open = plan is not None and plan.access == "top" and not plan.inside
    return bool(upright and in_the_open and not any(world.within(other, item.name) for other in world.objects))


def _free_of_kind(scene: SceneSpec, world: World, kind: str, same: Sequence[FurnitureSpec | ObjectSpec]) -> bool:
    """Whether no object of the kind is at any of the destinations yet, nested or not."""
    objects = [item.name for item in scene.objects if item.kind == kind]
    return not any(world.within(name, place.name) for name in objects for place in same)


def _task(
    seed: int, scene: SceneSpec, kind: str, phrase: str, same: Sequence[FurnitureSpec | ObjectSpec], sort: str
) -> PutTask:
    doors = {piece.name: piece.open for piece in scene.furniture if piece.blueprint.articulations}
    names = tuple(place.name for place in same)
    return PutTask(seed, f"put the {kind.replace('_', ' ')} {phrase}", kind, names, sort, doors)

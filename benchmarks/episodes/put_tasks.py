"""What is put where: the task of a seed, drawn from what its house has."""

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
"""How often the destination is a bowl, and something to be stacked on, in houses that have such; else it is furniture.
In half of the houses nothing is to be stacked on: of the cans and boxes of a kind one is shut in or on a shelf."""
INTO_BOWL = 0.062, 0.15
"""Half the diagonal and the height (m) of the largest thing that is put into a bowl, which is 0.148 m wide inside."""
FLAT = (
    *("tuna_fish_can", "master_chef_can", "tomato_soup_can", "potted_meat_can"),
    *("cracker_box", "sugar_box", "pudding_box", "gelatin_box"),
)
"""Kinds with a flat top and a flat foot: what is stacked, and what it is stacked on."""
WIDER = 1.5
"""How much wider a thing may be than what it is stacked on."""
UPRIGHT = 0.98
"""Height of its unit vector from which a bowl or a can stands, so that something can be put into or onto it."""


@dataclass(frozen=True)
class PutTask:
    """One task and how to tell that it is done.

    Attributes:
        destinations: Names, any of which is meant.
        sort: Furniture, bowl or stack.
        doors: How far every door and drawer is open at the start, as a fraction, by the name of its furniture.
    """

    seed: int
    text: str
    kind: str
    destinations: tuple[str, ...]
    sort: str
    doors: dict[str, float]


def task_of(seed: int, scene: SceneSpec) -> PutTask:
    """The task of a seed: a random kind of object, and a random destination at which there is none of that kind yet.

    Bowls and what is stacked on stand in the open, upright and empty: into a bowl under the next board no hand comes.
    """
    rng = np.random.default_rng([seed, 51])
    home = build(scene)
    world = World(home, home.new_data())
    draw = float(rng.random())
    sort = "bowl" if draw < BOWL_SHARE else "stack" if draw < BOWL_SHARE + STACK_SHARE else "furniture"
    drawn = _on_object(seed, scene, world, sort, rng) if sort != "furniture" else None
    return drawn or _on_furniture(seed, scene, world, rng)


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
        if fits and _fresh(scene, world, kind, same):
            return _task(seed, scene, kind, f"{'in' if inside else 'on'} the {name}", same, "furniture")


def _height(scene: SceneSpec, kind: str) -> float:
    """How high an object of a kind stands (m): upright it has to fit under boards and into shut drawers."""
    return 2 * next(item.plan.half[2] for item in scene.objects if item.kind == kind)


def _on_object(seed: int, scene: SceneSpec, world: World, sort: str, rng: np.random.Generator) -> PutTask | None:
    """Into a bowl, or onto a can or a box; None in a house where nothing fits."""
    hosts = [
        item for item in scene.objects if _waits(world, item) and item.kind in (FLAT if sort == "stack" else ("bowl",))
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
        if _fresh(scene, world, kind, same) and all(_waits(world, item) for item in same):
            return _task(seed, scene, kind, f"{'in' if sort == 'bowl' else 'on'} the {name}", same, sort)
    return None


def _waits(world: World, item: ObjectSpec) -> bool:
    """Whether something stands upright in the open, with nothing in it or on it."""
    upright = world.rotation(world.objects[item.name].body)[2, 2] > UPRIGHT
    _, plan = world.furniture_of(item.name) or (None, None)
    in_the_open = plan is not None and plan.access == "top" and not plan.inside
    return bool(upright and in_the_open and not any(world.within(other, item.name) for other in world.objects))


def _fresh(scene: SceneSpec, world: World, kind: str, same: Sequence[FurnitureSpec | ObjectSpec]) -> bool:
    """Whether no object of the kind is at any of the destinations yet, nested or not."""
    objects = [item.name for item in scene.objects if item.kind == kind]
    return not any(world.within(name, place.name) for name in objects for place in same)


def _task(
    seed: int, scene: SceneSpec, kind: str, where: str, same: Sequence[FurnitureSpec | ObjectSpec], sort: str
) -> PutTask:
    doors = {piece.name: piece.open for piece in scene.furniture if piece.blueprint.articulations}
    names = tuple(place.name for place in same)
    return PutTask(seed, f"put the {kind.replace('_', ' ')} {where}", kind, names, sort, doors)

"""Puts the loose objects of a generated house in plausible places, where an arm can reach them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from homie.envs.mujoco.blueprints.catalog_objects import OBJECTS, object_plan
from homie.envs.mujoco.blueprints.parts import SurfacePlan
from homie.envs.mujoco.house.spec import FurnitureSpec, ObjectSpec, SceneSpec
from homie.envs.mujoco.house.surfaces import surfaces_of

Sides: TypeAlias = Mapping[str, tuple[str, ...]]
"""The sides (front, back, left, right) from which each piece of furniture can be reached."""
EDGE = 0.04
"""Least distance of a footprint from the edge of its surface (m)."""
WITHIN = 0.30
"""Largest distance of an object's centre from an edge that can be reached over (m)."""
APART = 0.07
"""Room for a finger between two objects (m)."""
HEADROOM = 0.05
"""Free height above an object in a compartment (m)."""
INSIDE_SHARE = 0.3
"""How often an object goes into a closed container if its kind may."""

_ANYWHERE = ("kitchen_counter", "table", "desk", "tv_stand", "nightstand", "shelf", "cabinet", "drawer", "stove")


@dataclass(slots=True)
class Spot:
    """A surface to fill. `sides` are those from which it can be reached."""

    piece: FurnitureSpec
    plan: SurfacePlan
    sides: tuple[str, ...]
    taken: list[ObjectSpec] = field(default_factory=list)

    @property
    def capacity(self) -> int:
        area = 4 * self.plan.half_x * self.plan.half_y
        return min(3, 1 + int(area / 0.1)) if self.plan.inside else max(1, min(7, int(area / 0.07)))


def place_objects(scene: SceneSpec, sides: Sides, count: int, rng: np.random.Generator) -> tuple[ObjectSpec, ...]:
    """Objects for a furnished scene; `sides` names the accessible sides of each piece. May return fewer than `count`
    where the house is full."""
    spots = [spot for piece in scene.furniture for spot in spots_of(scene, piece, sides) if spot.plan.name != "basin"]
    kinds = list(OBJECTS)
    order: list[str] = []
    while len(order) < count:
        order += [kinds[k] for k in rng.permutation(len(kinds))]
    colours: Counter[str] = Counter()
    placed = []
    for kind in order[:count]:
        options = OBJECTS[kind].colours
        colour = options[(colours[kind] + (int(rng.integers(len(options))) if not colours[kind] else 0)) % len(options)]
        thing = _place(kind, colour, spots, rng)
        if thing is not None:
            colours[kind] += 1
            placed.append(thing)
    return _named(placed)


def add_objects(
    scene: SceneSpec, sides: Sides, added: Sequence[tuple[str, str, str]], rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """The objects of a scene and some more, each as colour ("": any), kind and the furniture that it is at. The others
    stay where they are; of a kind with several the names get numbers. Raises ValueError in one sentence."""
    spots: dict[str, list[Spot]] = {}
    for piece in scene.furniture:
        spots[piece.name] = spots_of(scene, piece, sides)
        for spot in spots[piece.name]:
            there = (piece.name, spot.plan.name)
            spot.taken += [thing for thing in scene.objects if (thing.receptacle, thing.surface) == there]
    placed = list(scene.objects)
    for colour, kind, where in added:
        if kind not in OBJECTS:
            raise ValueError(f"there is no kind of object '{kind}' (there is: {', '.join(OBJECTS)})")
        if where not in spots:
            raise ValueError(f"'{kind}' cannot be added at '{where}': this house has no such furniture")
        options = OBJECTS[kind].colours
        painted = colour or options[int(rng.integers(len(options)))]
        emptiest = sorted(spots[where], key=lambda spot: len(spot.taken) / spot.capacity)
        tries = ((free, _try(kind, painted, free, rng)) for free in emptiest)
        at, thing = next((pair for pair in tries if pair[1] is not None), (None, None))
        if at is None or thing is None:
            raise ValueError(f"there is no free spot for another '{kind}' at '{where}'")
        at.taken.append(thing)
        placed.append(thing)
    return _named(placed)


def spots_of(scene: SceneSpec, piece: FurnitureSpec, sides: Sides) -> list[Spot]:
    """The surfaces of a piece of furniture, empty."""
    return [
        Spot(piece, plan, ("front",) if plan.access == "front" or plan.link else sides.get(piece.name, ("front",)))
        for plan in surfaces_of(scene, piece)
    ]


def _place(kind: str, colour: str, spots: list[Spot], rng: np.random.Generator) -> ObjectSpec | None:
    """Where the kind is at home; in a house so full that nothing is free there, anywhere it stands well."""
    homes = OBJECTS[kind].homes
    inside = bool(rng.random() < INSIDE_SHARE)
    usual = [spot for spot in spots if spot.piece.kind in homes and len(spot.taken) < spot.capacity]
    usual.sort(key=lambda s: (s.plan.inside != inside, len(s.taken) / s.capacity + rng.uniform(0, 0.8)))
    other = [spot for spot in spots if spot.piece.kind in _ANYWHERE]
    other.sort(key=lambda s: len(s.taken) / s.capacity)
    for spot in (*usual, *other):
        thing = _try(kind, colour, spot, rng)
        if thing is not None:
            spot.taken.append(thing)
            return thing
    return None


def _try(kind: str, colour: str, spot: Spot, rng: np.random.Generator) -> ObjectSpec | None:
    """A free place on one surface, or None after 40 tries."""
    plan, shape = spot.plan, object_plan(kind, colour)
    if 2 * shape.half[2] + HEADROOM > plan.clearance:
        return None
    edge = EDGE + (0.02 if plan.inside else 0.0)
    for _ in range(40):
        quarter = 1 if plan.access == "front" else int(rng.integers(2))
        turn = quarter * math.pi / 2 + math.pi * int(rng.integers(2))
        yaw = math.remainder(turn + float(rng.uniform(-0.3, 0.3)), math.tau)
        x = float(rng.uniform(-plan.half_x, plan.half_x))
        y = float(rng.uniform(-plan.half_y, plan.half_y))
        thing = ObjectSpec(
            name="new",
            kind=kind,
            colour=colour,
            receptacle=spot.piece.name,
            surface=plan.name,
            x=round(x, 3),
            y=round(y, 3),
            yaw=round(yaw, 3),
        )
        a, b = thing.footprint
        on_it = abs(x) + a + edge <= plan.half_x and abs(y) + b + edge <= plan.half_y
        if on_it and reachable(spot, x, y) and not any(_crowded(spot, thing, other) for other in spot.taken):
            return thing
    return None


def reachable(spot: Spot, x: float, y: float) -> bool:
    """Whether an arm reaches that point of a surface over one of its sides."""
    plan, piece = spot.plan, spot.piece.blueprint
    if plan.link:
        return True
    px, py = plan.center[0] + x, plan.center[1] + y
    a, b = piece.half_x, piece.half_y
    away = {"front": a - px, "back": a + px, "left": b - py, "right": b + py}
    return any(away[side] <= WITHIN for side in spot.sides)


def _crowded(spot: Spot, one: ObjectSpec, other: ObjectSpec) -> bool:
    """Too close to grasp; where the only way in is the front, also one behind the other."""
    (a, b), (c, d) = one.footprint, other.footprint
    beside = abs(one.y - other.y) >= b + d + APART
    apart = abs(one.x - other.x) >= a + c + APART and spot.plan.access == "top"
    return not beside and not apart


def _named(things: list[ObjectSpec]) -> tuple[ObjectSpec, ...]:
    """Names: the kind, with a number where there are several."""
    total = Counter(thing.kind for thing in things)
    seen: Counter[str] = Counter()
    named = []
    for thing in sorted(things, key=lambda t: t.kind):
        seen[thing.kind] += 1
        name = thing.kind if total[thing.kind] == 1 else f"{thing.kind}_{seen[thing.kind]}"
        named.append(thing.model_copy(update={"name": name}))
    return tuple(named)

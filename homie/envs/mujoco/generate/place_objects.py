"""Place the movable objects of a generated house on plausible surfaces within reach of an arm."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from homie.envs.mujoco.blueprints.catalog import OBJECTS, object_plan
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.parts import SurfacePlan
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.kernel.errors import suggestion
from homie.kernel.interfaces import kind_of
from homie.kernel.world.furniture import homes

Sides: TypeAlias = Mapping[str, tuple[str, ...]]
"""The sides (front, back, left, right) from which each piece of furniture can be reached."""
EDGE = 0.04
"""Minimum distance of a footprint from the edge of its surface (m)."""
WITHIN = 0.30
"""Maximum distance of an object's centre from an edge over which the arm can reach (m)."""
APART = 0.07
"""Minimum distance between two objects (m): room for a gripper finger."""
HEADROOM = 0.05
"""Free height above an object in a compartment (m)."""
INSIDE_SHARE = 0.3
"""Probability of placing an object in a closed container, for kinds that are kept in one."""
INSIDE_EDGE = 0.02
"""Metres added to `EDGE` inside a container, where the gripper needs room beside the side walls."""
FILL_NOISE = 0.8
"""Maximum random term added to a surface's fill level (0 to 1) for ranking surfaces: emptier ones come first on
average, but houses differ."""
TRIES = 40
"""Maximum number of poses sampled on one surface."""
SKEW = 0.3
"""Maximum angle (rad) between an object and the axes of its surface."""

_ANYWHERE = homes("anything")


@dataclass(slots=True)
class Spot:
    """A surface to fill. `sides` are the sides of the furniture from which it can be reached."""

    piece: FurnitureSpec
    plan: SurfacePlan
    sides: tuple[str, ...]
    taken: list[ObjectSpec] = field(default_factory=list)

    @property
    def capacity(self) -> int:
        """How many objects the surface may hold: about one per 0.07 m2 (0.1 m2 inside a container), at most 7 (3)."""
        area = 4 * self.plan.half_x * self.plan.half_y
        return min(3, 1 + int(area / 0.1)) if self.plan.inside else max(1, min(7, int(area / 0.07)))


def place_objects(
    scene: SceneSpec, sides: Sides, catalogue: Mapping[str, ObjectKind], count: int, rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """Sample up to `count` objects of a catalogue for a furnished scene, fewer if the house is full; `sides` names the
    accessible sides of each piece."""
    places = [
        place for piece in scene.furniture for place in spots_of(scene, piece, sides) if place.plan.name != "basin"
    ]
    kinds = list(catalogue)
    order: list[str] = []
    while len(order) < count:
        order += [kinds[k] for k in rng.permutation(len(kinds))]
    colours: Counter[str] = Counter()
    objects = []
    for kind in order[:count]:
        options = OBJECTS[kind].colours
        colour = options[(colours[kind] + (int(rng.integers(len(options))) if not colours[kind] else 0)) % len(options)]
        item = _place(kind, colour, places, rng)
        if item is not None:
            colours[kind] += 1
            objects.append(item)
    return _assign_names(objects)


def no_furniture(option: str, name: str, names: Iterable[str], kind: str = "none of its furniture") -> str:
    """Explain why a name in an option does not name a single piece of furniture."""
    pieces = [piece for piece in names if kind_of(piece) == kind_of(name)]
    if pieces:
        return f"{option} could mean several pieces of furniture; say which of {', '.join(pieces)}"
    return f"{option} names {kind}; {suggested(name, names)}"


def suggested(name: str, names: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the most similar name, or all names."""
    return suggestion(name, names, f"choose one of {', '.join(names)}")


def add_objects(
    scene: SceneSpec, sides: Sides, added: Sequence[tuple[str, str, str]], rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """Return the objects of a scene and further ones, each a colour ("" for any), a kind and the name of its furniture.

    The original objects keep their poses; names get numbers if a kind occurs more than once. Raises ValueError with one
    sentence for an unknown kind or furniture and if no spot is free.
    """
    places: dict[str, list[Spot]] = {}
    for piece in scene.furniture:
        places[piece.name] = spots_of(scene, piece, sides)
        for place in places[piece.name]:
            surface_key = (piece.name, place.plan.name)
            place.taken += [item for item in scene.objects if (item.receptacle, item.surface) == surface_key]
    objects = list(scene.objects)
    for colour, kind, furniture_name in added:
        if kind not in OBJECTS:
            raise ValueError(f"--added {kind}@{furniture_name} names no kind of object; {suggested(kind, OBJECTS)}")
        if furniture_name not in places:
            raise ValueError(no_furniture(f"--added {kind}@{furniture_name}", furniture_name, places))
        options = OBJECTS[kind].colours
        chosen_colour = colour or options[int(rng.integers(len(options)))]
        emptiest = sorted(places[furniture_name], key=lambda place: len(place.taken) / place.capacity)
        tries = ((spot, _sample_pose(kind, chosen_colour, spot, rng)) for spot in emptiest)
        at, item = next((pair for pair in tries if pair[1] is not None), (None, None))
        if at is None or item is None:
            raise ValueError(f"there is no free spot for another '{kind}' at '{furniture_name}'")
        at.taken.append(item)
        objects.append(item)
    return _assign_names(objects)


def spots_of(scene: SceneSpec, piece: FurnitureSpec, sides: Sides) -> list[Spot]:
    """Return the surfaces of a piece of furniture, without objects."""
    return [
        Spot(piece, plan, ("front",) if plan.access == "front" or plan.link else sides.get(piece.name, ("front",)))
        for plan in surfaces_of(scene, piece)
    ]


def _place(kind: str, colour: str, places: list[Spot], rng: np.random.Generator) -> ObjectSpec | None:
    """Place an object on a surface that is usual for its kind, else on any other surface; None if none is free."""
    usual_furniture = homes(*OBJECTS[kind].kept)
    inside = bool(rng.random() < INSIDE_SHARE)
    usual_spots = [
        place for place in places if place.piece.kind in usual_furniture and len(place.taken) < place.capacity
    ]
    usual_spots.sort(key=lambda s: (s.plan.inside != inside, len(s.taken) / s.capacity + rng.uniform(0, FILL_NOISE)))
    other = [place for place in places if place.piece.kind in _ANYWHERE]
    other.sort(key=lambda s: len(s.taken) / s.capacity)
    for place in (*usual_spots, *other):
        item = _sample_pose(kind, colour, place, rng)
        if item is not None:
            place.taken.append(item)
            return item
    return None


def _sample_pose(kind: str, colour: str, place: Spot, rng: np.random.Generator) -> ObjectSpec | None:
    """Place an object at a free pose on one surface; None if all `TRIES` sampled poses fail."""
    plan, shape = place.plan, object_plan(kind, colour)
    if 2 * shape.half[2] + HEADROOM > plan.clearance:
        return None
    edge = EDGE + (INSIDE_EDGE if plan.inside else 0.0)
    for _ in range(TRIES):
        quarter = 1 if plan.access == "front" else int(rng.integers(2))
        turn = quarter * math.pi / 2 + math.pi * int(rng.integers(2))
        yaw = math.remainder(turn + float(rng.uniform(-SKEW, SKEW)), math.tau)
        x = float(rng.uniform(-plan.half_x, plan.half_x))
        y = float(rng.uniform(-plan.half_y, plan.half_y))
        item = ObjectSpec(
            name="new",
            kind=kind,
            colour=colour,
            receptacle=place.piece.name,
            surface=plan.name,
            x=round(x, 3),
            y=round(y, 3),
            yaw=round(yaw, 3),
        )
        a, b = item.footprint
        is_on_surface = abs(x) + a + edge <= plan.half_x and abs(y) + b + edge <= plan.half_y
        if (
            is_on_surface
            and reachable(place, x, y)
            and not any(_stand_too_close(place, item, other) for other in place.taken)
        ):
            return item
    return None


def reachable(place: Spot, x: float, y: float) -> bool:
    """Whether an arm reaches a point of a surface over one of its accessible sides."""
    plan, piece = place.plan, place.piece.blueprint
    if plan.link:
        return True
    px, py = plan.center[0] + x, plan.center[1] + y
    a, b = piece.half_x, piece.half_y
    distances = {"front": a - px, "back": a + px, "left": b - py, "right": b + py}
    return any(distances[side] <= WITHIN for side in place.sides)


def _stand_too_close(place: Spot, item: ObjectSpec, other: ObjectSpec) -> bool:
    """Whether two objects are too close together to grasp; on a surface reached from the front, also one behind the
    other."""
    (a, b), (c, d) = item.footprint, other.footprint
    is_beside = abs(item.y - other.y) >= b + d + APART
    is_apart = abs(item.x - other.x) >= a + c + APART and place.plan.access == "top"
    return not is_beside and not is_apart


def _assign_names(items: list[ObjectSpec]) -> tuple[ObjectSpec, ...]:
    """Name the objects by their kinds, with a number if a kind occurs more than once."""
    total = Counter(item.kind for item in items)
    seen: Counter[str] = Counter()
    named_objects = []
    for item in sorted(items, key=lambda t: t.kind):
        seen[item.kind] += 1
        name = item.kind if total[item.kind] == 1 else f"{item.kind}_{seen[item.kind]}"
        named_objects.append(item.model_copy(update={"name": name}))
    return tuple(named_objects)

"""Sampling of the four task families: pick and place, stack, shape sorter, wipe (EmbodiedBench, appendix C.4).

The tasks and their instructions are our own. Scenes are determined by family and seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from homie.envs.mujoco.table.outlines import SHAPES
from homie.envs.mujoco.table.spoken_names import (
    Reference,
    by_relation,
    reference,
    references,
    spatial_reference,
    subset_of,
)
from homie.envs.mujoco.table.table_scene import FAMILIES, FOOT, Family, Subset, TableScene, Thing
from homie.envs.mujoco.table.things import AREA, plan_of
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.world.conditions import Condition, parse_condition

X_RANGE, Y_RANGE = (0.0, 0.42), (-0.38, 0.38)
"""Range of the middles of objects (m)."""
NEAREST, FARTHEST = 0.33, 0.72
"""Distance range (m) from the robot's foot in which an object can be reached from above in any direction."""
APART = 0.05
"""Minimum gap (m) between two footprints: room for a finger."""
AROUND_SORTER = 0.05
"""Additional gap (m) around a sorter, which is taller than a hand that grasps an object on the table."""

_COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "teal", "gray", "black")
_SORTER_SHAPES = ("cube", "cylinder", "triangular prism", "star")
_DIRECTIONS = {"from left to right": math.pi / 2, "from the front to the back": 0.0}
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """A sampled task: instruction, objects, and success conditions."""

    instruction: str
    subset: Subset
    things: list[Thing]
    conditions: list[Condition]


class Crowded(Exception):
    """A sampled scene whose objects do not fit on the table; it is sampled again."""


def generate(family: Family, seed: int) -> TableScene:
    """Sample the task of a family and a seed."""
    rng = np.random.default_rng([FAMILIES.index(family), seed])
    while True:
        try:
            plan = _SAMPLERS[family](rng)
        except Crowded:
            continue
        return TableScene(
            family=family,
            seed=seed,
            subset=plan.subset,
            instruction=plan.instruction,
            things=tuple(plan.things),
            conditions=tuple(plan.conditions),
        )


def scene_of(family: str, seed: int, file: Path | None = None) -> TableScene:
    """Load the scene of a file, or sample it by family ("" is the first) and seed. Raises BadInput."""
    if file is not None:
        return TableScene.load(file)
    for known in FAMILIES:
        if family in (known, ""):
            return generate(known, seed)
    hint = suggestion(family, FAMILIES, f"choose one of: {', '.join(FAMILIES)}.")
    raise BadInput(f"There is no family of tasks '{family}' for the robot franka: {hint}")


# ---------------------------------------------------------------- the families


def _pick(rng: np.random.Generator) -> Plan:
    """Sample several shapes and two containers: put one shape into one of them."""
    colours = _colours(rng, 2)
    things = [_thing_at_origin("container", colour) for colour in colours] + _shapes(rng, int(rng.integers(3, 5)))
    things = _place_things(things, rng)
    target, container = things[int(rng.integers(2, len(things)))], things[int(rng.integers(2))]
    references_used = references([target, container], things, rng)
    item_words, place_words = (reference.words for reference in references_used)
    sentence = rng.choice(
        [
            f"Pick up {item_words} and put it into {place_words}.",
            f"Put {item_words} into {place_words}.",
            f"Take {item_words}; it belongs into {place_words}.",
            f"Move {item_words} over to {place_words} and drop it inside.",
        ]
    )
    return _plan(str(sentence), references_used, things, [{"in": [target.name, container.name]}])


def _stack(rng: np.random.Generator) -> Plan:
    """Sample several shapes: stack two or three of them."""
    high = int(rng.integers(2, 4))
    things = _place_things(_shapes(rng, int(rng.integers(high, 5))), rng)
    chosen = [things[k] for k in rng.permutation(len(things))[:high]]
    references_used = references(chosen, things, rng)
    names = [reference.words for reference in references_used]
    if high == 2:
        sentence = rng.choice(
            [
                f"Stack {names[1]} on top of {names[0]}.",
                f"Put {names[1]} on {names[0]}.",
                f"Set {names[1]} onto {names[0]}.",
            ]
        )
    else:
        sentence = rng.choice(
            [
                f"Build a tower: {names[0]} at the bottom, then {names[1]}, then {names[2]}.",
                f"Stack {names[1]} on {names[0]}, then {names[2]} on top of both.",
                f"From the bottom to the top, stack {names[0]}, {names[1]} and {names[2]}.",
            ]
        )
    return _plan(str(sentence), references_used, things, [{"stacked": [item.name for item in chosen]}])


def _sort(rng: np.random.Generator) -> Plan:
    """Sample a sorter with four holes and several shapes: put one of them into its hole."""
    holes = tuple(_SORTER_SHAPES[k] for k in rng.permutation(len(_SORTER_SHAPES)))
    sorter = Thing(name="shape_sorter", kind="shape sorter", colour="beige", x=0.0, y=0.0, holes=holes)
    things = _place_things([sorter, *_shapes(rng, 3, kinds=_SORTER_SHAPES)], rng)
    target = things[int(rng.integers(1, len(things)))]
    references_used = references([target], things[1:], rng)
    item_words = references_used[0].words
    sentence = rng.choice(
        [
            f"Put {item_words} into the shape sorter.",
            f"Drop {item_words} through its own hole of the shape sorter.",
            f"Sort {item_words} into the shape sorter.",
        ]
    )
    return _plan(str(sentence), references_used, things, [{"sorted": [target.name, sorter.name]}])


def _wipe(rng: np.random.Generator) -> Plan:
    """Sample a sponge and several areas: wipe one of them."""
    count = int(rng.integers(2, 4))
    yaws = [(*_DIRECTIONS.values(), math.pi / 4, -math.pi / 4)[k] for k in rng.permutation(4)[:count]]
    areas = [_thing_at_origin("area", colour, yaw) for colour, yaw in zip(_colours(rng, count), yaws, strict=True)]
    things = _place_things([*areas, _thing_at_origin("sponge", "yellow")], rng)
    target = things[int(rng.integers(count))]
    candidates = [reference(target, things)]
    candidates += [
        Reference(f"the area that runs {words}", "spatial") for words, yaw in _DIRECTIONS.items() if target.yaw == yaw
    ]
    place = by_relation(target, things, rng, moving=[target, things[-1]])  # the sponge will have moved
    if place is not None:
        candidates.append(spatial_reference(place, target))
    references_used = [candidates[int(rng.integers(len(candidates)))]]
    area_words = references_used[0].words
    sentence = rng.choice(
        [f"With the sponge, wipe {area_words}.", f"Take the sponge and wipe {area_words}.", f"Clean {area_words}."]
    )
    untouched = [{"is_not": [area.name, "wiped"]} for area in areas if area.name != target.name]
    return _plan(str(sentence), references_used, things, [{"is": [target.name, "wiped"]}, *untouched])


def _plan(sentence: str, references_used: list[Reference], things: list[Thing], conditions: Sequence[object]) -> Plan:
    """Create a plan whose instruction is a sentence preceded by those that its references need."""
    return Plan(
        "".join(reference.before for reference in references_used) + sentence,
        subset_of(references_used),
        things,
        [parse_condition(condition) for condition in conditions],
    )


_SAMPLERS: dict[Family, Callable[[np.random.Generator], Plan]] = {
    "pick": _pick,
    "stack": _stack,
    "sort": _sort,
    "wipe": _wipe,
}


# ---------------------------------------------------------------- things and places


def _colours(rng: np.random.Generator, count: int) -> list[str]:
    return [_COLOURS[k] for k in rng.permutation(len(_COLOURS))[:count]]


def _shapes(rng: np.random.Generator, count: int, kinds: tuple[str, ...] = SHAPES) -> list[Thing]:
    """Sample shapes of distinct looks; often two of one kind, so that the instruction has to distinguish them."""
    chosen = [kinds[k] for k in rng.permutation(len(kinds))[:count]]
    if count > 2 and rng.random() < 0.5:
        chosen[-1] = chosen[0]
    return [_thing_at_origin(kind, colour) for kind, colour in zip(chosen, _colours(rng, count), strict=True)]


def _thing_at_origin(kind: str, colour: str, yaw: float = 0.0) -> Thing:
    return Thing(name=f"{colour}_{kind.replace(' ', '_')}", kind=kind, colour=colour, x=0.0, y=0.0, yaw=yaw)


def _place_things(things: list[Thing], rng: np.random.Generator) -> list[Thing]:
    """Sample poses for the objects, in the given order, without overlaps. Raises Crowded."""
    placed_things: list[Thing] = []
    for item in things:
        for _ in range(_TRIES):
            yaw = item.yaw if item.kind == "area" else float(rng.uniform(-math.pi, math.pi))
            point = item.model_copy(
                update={
                    "x": round(float(rng.uniform(*X_RANGE)), 4),
                    "y": round(float(rng.uniform(*Y_RANGE)), 4),
                    "yaw": round(yaw, 4) if item.kind != "area" else yaw,
                }
            )
            if _is_reachable(point) and all(_are_far_enough(point, other) for other in placed_things):
                placed_things.append(point)
                break
        else:
            raise Crowded
    return placed_things


def _is_reachable(item: Thing) -> bool:
    """Whether the robot reaches an object from above: an area at both ends, a sorter over all holes."""
    reach = {"area": AREA[0], "shape sorter": 0.08}.get(item.kind, 0.0)
    distance = math.hypot(item.x - FOOT[0], item.y - FOOT[1])
    return NEAREST + reach <= distance <= FARTHEST - reach


def _are_far_enough(item: Thing, other: Thing) -> bool:
    radii = sum(plan_of(thing.kind, thing.colour, thing.holes).radius for thing in (item, other))
    extra_gap = AROUND_SORTER if "shape sorter" in (item.kind, other.kind) else 0.0
    return math.hypot(item.x - other.x, item.y - other.y) >= radii + APART + extra_gap

"""The four families of tasks, made from seeds: pick and place, stack, shape sorter, wipe (EmbodiedBench, appendix C.4).

The tasks and their words are our own. The same family and seed give the same scene.
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
"""Where the middles of things may be (m)."""
NEAREST, FARTHEST = 0.33, 0.72
"""Metres from the robot's foot between which a thing is reached from above in any direction."""
APART = 0.05
"""Metres between two footprints: room for a finger."""
AROUND_SORTER = 0.05
"""Metres more around a sorter, which is higher than a hand that takes something from the table."""

_COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "teal", "gray", "black")
_SORTED = ("cube", "cylinder", "triangular prism", "star")
_LONG_WAYS = {"from left to right": math.pi / 2, "from the front to the back": 0.0}
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What a family samples: words, things, and what has to be so in the end."""

    instruction: str
    subset: Subset
    things: list[Thing]
    conditions: list[Condition]


class Crowded(Exception):
    """A sampled scene that does not fit on the table, or of which nobody could speak clearly."""


def generate(family: Family, seed: int) -> TableScene:
    """The task of a family and a seed."""
    rng = np.random.default_rng([FAMILIES.index(family), seed])
    while True:
        try:
            plan = _MAKERS[family](rng)
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
    """The scene of a file, or of a family by name ("" is the first) and seed. Raises BadInput."""
    if file is not None:
        return TableScene.load(file)
    for known in FAMILIES:
        if family in (known, ""):
            return generate(known, seed)
    hint = suggestion(family, FAMILIES, f"choose one of: {', '.join(FAMILIES)}.")
    raise BadInput(f"There is no family of tasks '{family}' for the robot franka: {hint}")


# ---------------------------------------------------------------- the families


def _pick(rng: np.random.Generator) -> Plan:
    """Several shapes, two containers: one shape into one of them."""
    colours = _colours(rng, 2)
    things = [_new("container", colour) for colour in colours] + _shapes(rng, int(rng.integers(3, 5)))
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
    """Two or three of several shapes on top of each other."""
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
    """A sorter with four holes, several shapes: one of them into its hole."""
    holes = tuple(_SORTED[k] for k in rng.permutation(len(_SORTED)))
    sorter = Thing(name="shape_sorter", kind="shape sorter", colour="beige", x=0.0, y=0.0, holes=holes)
    things = _place_things([sorter, *_shapes(rng, 3, kinds=_SORTED)], rng)
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
    """A sponge and several areas: one of them to be wiped."""
    count = int(rng.integers(2, 4))
    yaws = [(*_LONG_WAYS.values(), math.pi / 4, -math.pi / 4)[k] for k in rng.permutation(4)[:count]]
    areas = [_new("area", colour, yaw) for colour, yaw in zip(_colours(rng, count), yaws, strict=True)]
    things = _place_things([*areas, _new("sponge", "yellow")], rng)
    target = things[int(rng.integers(count))]
    ways = [reference(target, things)]
    ways += [
        Reference(f"the area that runs {words}", "spatial") for words, yaw in _LONG_WAYS.items() if target.yaw == yaw
    ]
    place = by_relation(target, things, rng, moving=[target, things[-1]])  # the sponge will be somewhere else
    if place is not None:
        ways.append(spatial_reference(place, target))
    references_used = [ways[int(rng.integers(len(ways)))]]
    area_words = references_used[0].words
    sentence = rng.choice(
        [f"With the sponge, wipe {area_words}.", f"Take the sponge and wipe {area_words}.", f"Clean {area_words}."]
    )
    spared = [{"is_not": [area.name, "wiped"]} for area in areas if area.name != target.name]
    return _plan(str(sentence), references_used, things, [{"is": [target.name, "wiped"]}, *spared])


def _plan(sentence: str, references_used: list[Reference], things: list[Thing], conditions: Sequence[object]) -> Plan:
    """A sentence and those that go before it."""
    return Plan(
        "".join(reference.before for reference in references_used) + sentence,
        subset_of(references_used),
        things,
        [parse_condition(condition) for condition in conditions],
    )


_MAKERS: dict[Family, Callable[[np.random.Generator], Plan]] = {
    "pick": _pick,
    "stack": _stack,
    "sort": _sort,
    "wipe": _wipe,
}


# ---------------------------------------------------------------- things and places


def _colours(rng: np.random.Generator, count: int) -> list[str]:
    return [_COLOURS[k] for k in rng.permutation(len(_COLOURS))[:count]]


def _shapes(rng: np.random.Generator, count: int, kinds: tuple[str, ...] = SHAPES) -> list[Thing]:
    """Shapes of which no two look the same; often two of one kind, so that words have to tell them apart."""
    chosen = [kinds[k] for k in rng.permutation(len(kinds))[:count]]
    if count > 2 and rng.random() < 0.5:
        chosen[-1] = chosen[0]
    return [_new(kind, colour) for kind, colour in zip(chosen, _colours(rng, count), strict=True)]


def _new(kind: str, colour: str, yaw: float = 0.0) -> Thing:
    return Thing(name=f"{colour}_{kind.replace(' ', '_')}", kind=kind, colour=colour, x=0.0, y=0.0, yaw=yaw)


def _place_things(things: list[Thing], rng: np.random.Generator) -> list[Thing]:
    """The things where they fit, in the order given. Raises Crowded."""
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
    """Whether the robot reaches it from above, an area at both of its ends, a sorter over all of its holes."""
    reach = {"area": AREA[0], "shape sorter": 0.08}.get(item.kind, 0.0)
    distance = math.hypot(item.x - FOOT[0], item.y - FOOT[1])
    return NEAREST + reach <= distance <= FARTHEST - reach


def _are_far_enough(item: Thing, other: Thing) -> bool:
    radii = sum(plan_of(thing.kind, thing.colour, thing.holes).radius for thing in (item, other))
    extra_gap = AROUND_SORTER if "shape sorter" in (item.kind, other.kind) else 0.0
    return math.hypot(item.x - other.x, item.y - other.y) >= radii + APART + extra_gap

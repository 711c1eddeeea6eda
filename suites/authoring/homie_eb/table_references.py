"""References to an object on the table: by its name, by common knowledge, by its place, by its look.

A reference is words and a test of what they fit; `the_only` returns the words where they fit one object of the table.
Left and right, in front and behind are as in the image of the front camera: y grows to the right, x to the front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from homie.envs.mujoco.table.outlines import SHAPES
from homie.envs.mujoco.table.spoken_names import CLEARLY
from homie.envs.mujoco.table.table_scene import TableScene, Thing


class UnsuitedScene(Exception):
    """The scene lacks what the words could mean, or they would be ambiguous."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words for an object, and a test of what else they fit."""

    text: str
    fits: Callable[[Thing], bool]


Reference: TypeAlias = Callable[[TableScene, Thing], list[Words]]
"""Returns the ways to refer to an object, the best first; each may fit other objects, too."""

SHAPED_LIKE: Mapping[str, str] = {
    "cube": "the block that has the shape of a die",
    "cylinder": "the block that has the shape of a tin can",
    "triangular prism": "the block that has the outline of a sign that warns of danger on a road",
    "cross": "the block that has the shape of what is painted on an ambulance",
    "star": "the block that has the shape of what is seen beside the moon at night",
}
"""Common knowledge of shapes."""
FOR: Mapping[str, str] = {
    "container": "the open box for keeping things in",
    "shape sorter": "the toy with which small children learn what fits where",
    "sponge": "what one scrubs dishes with",
    "area": "the patch",
}
"""Uses of the other kinds."""
COLOURED_LIKE: Mapping[str, str] = {
    "red": "a fire engine",
    "green": "fresh grass",
    "blue": "a cloudless sky",
    "yellow": "a ripe lemon",
    "orange": "a carrot",
    "purple": "an aubergine",
    "pink": "a flamingo",
    "teal": "the head of a mallard",
    "gray": "an elephant",
    "black": "coal",
}
"""Typical objects of these colours; no two of them the same."""
LOOKS: Mapping[str, tuple[str, str]] = {
    "cube": ("", "object with four equal sides on top"),
    "cylinder": ("round ", "object without corners"),
    "triangular prism": ("", "object with three corners on top"),
    "cross": ("", "object with four arms of the same length"),
    "star": ("", "object with five evenly spaced points"),
    "container": ("square ", "object with low walls and no lid"),
    "shape sorter": ("square ", "object with four holes in its top"),
    "sponge": ("soft ", "block with a dark green underside"),
    "area": ("flat ", "rectangle that lies on the wood"),
}
"""Words before and after a colour in the description of a look, by kind. None of them names the kind."""
SIDES: Mapping[str, tuple[int, int]] = {"left": (1, -1), "right": (1, 1), "rear": (0, -1), "front": (0, 1)}
"""Axis (x, y) and sign of the sides of the table."""


def the_only(scene: TableScene, thing: Thing, refer: Reference) -> str:
    """Return the first words that fit this object and no other. Raises UnsuitedScene."""
    for words in refer(scene, thing):
        if [other for other in scene.things if words.fits(other)] == [thing]:
            return words.text
    raise UnsuitedScene(f"no words of {refer.__name__} mean {thing.name} alone")


def named(scene: TableScene, thing: Thing) -> list[Words]:
    """Refer by its kind, with its colour where there are several of it."""
    return [
        Words(f"the {thing.kind}", lambda other: other.kind == thing.kind),
        Words(f"the {thing.colour} {thing.kind}", lambda other: _look(other) == _look(thing)),
    ]


def by_knowledge(scene: TableScene, thing: Thing) -> list[Words]:
    """Refer by something of its shape or by its use, with something of its colour where there are several of it."""
    about = SHAPED_LIKE.get(thing.kind) or FOR[thing.kind]
    ways = [Words(about, lambda other: other.kind == thing.kind)]
    if thing.colour in COLOURED_LIKE:
        coloured = f"{about} and the colour of" if thing.kind in SHAPES else f"{about} that has the colour of"
        ways.append(Words(f"{coloured} {COLOURED_LIKE[thing.colour]}", lambda other: _look(other) == _look(thing)))
    return ways


def by_place(scene: TableScene, thing: Thing) -> list[Words]:
    """Refer by the side of the table that it is nearest to, of all objects of its group by a clear distance; an object
    alone in its group is named."""
    group = [other for other in scene.things if _group(other) == _group(thing)]
    if group == [thing]:
        return named(scene, thing)
    rivals = [other for other in group if other is not thing]
    several = len(group) > 2
    ways = []
    for side, (axis, sign) in SIDES.items():
        if all(sign * (_at(thing)[axis] - _at(other)[axis]) >= CLEARLY for other in rivals):
            word = {"left": "leftmost", "right": "rightmost"}.get(side, f"{side}most") if several else side
            ways.append(Words(f"the {word} {_group(thing)}", lambda other: other is thing))
    return ways


def by_look(scene: TableScene, thing: Thing) -> list[Words]:
    """Refer by its colour and visible features, without the name of its kind."""
    before, after = LOOKS[thing.kind]
    return [Words(f"the {before}{thing.colour} {after}", lambda other: _look(other) == _look(thing))]


def _look(thing: Thing) -> tuple[str, str]:
    return thing.kind, thing.colour


def _group(thing: Thing) -> str:
    return "block" if thing.kind in SHAPES else thing.kind


def _at(thing: Thing) -> tuple[float, float]:
    return thing.x, thing.y

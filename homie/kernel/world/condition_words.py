"""Resolve the words of a condition in a world: objects by their names and kinds, and their places."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Annotated

from pydantic import Field

from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.world.snapshot import State, ThingState, WorldSnapshot

ANYTHING, EVERYTHING, NOTHING = "anything", "everything", "nothing"
"""Words of conditions for every loose object, for everything with a door or drawer, and for an empty hand."""

Word = Annotated[str, Field(min_length=1)]
Words = Word | Annotated[tuple[Word, ...], Field(min_length=1)]


def means(words: Words, name: str, kind: str = "") -> bool:
    """Whether one of the words matches an entity of this name and kind."""
    unnumbered = re.sub(r"_\d+$", "", name)
    return any(word in (name, unnumbered, kind) for word in _as_tuple(words))


def objects_meant(world: WorldSnapshot, words: Words) -> list[str]:
    """Return the names of the loose objects that words match."""
    is_any = ANYTHING in _as_tuple(words)
    return [name for name, item in world.objects.items() if is_any or means(words, name, item.kind)]


def place_meant(world: WorldSnapshot, words: Words, name: str) -> bool:
    """Whether words match the entity or room of this name. `anything` matches every loose object here too."""
    item = world.things.get(name) or world.rooms.get(name)
    kind = "" if item is None else item.kind
    return means(words, name, kind) or (ANYTHING in _as_tuple(words) and name in world.objects)


def distance_on_floor(item: ThingState, x: float, y: float) -> float:
    """Return the horizontal distance (m) from a point in the world to the bounding box of an entity (to its centre if
    its size is not known); 0 inside. The entity must have a position."""
    assert item.position is not None
    dx, dy = x - item.position[0], y - item.position[1]
    if item.half is None:
        return math.hypot(dx, dy)
    qw, qx, qy, qz = item.quaternion or (1.0, 0.0, 0.0, 0.0)
    yaw = math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))
    along = abs(dx * math.cos(yaw) + dy * math.sin(yaw)) - item.half[0]
    across = abs(dy * math.cos(yaw) - dx * math.sin(yaw)) - item.half[1]
    return math.hypot(max(along, 0.0), max(across, 0.0))


def from_robot(world: WorldSnapshot, words: Words) -> list[tuple[float, float]]:
    """Return the horizontal offsets (dx, dy), m, from the robot's base to the centre of each entity that words match.
    Raises BadInput if the world has no positions."""
    robot = world.robot
    places = [item.position for name, item in world.things.items() if place_meant(world, words, name)]
    if robot.x is None or robot.y is None or None in places:
        raise BadInput(
            f"The goal asks how far '{format_words(words)}' is from the robot, and this world tells no places."
        )
    return [(place[0] - robot.x, place[1] - robot.y) for place in places if place is not None]


def fractions(world: WorldSnapshot, word: str) -> list[list[float]]:
    """Return the open fractions of the doors and drawers of each receptacle that a word matches. Raises BadInput for
    none."""
    by_receptacle: dict[str, list[float]] = {}
    for joint in world.joints.values():
        if word == EVERYTHING or place_meant(world, word, joint.receptacle):
            by_receptacle.setdefault(joint.receptacle, []).append(joint.fraction)
    if not by_receptacle:
        hint = likely(word, spellings(world, {joint.receptacle for joint in world.joints.values()})) or "."
        raise BadInput(f"The goal asks whether '{word}' is open or closed, and no such thing opens{hint}")
    return list(by_receptacle.values())


def states(world: WorldSnapshot, words: Words, state: str) -> dict[str, State]:
    """Return the values of a state by name, for the entities that have it and that words match."""
    is_any = ANYTHING in _as_tuple(words)
    return {
        name: item.states[state]
        for name, item in world.things.items()
        if state in item.states and (means(words, name, item.kind) or (is_any and name in world.objects))
    }


def format_words(words: Words) -> str:
    """Format words for an error message."""
    return ", ".join(_as_tuple(words))


def names_and_kinds(world: WorldSnapshot) -> Iterator[tuple[str, str]]:
    """Yield the name and kind of everything that a word of a condition can match in a world: entities, rooms,
    receptacles of doors and drawers, places of objects."""
    for group in (world.things, world.rooms):
        yield from ((name, entity.kind) for name, entity in group.items())
    yield from ((joint.receptacle, "") for joint in world.joints.values())
    yield from ((item.at, "") for item in world.objects.values())


def spellings(world: WorldSnapshot, names: Collection[str] | None = None) -> list[str]:
    """Return the valid words for the entities with these names (None for all), kinds first, to suggest a correction of
    a misspelt word."""
    known = [pair for pair in names_and_kinds(world) if any(pair) and (names is None or pair[0] in names)]
    return list(dict.fromkeys([*(kind for _, kind in known if kind), *(name for name, _ in known)]))


def likely(words: Words, known: Collection[str], before: str = ": ", after: str = "") -> str:
    """Suggest a correction for the first word that is similar to a known one (`homie.kernel.errors.did_you_mean`)."""
    hints = (did_you_mean(word, known, before, after) for word in _as_tuple(words))
    return next(filter(None, hints), "")


def _as_tuple(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else words

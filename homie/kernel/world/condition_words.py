"""What the words of a condition mean in a world: things by their names and kinds, and where they are."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Annotated

from pydantic import Field

from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.world.snapshot import State, ThingState, WorldSnapshot

ANYTHING, EVERYTHING, NOTHING = "anything", "everything", "nothing"
"""Words of conditions: every loose object; all that opens; an empty hand."""

Word = Annotated[str, Field(min_length=1)]
Words = Word | Annotated[tuple[Word, ...], Field(min_length=1)]


def means(words: Words, name: str, kind: str = "") -> bool:
    """Whether one of the words means the thing of this name and kind."""
    unnumbered = re.sub(r"_\d+$", "", name)
    return any(word in (name, unnumbered, kind) for word in _as_tuple(words))


def objects_meant(world: WorldSnapshot, words: Words) -> list[str]:
    """The loose objects that words mean."""
    is_any = ANYTHING in _as_tuple(words)
    return [name for name, item in world.objects.items() if is_any or means(words, name, item.kind)]


def place_meant(world: WorldSnapshot, words: Words, name: str) -> bool:
    """Whether words mean the thing or the room of this name. `anything` means every loose object here too."""
    item = world.things.get(name) or world.rooms.get(name)
    kind = "" if item is None else item.kind
    return means(words, name, kind) or (ANYTHING in _as_tuple(words) and name in world.objects)


def distance_on_floor(item: ThingState, x: float, y: float) -> float:
    """Metres on the floor between a point of the world and the box that a thing fills (its middle, where nobody knows
    its size); 0 inside. The thing has a position."""
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
    """From the robot's base to the middle of each thing that words mean, (dx, dy) on the floor, m. Raises BadInput
    where the world tells no places."""
    robot = world.robot
    places = [item.position for name, item in world.things.items() if place_meant(world, words, name)]
    if robot.x is None or robot.y is None or None in places:
        raise BadInput(f"The goal asks how far '{spoken(words)}' is from the robot, and this world tells no places.")
    return [(place[0] - robot.x, place[1] - robot.y) for place in places if place is not None]


def fractions(world: WorldSnapshot, word: str) -> list[list[float]]:
    """How far the doors and drawers of each receptacle are open that a word means. Raises BadInput for none."""
    by_receptacle: dict[str, list[float]] = {}
    for joint in world.joints.values():
        if word == EVERYTHING or place_meant(world, word, joint.receptacle):
            by_receptacle.setdefault(joint.receptacle, []).append(joint.fraction)
    if not by_receptacle:
        hint = likely(word, spellings(world, {joint.receptacle for joint in world.joints.values()})) or "."
        raise BadInput(f"The goal asks whether '{word}' is open or closed, and no such thing opens{hint}")
    return list(by_receptacle.values())


def states(world: WorldSnapshot, words: Words, state: str) -> dict[str, State]:
    """A state of each thing that words mean and that has it, by name."""
    is_any = ANYTHING in _as_tuple(words)
    return {
        name: item.states[state]
        for name, item in world.things.items()
        if state in item.states and (means(words, name, item.kind) or (is_any and name in world.objects))
    }


def spoken(words: Words) -> str:
    """Words as an error names them."""
    return ", ".join(_as_tuple(words))


def names_and_kinds(world: WorldSnapshot) -> Iterator[tuple[str, str]]:
    """Everything that a word of a condition can mean in a world: things, rooms, what opens, what things are at."""
    for group in (world.things, world.rooms):
        yield from ((name, entity.kind) for name, entity in group.items())
    yield from ((joint.receptacle, "") for joint in world.joints.values())
    yield from ((item.at, "") for item in world.objects.values())


def spellings(world: WorldSnapshot, names: Collection[str] | None = None) -> list[str]:
    """The words for what has these names in a world (for everything: None), kinds first: what a misspelt one may have
    meant."""
    known = [pair for pair in names_and_kinds(world) if any(pair) and (names is None or pair[0] in names)]
    return list(dict.fromkeys([*(kind for _, kind in known if kind), *(name for name, _ in known)]))


def likely(words: Words, known: Collection[str], before: str = ": ", after: str = "") -> str:
    """A question about the first of the words that is like a known one (`homie.kernel.errors.did_you_mean`)."""
    hints = (did_you_mean(word, known, before, after) for word in _as_tuple(words))
    return next(filter(None, hints), "")


def _as_tuple(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else words

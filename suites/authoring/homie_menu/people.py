"""Social tasks: give, show or bring something to a person, meet, follow, or ask about a person.

A person is identified by what sets it apart from the others in the house: its shirt, its posture, its gesture, its
room.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from itertools import pairwise

from homie.bench.authoring.house import House
from homie.envs.mujoco.generate.placing_people import SHIRTS
from homie.kernel.types import HELD
from homie.kernel.world.snapshot import PersonState, ThingState
from suites.authoring.homie_menu.draft import Draft, object_name, question, to_see
from suites.authoring.homie_menu.questions import ROOMS

ASIDE = math.radians(25)
"""Angle from the line along which somebody points: a nearer object may be taken for the one that is meant."""
POSTURES = ("sitting", "standing")
SHIRT, POSTURE, GESTURE = "shirt", "posture", "gesture"
"""Distinguishing features of a person."""


def given(house: House, rng: random.Random) -> list[Draft]:
    """Hand an object to a person who holds out a hand."""
    return [
        Draft(
            f"give {sign}",
            f"Give the {object_name(house, thing)} to {who}.",
            (*_fetch(house, thing), f"[Go to, {name}]", f"[Hand over, {HELD}, {name}]"),
            goal={"given": [thing, name]},
        )
        for name, sign, who in _described(house, rng, lambda person: person.gesture == "hand_out")
        for thing in _things(house, rng)[:1]
    ]


def shown(house: House, rng: random.Random) -> list[Draft]:
    """Show an object to a person."""
    return [
        Draft(
            f"show {sign}",
            f"Show the {object_name(house, thing)} to {who}.",
            (*_fetch(house, thing), f"[Go to, {name}]", f"[Show, {HELD}, {name}]"),
            goal={"shown": [thing, name]},
        )
        for name, sign, who in _described(house, rng, lambda person: person.followed is None)
        for thing in _things(house, rng)[:1]
    ]


def brought(house: House, rng: random.Random) -> list[Draft]:
    """Bring the object that a person points at to a person who holds out a hand."""
    return [
        Draft(
            f"bring to {sign}",
            f"Bring what {pointer} points at to {who}.",
            (*_fetch(house, thing), f"[Go to, {name}]", f"[Hand over, {HELD}, {name}]"),
            goal={"given": [thing, name]},
        )
        for guide, pointing, pointer in _described(house, rng, lambda person: person.gesture == "pointing")
        for thing in [house.state.people[guide].points_at]
        if pointing == SHIRT and thing is not None and thing in house.objects and house.container(thing) is None
        if not set(house.objects) & _near_line(house, guide)
        for name, sign, who in _described(house, rng, lambda person: person.gesture == "hand_out")
    ]


def met(house: House, rng: random.Random) -> list[Draft]:
    """Go to a person."""
    return [
        Draft(f"meet {sign}", f"Go to {who}.", (f"[Go to, {name}]",), goal={"near": name})
        for name, sign, who in _described(house, rng, lambda person: person.followed is None)
    ]


def followed(house: House, rng: random.Random) -> list[Draft]:
    """Follow the person who walks."""
    return [
        Draft(
            f"follow {sign}",
            f"Follow {who} to the end of the way.",
            (f"[Go to, {name}]", f"[Follow, {name}]"),
            goal={"followed": name},
        )
        for name, sign, who in _described(house, rng, lambda person: person.followed is False)
    ]


def posture(house: House, rng: random.Random) -> list[Draft]:
    """Ask whether a person sits."""
    return [
        Draft(f"posture by {sign}", f"Is {who} sitting or standing?", (f"[Go to, {name}]",), POSTURES, person.posture)
        for name, sign, who in _described(house, rng, lambda _: True)
        for person in [house.state.people[name]]
        if sign == SHIRT
    ]


def shirt(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the colour of the shirt of a person."""
    return [
        question(
            f"shirt by {sign}",
            f"What colour is the shirt of {who}?",
            house.state.people[name].colour,
            SHIRTS,
            rng,
            (f"[Go to, {name}]",),
        )
        for name, sign, who in _described(house, rng, lambda _: True)
        if sign != SHIRT
    ]


def whereabouts(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the room that a person is in, among all kinds of rooms."""
    return [
        question(
            f"room by {sign}",
            f"In which room is {who}?",
            house.rooms[room],
            ROOMS,
            rng,
            (f"[Go to, {name}]",),
        )
        for name, sign, who in _described(house, rng, lambda person: person.followed is None)
        for room in [house.state.people[name].room or ""]
        if list(house.rooms.values()).count(house.rooms[room]) == 1
    ]


def pointed_at(house: House, rng: random.Random) -> list[Draft]:
    """Ask for the object that a person points at, among objects away from the line."""
    return [
        question(
            "pointing",
            f"What does {who} point at?",
            object_name(house, right),
            [object_name(house, other) for other in aside if object_name(house, other)],
            rng,
            (f"[Go to, {name}]", f"[Go to, {right}]"),
        )
        for name, sign, who in _described(house, rng, lambda person: person.gesture == "pointing")
        for right in [house.state.people[name].points_at or ""]
        if sign == SHIRT and object_name(house, right) and house.container(right) in (None, right)
        for aside in [{*house.objects, *house.furniture} - _near_line(house, name)]
    ]


# ------------------------------------------------------------ references to people


def _described(
    house: House, rng: random.Random, condition: Callable[[PersonState], bool]
) -> Iterator[tuple[str, str, str]]:
    """Yield people of a sort in random order: the name, the feature that is unique in the house, and its
    description."""
    people = house.state.people
    for name in rng.sample(sorted(people), len(people)):
        if not condition(people[name]):
            continue
        for sign, words in _signs(people[name]).items():
            if [other for other, each in people.items() if _signs(each).get(sign) == words] == [name]:
                yield name, sign, words


def _signs(person: PersonState) -> dict[str, str]:
    """Return the possible distinguishing features of a person, with their descriptions."""
    signs = {SHIRT: f"the person in the {person.colour} shirt"}
    if person.posture == "sitting":
        signs[POSTURE] = "the person who is sitting"
    if person.gesture == "pointing":
        signs[GESTURE] = "the person who points at something"
    if person.gesture == "hand_out":
        signs[GESTURE] = "the person who holds out a hand"
        signs[f"{POSTURE} and {GESTURE}"] = f"the {person.posture} person who holds out a hand"
    return signs


# ------------------------------------------------------------ things


def _things(house: House, rng: random.Random) -> list[str]:
    """Return loose objects with an unambiguous short name, in random order."""
    names = [name for name in house.objects if object_name(house, name)]
    return rng.sample(names, len(names))


def _fetch(house: House, thing: str) -> tuple[str, ...]:
    return (*to_see(house, thing), f"[Pick, {thing}]")


def _near_line(house: House, pointer: str) -> set[str]:
    """Return the other objects of the room near the line from a person to the one it points at, seen from above."""
    state = house.state
    person = state.people[pointer]
    right = person.points_at or ""
    return {
        name
        for name, item in state.things.items()
        if name not in (right, pointer)
        and item.room == person.room
        and _from_line(person, state.things[right], item) < ASIDE
    }


def _from_line(person: PersonState, right: ThingState, other: ThingState) -> float:
    """Return the angle (rad) at a person between the object that it points at and the nearest part of another one."""
    assert person.position and right.position and other.position and other.half and other.quaternion
    here = person.position
    middle = math.atan2(right.position[1] - here[1], right.position[0] - here[0])
    w, z = other.quaternion[0], other.quaternion[3]
    c, s = 1 - 2 * z * z, 2 * w * z
    corners = []
    for u, v in ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)):
        x, y = u * other.half[0], v * other.half[1]
        corner = (other.position[0] + c * x - s * y, other.position[1] + s * x + c * y)
        corners.append(math.remainder(math.atan2(corner[1] - here[1], corner[0] - here[0]) - middle, math.tau))
    crossed = any(a * b <= 0 and abs(a - b) < math.pi for a, b in pairwise(corners))
    return 0.0 if crossed else min(abs(corner) for corner in corners)

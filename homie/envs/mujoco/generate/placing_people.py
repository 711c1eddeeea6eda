"""People in a generated house, at free places with floor before them on which the robot can stand.

The house itself stays as it is; where people are is drawn from a stream of its own.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from homie.envs.mujoco.blueprints.person import HALF_Y, KIND, Gesture, Posture
from homie.envs.mujoco.generate.free_floor import FreeFloor, unreachable
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import PersonSpec, RoomSpec
from homie.envs.mujoco.house.surfaces import Corners, square

STREAM = 23
"""Keeps the rng of people apart from those of a house, of its variations and of its states."""
TRIES = 4000
"""Draws of a place for a person."""
ROUND = 0.42
"""Metres from the middle of a person to the nearest obstacle."""
BEFORE = (0.75, 0.95, 1.2)
"""Metres before a person at which the robot can stand: to hand something over, and to show it."""
FAR_FROM_START, FAR_FROM_DOORS, APART = 1.3, 1.0, 1.6
"""Metres from a person to the robot's start, to the middle of a doorway, and to the next person."""
SHIRTS = ("red", "blue", "green", "orange", "purple", "teal")
ROLES: tuple[tuple[Posture, Gesture], ...] = (
    ("standing", "hand_out"),
    ("standing", "none"),
    ("sitting", "hand_out"),
    ("standing", "pointing"),
)
"""What the first, second, ... person does. The second walks."""
WALKER = 1
WAY = (2.0, 3.5)
"""Metres that it walks at least and at most."""
BEND = 0.1
"""Metres between two points of a way that have to be free."""


def with_people(scene: SceneSpec, count: int) -> SceneSpec:
    """The house with so many people. Raises ValueError with one sentence where there is no room for them."""
    rng = np.random.default_rng([scene.seed, STREAM])
    shirts = rng.permutation(len(SHIRTS))
    for number in range(count):
        posture, gesture = ROLES[number % len(ROLES)]
        person = _draw(scene, rng, walks=number % len(ROLES) == WALKER)
        update = {
            "id": KIND if count == 1 else f"{KIND}_{number + 1}",
            "colour": SHIRTS[int(shirts[number % len(SHIRTS)])],
            "posture": posture,
            "gesture": gesture,
            "points_at": _pointed_at(scene, person) if gesture == "pointing" else None,
        }
        scene = scene.model_copy(update={"people": (*scene.people, person.model_copy(update=update))})
    return scene


def _draw(scene: SceneSpec, rng: np.random.Generator, *, walks: bool) -> PersonSpec:
    """A person at a free place, facing free floor."""
    on_floor = [item.corners() for item in scene.objects if item.receptacle in {room.name for room in scene.rooms}]
    floor = FreeFloor(scene, on_floor)
    start = (scene.robot.x, scene.robot.y)
    zone = floor.zone(*start)
    unreached = unreachable(scene)
    for _ in range(TRIES):
        room = scene.rooms[int(rng.integers(len(scene.rooms)))]
        x, y, facing = _place(room, rng)
        if floor.clear(x, y) < ROUND or not _is_far_enough(scene, x, y):
            continue
        yaw = math.radians(facing)
        points_before = [(x + distance * math.cos(yaw), y + distance * math.sin(yaw)) for distance in BEFORE]
        if any(floor.zone(*point) != zone or not room.contains(*point) for point in points_before):
            continue
        footprint: Corners = square(x, y, HALF_Y)
        crowded = FreeFloor(scene, [*on_floor, footprint])
        if (
            any(crowded.zone(*point) != crowded.zone(*start) for point in points_before)
            or unreachable(scene, [footprint]) != unreached
        ):
            continue
        way = _longest_way(scene, floor, room, (x, y), yaw) if walks else ()
        if walks and not way:
            continue
        return PersonSpec(id=KIND, position=(x, y), facing=facing, path=way)
    raise ValueError(f"there is no free place for person {len(scene.people) + 1}")


def _place(room: RoomSpec, rng: np.random.Generator) -> tuple[float, float, float]:
    x = round(float(rng.uniform(room.x0 + ROUND, room.x1 - ROUND)), 2)
    y = round(float(rng.uniform(room.y0 + ROUND, room.y1 - ROUND)), 2)
    return x, y, float(rng.integers(8)) * 45.0


def _is_far_enough(scene: SceneSpec, x: float, y: float) -> bool:
    """Whether a place is far enough from the robot's start, doorways, other people and their ways."""
    return (
        math.dist((x, y), (scene.robot.x, scene.robot.y)) >= FAR_FROM_START
        and all(math.dist((x, y), (door.x, door.y)) >= FAR_FROM_DOORS for door in scene.doorways)
        and _is_far_from_people(scene, x, y)
    )


def _is_far_from_people(scene: SceneSpec, x: float, y: float) -> bool:
    """Whether a place is far enough from other people, and from all of their ways."""
    for person in scene.people:
        points = np.array([person.position, *person.path])
        legs = [np.linspace(a, b, 1 + math.ceil(math.dist(a, b) / BEND)) for a, b in pairwise(points)]
        if np.hypot(*(np.vstack([points, *legs]) - (x, y)).T).min() < APART:
            return False
    return True


def _longest_way(
    scene: SceneSpec, floor: FreeFloor, room: RoomSpec, start: tuple[float, float], yaw: float
) -> tuple[tuple[float, float], ...]:
    """The longest straight way in a room that is free and ends where the robot can come to; () for none."""
    best: tuple[tuple[float, float], ...] = ()
    longest = WAY[0] - BEND
    for turn in np.arange(16) * math.pi / 8:
        dx, dy = math.cos(yaw + turn), math.sin(yaw + turn)
        for length in np.arange(BEND, WAY[1], BEND):
            end = (round(start[0] + length * dx, 2), round(start[1] + length * dy, 2))
            if floor.clear(*end) < ROUND or not room.contains(*end, ROUND) or not _is_far_from_people(scene, *end):
                break
            if length > longest and floor.zone(*end) and _is_far_enough(scene, *end):
                best, longest = (end,), float(length)
    return best


def _pointed_at(scene: SceneSpec, person: PersonSpec) -> str:
    """The thing that is furthest ahead of a person in its room, an object if there is one."""
    x, y = person.position
    room = scene.room_at(x, y)
    c, s = math.cos(person.yaw), math.sin(person.yaw)
    distances_ahead = {
        piece.name: c * (piece.x - x) + s * (piece.y - y) for piece in scene.furniture if piece.room == room
    }
    place = max(distances_ahead, key=lambda name: distances_ahead[name], default=scene.furniture[0].name)
    return next((item.name for item in scene.objects if item.receptacle == place), place)

"""Place people in a generated house, at free positions with free floor in front for the robot.

The house itself stays the same; people are sampled from a separate random stream.
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
"""Seed component that separates the rng of people from those of the house, its variations and its states."""
TRIES = 4000
"""Maximum number of positions sampled for a person."""
ROUND = 0.42
"""Minimum distance (m) from the centre of a person to the nearest obstacle."""
BEFORE = (0.75, 0.95, 1.2)
"""Distances (m) in front of a person at which the robot must be able to stand, to hand over and to show objects."""
FAR_FROM_START, FAR_FROM_DOORS, APART = 1.3, 1.0, 1.6
"""Minimum distances (m) from a person to the robot's start, to the centre of a doorway, and to another person."""
SHIRTS = ("red", "blue", "green", "orange", "purple", "teal")
ROLES: tuple[tuple[Posture, Gesture], ...] = (
    ("standing", "hand_out"),
    ("standing", "none"),
    ("sitting", "hand_out"),
    ("standing", "pointing"),
)
"""Posture and gesture of the first, second, ... person. The second walks."""
WALKER = 1
WAY = (2.0, 3.5)
"""Minimum and maximum length (m) of a path."""
BEND = 0.1
"""Spacing (m) of the points of a path that are checked to be free."""


def with_people(scene: SceneSpec, count: int) -> SceneSpec:
    """Return the house with `count` people. Raises ValueError with one sentence if there is no room for them."""
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
            "points_at": _pointing_target(scene, person) if gesture == "pointing" else None,
        }
        scene = scene.model_copy(update={"people": (*scene.people, person.model_copy(update=update))})
    return scene


def _draw(scene: SceneSpec, rng: np.random.Generator, *, walks: bool) -> PersonSpec:
    """Sample a person at a free position, facing free floor."""
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
        floor_with_person = FreeFloor(scene, [*on_floor, footprint])
        if (
            any(floor_with_person.zone(*point) != floor_with_person.zone(*start) for point in points_before)
            or unreachable(scene, [footprint]) != unreached
        ):
            continue
        walk_path = _longest_path(scene, floor, room, (x, y), yaw) if walks else ()
        if walks and not walk_path:
            continue
        return PersonSpec(id=KIND, position=(x, y), facing=facing, path=walk_path)
    raise ValueError(f"there is no free place for person {len(scene.people) + 1}")


def _place(room: RoomSpec, rng: np.random.Generator) -> tuple[float, float, float]:
    x = round(float(rng.uniform(room.x0 + ROUND, room.x1 - ROUND)), 2)
    y = round(float(rng.uniform(room.y0 + ROUND, room.y1 - ROUND)), 2)
    return x, y, float(rng.integers(8)) * 45.0


def _is_far_enough(scene: SceneSpec, x: float, y: float) -> bool:
    """Whether a position is far enough from the robot's start, doorways, other people and their paths."""
    return (
        math.dist((x, y), (scene.robot.x, scene.robot.y)) >= FAR_FROM_START
        and all(math.dist((x, y), (door.x, door.y)) >= FAR_FROM_DOORS for door in scene.doorways)
        and _is_far_from_people(scene, x, y)
    )


def _is_far_from_people(scene: SceneSpec, x: float, y: float) -> bool:
    """Whether a position is far enough from other people and their paths."""
    for person in scene.people:
        points = np.array([person.position, *person.path])
        legs = [np.linspace(a, b, 1 + math.ceil(math.dist(a, b) / BEND)) for a, b in pairwise(points)]
        if np.hypot(*(np.vstack([points, *legs]) - (x, y)).T).min() < APART:
            return False
    return True


def _longest_path(
    scene: SceneSpec, floor: FreeFloor, room: RoomSpec, start: tuple[float, float], yaw: float
) -> tuple[tuple[float, float], ...]:
    """Return the longest free straight path in a room that ends where the robot can go; () if there is none."""
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


def _pointing_target(scene: SceneSpec, person: PersonSpec) -> str:
    """Return the piece of furniture furthest ahead of a person in the room, or an object on it, if any."""
    x, y = person.position
    room = scene.room_at(x, y)
    c, s = math.cos(person.yaw), math.sin(person.yaw)
    distances_ahead = {
        piece.name: c * (piece.x - x) + s * (piece.y - y) for piece in scene.furniture if piece.room == room
    }
    place = max(distances_ahead, key=lambda name: distances_ahead[name], default=scene.furniture[0].name)
    return next((item.name for item in scene.objects if item.receptacle == place), place)

"""Consistency checks of a scene spec and its people, beyond the types of fields. Every error is one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations

from homie.envs.mujoco.blueprints.parts import FLOOR_SURFACE, WALL
from homie.envs.mujoco.blueprints.person import HALF_Y
from homie.envs.mujoco.house.doors import leaf_corners
from homie.envs.mujoco.house.spec_parts import DoorwaySpec, FurnitureSpec, ObjectSpec, PersonSpec, RoomSpec, SceneParts
from homie.envs.mujoco.house.surfaces import Corners, overlap, square, surfaces_of
from homie.kernel.errors import did_you_mean
from homie.kernel.world.household_verbs import states_of

OVERLAP = 0.02
"""Maximum overlap (m) of two footprints."""

LOWEST = 0.02
"""Maximum depth (m) of an object's centre below its surface, when it hangs over an edge."""

START_MARGIN, START_SQUARE = 0.3, 0.25
"""Distance (m) of the robot's start from walls, and half side (m) of the square around it that must be free of
furniture and objects: about the base of Fetch, whose radius is 0.28 m."""

UNDER_ROBOT = 0.03
"""Maximum height (m) of an object that fits under the robot's base."""


def check(scene: SceneParts) -> None:
    """Raise ValueError with one sentence if names clash, a named entity does not exist, or bodies overlap."""
    _check_unique_names([room.name for room in scene.rooms], "room")
    names = [room.name for room in scene.rooms] + [piece.name for piece in scene.furniture]
    _check_unique_names(
        [*names, *(item.name for item in scene.objects), *(person.id for person in scene.people)], "thing"
    )
    rooms = {room.name: room for room in scene.rooms}
    for a, b in combinations(scene.rooms, 2):
        depth = min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0))
        if depth > OVERLAP:
            raise ValueError(f"rooms '{a.name}' and '{b.name}' overlap {_overlap_text(depth)}")
    for doorway in scene.doorways:
        _check_doorway(doorway, rooms)
    for piece in scene.furniture:
        _check_piece(scene, piece, rooms)
    for piece_a, piece_b in combinations([p for p in scene.furniture if p.stands_on is None], 2):
        if depth := overlap(_collision_footprint(piece_a, piece_b), _collision_footprint(piece_b, piece_a)):
            raise ValueError(
                f"furniture '{piece_a.name}' and '{piece_b.name}' overlap {_overlap_text(depth + OVERLAP)}"
            )
    entities: tuple[FurnitureSpec | ObjectSpec, ...] = (*scene.furniture, *scene.objects)
    for entity in entities:
        _check_states(scene, entity)
    for piece in scene.furniture:
        _check_open_panels(scene, piece)
    for doorway in scene.doorways:
        _check_leaf(scene, doorway, rooms)
    for item in scene.objects:
        _check_object(scene, item, rooms)
    for first, second in combinations([item for item in scene.objects if item.z is None], 2):
        if (first.receptacle, first.surface) == (second.receptacle, second.surface) and (
            depth := _overlap_on_surface(first, second)
        ):
            raise ValueError(f"objects '{first.name}' and '{second.name}' overlap {_overlap_text(depth)}")
    if not any(room.contains(scene.robot.x, scene.robot.y, START_MARGIN) for room in scene.rooms):
        raise ValueError(f"the robot must start inside a room, {START_MARGIN} m from its walls")
    start = square(scene.robot.x, scene.robot.y, START_SQUARE)
    for piece in scene.furniture:
        if depth := overlap(piece.corners(), start):
            raise ValueError(f"the robot starts in '{piece.name}', {_overlap_text(depth)}")
        if depth := max((overlap(panel, start) for panel in piece.panels()), default=0.0):
            raise ValueError(f"the robot starts in the open door or drawer of '{piece.name}', {_overlap_text(depth)}")
    for doorway in scene.doorways:
        leaf = leaf_corners(scene, doorway)
        if leaf is not None and (depth := overlap(leaf, start)):
            first_room, second_room = doorway.rooms
            raise ValueError(
                f"the robot starts in the door between '{first_room}' and '{second_room}', {_overlap_text(depth)}"
            )
    for item in scene.objects:
        tall = 2 * item.plan.half[2] > UNDER_ROBOT + 1e-9
        if item.receptacle in rooms and tall and (depth := overlap(item.corners(), start)):
            raise ValueError(f"the robot starts in '{item.name}', {_overlap_text(depth)}")
    check_people(scene, start)


def _overlap_text(metres: float) -> str:
    """Format an overlap for error messages."""
    return f"by {max(100 * metres, 0.1):.1f} cm"


def _check_unique_names(names: Iterable[str], noun: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the name '{name}' is used by more than one {noun}")
        seen.add(name)


def _check_doorway(doorway: DoorwaySpec, rooms: dict[str, RoomSpec]) -> None:
    for name in doorway.rooms:
        if name not in rooms:
            hint = did_you_mean(name, rooms, " (", ")")
            raise ValueError(f"a doorway leads to '{name}', which is not a room{hint}")
    a, b = (rooms[name] for name in doorway.rooms)
    half = doorway.width / 2
    along_y = any(abs(p - q) < 1e-6 and abs(p - doorway.x) < 1e-6 for p, q in ((a.x0, b.x1), (a.x1, b.x0)))
    along_x = any(abs(p - q) < 1e-6 and abs(p - doorway.y) < 1e-6 for p, q in ((a.y0, b.y1), (a.y1, b.y0)))
    fits_y = max(a.y0, b.y0) + WALL <= doorway.y - half and doorway.y + half <= min(a.y1, b.y1) - WALL
    fits_x = max(a.x0, b.x0) + WALL <= doorway.x - half and doorway.x + half <= min(a.x1, b.x1) - WALL
    if not (along_y and fits_y) and not (along_x and fits_x):
        raise ValueError(f"the doorway between '{a.name}' and '{b.name}' is not within their common wall")


def _check_piece(scene: SceneParts, piece: FurnitureSpec, rooms: dict[str, RoomSpec]) -> None:
    if piece.room not in rooms:
        hint = did_you_mean(piece.room, rooms, " (", ")")
        raise ValueError(f"'{piece.name}' is in '{piece.room}', which is not a room{hint}")
    room = rooms[piece.room]
    if not all(room.contains(x, y, WALL / 2 - 0.015) for x, y in piece.corners()):
        xs, ys = zip(*piece.corners(), strict=True)
        half = WALL / 2
        raise ValueError(
            f"'{piece.name}' stands outside the walls of '{room.name}': it reaches from x {min(xs):.2f} to"
            f" {max(xs):.2f} and y {min(ys):.2f} to {max(ys):.2f}, between the walls are x {room.x0 + half:.2f} to"
            f" {room.x1 - half:.2f} and y {room.y0 + half:.2f} to {room.y1 - half:.2f}"
        )
    if piece.stands_on is None:
        return
    host = scene.furniture_by_name.get(piece.stands_on)
    if host is None or host.name == piece.name or host.stands_on == piece.name:
        hint = did_you_mean(
            piece.stands_on,
            [other_name for other_name in scene.furniture_by_name if other_name != piece.name],
            " (",
            ")",
        )
        raise ValueError(f"'{piece.name}' stands on '{piece.stands_on}', which is not another piece of furniture{hint}")
    if host.blueprint.support is None:
        raise ValueError(f"nothing can stand on '{host.name}'")
    if not overlap(host.corners(), piece.corners()):
        raise ValueError(f"'{piece.name}' is not above '{host.name}'")


def _check_states(scene: SceneParts, entity: FurnitureSpec | ObjectSpec) -> None:
    """Check that a thing has only states that its kind can have, and only in a scene with states."""
    possible_states = states_of(entity.kind)
    for state in entity.states:
        if not scene.states:
            raise ValueError(f"'{entity.name}' cannot be {state}: this scene has no states (give it \"states\": true)")
        if state not in possible_states:
            raise ValueError(
                f"'{entity.name}' cannot be {state} (a {entity.kind} can be: {', '.join(possible_states) or 'nothing'})"
            )


def _check_open_panels(scene: SceneParts, piece: FurnitureSpec) -> None:
    """Check that an open door or drawer overlaps neither furniture on the floor nor another open door or drawer."""
    if piece.stands_on is not None:  # a microwave's door swings above the furniture on the floor
        return
    for other in scene.furniture:
        if other.name == piece.name or other.stands_on is not None:
            continue
        other_shapes = (other.corners(-OVERLAP / 2), *other.panels())
        if depth := max(
            (overlap(panel, other_shape) for panel in piece.panels() for other_shape in other_shapes), default=0.0
        ):
            raise ValueError(
                f"the open door or drawer of '{piece.name}' overlaps '{other.name}' {_overlap_text(depth)}"
            )


def _check_leaf(scene: SceneParts, doorway: DoorwaySpec, rooms: dict[str, RoomSpec]) -> None:
    """Check that the door of a doorway is inside the room that it opens into, and overlaps neither furniture nor open
    doors and drawers there."""
    corners = leaf_corners(scene, doorway)
    if corners is None or doorway.leaf is None:
        return
    name = f"the door between '{doorway.rooms[0]}' and '{doorway.rooms[1]}'"
    if not all(rooms[doorway.leaf.into].contains(x, y, WALL / 2 - 1e-6) for x, y in corners):
        raise ValueError(f"{name} does not fit into '{doorway.leaf.into}' at its opening angle")
    for piece in scene.furniture:
        footprints = (*([piece.corners(-OVERLAP / 2)] if piece.stands_on is None else []), *piece.panels())
        if depth := max((overlap(footprint, corners) for footprint in footprints), default=0.0):
            raise ValueError(f"{name} overlaps '{piece.name}' {_overlap_text(depth)}")
    for other in scene.doorways:
        other_corners = leaf_corners(scene, other)
        if other is not doorway and other_corners is not None and (depth := overlap(other_corners, corners)):
            a, b = other.rooms
            raise ValueError(f"{name} overlaps the door between '{a}' and '{b}' {_overlap_text(depth)}")


def _collision_footprint(piece: FurnitureSpec, other: FurnitureSpec) -> Corners:
    """Return the part of a footprint that must not overlap another piece: of a chair at a table the rear half."""
    corners = piece.corners(-OVERLAP / 2)
    if piece.kind != "chair" or other.kind not in ("table", "desk"):
        return corners
    (fx, fy), (bx, by), (cx, cy), (gx, gy) = corners
    return ((fx + bx) / 2, (fy + by) / 2), (bx, by), (cx, cy), ((gx + cx) / 2, (gy + cy) / 2)


def _check_object(scene: SceneParts, item: ObjectSpec, rooms: dict[str, RoomSpec]) -> None:
    if item.receptacle in rooms:
        _check_on_floor(scene, item, rooms[item.receptacle])
        return
    piece = scene.furniture_by_name.get(item.receptacle)
    if piece is None:
        hint = did_you_mean(item.receptacle, [*scene.furniture_by_name, *rooms], " (", ")")
        raise ValueError(f"'{item.name}' is at '{item.receptacle}', which is neither furniture nor a room{hint}")
    plans = {plan.name: plan for plan in surfaces_of(scene, piece)}
    if item.surface not in plans:
        plan_names = ", ".join(plans) or "none"
        raise ValueError(f"'{piece.name}' has no surface '{item.surface}' for '{item.name}' (it has: {plan_names})")
    plan = plans[item.surface]
    if item.z is not None:
        if abs(item.x) > plan.half_x or abs(item.y) > plan.half_y:
            raise ValueError(f"the centre of '{item.name}' is not above '{item.surface}' of '{piece.name}'")
        if not -LOWEST < item.z < plan.clearance:
            raise ValueError(f"'{item.name}' is below '{item.surface}' of '{piece.name}', or too high for it")
        return
    a, b = item.footprint
    overhang = max(abs(item.x) + a - plan.half_x, abs(item.y) + b - plan.half_y)
    if overhang > 0.0:
        raise ValueError(
            f"'{item.name}' does not fit on '{item.surface}' of '{piece.name}' at that place: it goes beyond the edge"
            f" {_overlap_text(overhang)}"
        )
    low, high = item.heights
    excess_height = high - low + 0.01 - plan.clearance
    if excess_height > 0.0:
        raise ValueError(
            f"'{item.name}' is too tall for '{item.surface}' of '{piece.name}', {_overlap_text(excess_height)}"
        )


def _check_on_floor(scene: SceneParts, item: ObjectSpec, room: RoomSpec) -> None:
    if item.surface != FLOOR_SURFACE:
        raise ValueError(f"'{room.name}' has no surface '{item.surface}' for '{item.name}' (it has: {FLOOR_SURFACE})")
    if not all(room.contains(x, y, WALL / 2) for x, y in item.corners()):
        raise ValueError(f"'{item.name}' lies outside the walls of '{room.name}'")
    if item.z is not None:  # it may lie under a table
        return
    for piece in scene.furniture:
        if piece.stands_on is None and (depth := overlap(piece.corners(), item.corners())):
            raise ValueError(f"'{item.name}' on the floor and '{piece.name}' overlap {_overlap_text(depth)}")


def _overlap_on_surface(first: ObjectSpec, second: ObjectSpec) -> float:
    """Return the overlap (m) of two objects on one surface; 0 if they do not overlap."""
    (a, b), (c, d) = first.footprint, second.footprint
    return max(0.0, min(a + c - abs(first.x - second.x), b + d - abs(first.y - second.y)))


STEP = 0.1
"""Spacing (m) of the points of a path that are checked."""


def check_people(scene: SceneParts, start: Corners) -> None:
    """Raise ValueError with one sentence if a person overlaps something or is outside all rooms.

    Args:
        start: The robot's footprint.
    """
    things = {piece.name for piece in scene.furniture} | {item.name for item in scene.objects}
    things |= {person.id for person in scene.people}
    for person in scene.people:
        if person.points_at is not None and (person.points_at not in things or person.points_at == person.id):
            hint = did_you_mean(person.points_at, things - {person.id}, " (", ")")
            raise ValueError(f"'{person.id}' points at '{person.points_at}', which is not a thing of this scene{hint}")
        for corners in _footprints_on_path(person):
            obstruction = _obstruction_at(scene, corners)
            if obstruction:
                raise ValueError(f"'{person.id}' {'walks' if person.path else 'is'} {obstruction}")
        if depth := overlap(person.corners(), start):
            raise ValueError(f"the robot starts in '{person.id}', {_overlap_text(depth)}")
    for first, second in combinations(scene.people, 2):
        footprint_pairs = [
            (_footprints_on_path(first), second.corners()),
            (_footprints_on_path(second), first.corners()),
        ]
        if depth := max(
            overlap(corners, place) for footprints_on_path, place in footprint_pairs for corners in footprints_on_path
        ):
            raise ValueError(f"'{first.id}' and '{second.id}' overlap {_overlap_text(depth)}")


def _footprints_on_path(person: PersonSpec) -> Iterator[Corners]:
    """Yield the footprints of a person: at the start, and at points of the path."""
    yield person.corners()
    position = person.position
    for target in person.path:
        count = max(math.ceil(math.dist(position, target) / STEP), 1)
        for k in range(1, count + 1):
            share = k / count
            point = (position[0] + share * (target[0] - position[0]), position[1] + share * (target[1] - position[1]))
            yield square(*point, HALF_Y)
        position = target


def _obstruction_at(scene: SceneParts, corners: Corners) -> str:
    """Describe the obstruction at a footprint: `in 'table'`; "" if the floor is free."""
    if not all(_person_on_floor(scene, x, y) for x, y in corners):
        return "outside the rooms or in a wall"
    for piece in scene.furniture:
        if any(overlap(footprint, corners) for footprint in (piece.corners(), *piece.panels())):
            return f"in '{piece.name}'"
    rooms = {room.name for room in scene.rooms}
    for item in scene.objects:
        if item.receptacle in rooms and overlap(item.corners(), corners):
            return f"in '{item.name}'"
    for doorway in scene.doorways:
        leaf = leaf_corners(scene, doorway)
        if leaf is not None and overlap(leaf, corners):
            return f"in the door between '{doorway.rooms[0]}' and '{doorway.rooms[1]}'"
    return ""


def _person_on_floor(scene: SceneParts, x: float, y: float) -> bool:
    """Whether a point is between the walls of a room, or in a doorway."""
    if any(room.contains(x, y, WALL / 2) for room in scene.rooms):
        return True
    rooms = {room.name: room for room in scene.rooms}
    for doorway in scene.doorways:
        first_room = rooms[doorway.rooms[0]]
        is_on_x_wall = min(abs(doorway.x - first_room.x0), abs(doorway.x - first_room.x1)) < 1e-6
        u, v = (WALL / 2, doorway.width / 2) if is_on_x_wall else (doorway.width / 2, WALL / 2)
        if abs(x - doorway.x) <= u + 1e-9 and abs(y - doorway.y) <= v + 1e-9:
            return True
    return False

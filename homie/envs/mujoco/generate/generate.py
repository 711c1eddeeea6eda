"""Generate houses from a seed. The same seed gives the same scene spec on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from homie.envs.mujoco.blueprints.catalog import CATALOGUES
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.generate.colour_scheme import ColourScheme
from homie.envs.mujoco.generate.free_floor import FreeFloor, unreachable
from homie.envs.mujoco.generate.furniture_of_rooms import RECIPES, NoRoom
from homie.envs.mujoco.generate.place_furniture import Floor, Piece
from homie.envs.mujoco.generate.place_objects import Sides, place_objects
from homie.envs.mujoco.generate.requested_changes import Variation, apply_variation
from homie.envs.mujoco.generate.rooms import plan_rooms
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import DoorwaySpec, FurnitureSpec, RoomSpec, StartSpec
from homie.kernel.errors import BadInput
from homie.kernel.options import Catalogue, Furnishing, HouseOptions
from homie.kernel.support.validation_sentences import first_problem

ATTEMPTS = 100
"""Maximum number of houses sampled for a seed."""
START_CLEARANCE = 0.6
"""Distance (m) of the robot's start from obstacles and walls: its radius is 0.28 m, and it must turn and unfold."""
START_TRIES = 300
"""Maximum number of start poses sampled in a room."""


def generate(
    seed: int,
    rooms: int | None = None,
    objects: int = 40,
    variation: Variation | None = None,
    catalogue: Catalogue = "ycb",
    furniture: Furnishing = "usual",
) -> SceneSpec:
    """Generate a furnished house with movable objects and a collision-free start pose for the robot.

    Args:
        seed: 0 to 2**32 - 1; the same arguments give the same house on every machine.
        rooms: number of rooms, 2 to 6; None samples 3 to 6.
        objects: number of movable objects, 0 to 60.
        variation: changes to the seed's house (further objects, open doors, another start, clutter, people).
        catalogue: the kinds that the objects are sampled from: `ycb`, or all of the `household`.
        furniture: `usual`, or `household`: with furniture that has other openings than one door or one drawer.

    Returns:
        A valid scene in which the robot reaches every room and every container.

    Raises:
        BadInput: a value is out of range, or the house of this seed cannot have the variation.

    Example:
        >>> house = generate(7, rooms=3, objects=12)
        >>> len(house.rooms), len(house.objects)
        (3, 12)
    """
    if not 0 <= seed < 2**32:
        raise BadInput(f"The seed must be between 0 and {2**32 - 1}, not {seed}.")
    if rooms is not None and not 2 <= rooms <= 6:
        raise BadInput(f"A generated house has 2 to 6 rooms, not {rooms}.")
    if not 0 <= objects <= 60:
        raise BadInput(f"A generated house has 0 to 60 loose objects, not {objects}.")
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([seed, attempt])
        try:
            count = rooms if rooms is not None else int(rng.integers(3, 7))
            scene, sides = _house(seed, count, objects, CATALOGUES[catalogue], furniture, rng)
        except NoRoom:
            continue
        return _apply_variation(scene, sides, variation) if variation else scene
    raise BadInput(f"No house fits seed {seed} with {rooms} rooms and {objects} objects: try another seed.")


def house_of(house: HouseOptions, seed: int, scene: Path | None) -> SceneSpec:
    """Return the scene for some options: from a spec file, or the house of a seed. Raises BadInput."""
    if scene is not None:
        return SceneSpec.load(scene)
    variation = Variation(house.start, house.opened, house.added, house.clutter, house.states, house.people)
    return generate(seed, house.rooms, house.objects, variation, house.catalogue, house.furniture)


def _apply_variation(scene: SceneSpec, sides: Sides, variation: Variation) -> SceneSpec:
    try:
        return apply_variation(scene, sides, variation)
    except ValidationError as error:
        reason = first_problem(error)
    except ValueError as error:
        reason = str(error)
    end = "" if reason.endswith("?") else "."
    raise BadInput(f"Cannot apply these options to the house of seed {scene.seed}: {reason}{end}")


def _house(
    seed: int,
    count: int,
    objects: int,
    kinds: Mapping[str, ObjectKind],
    furnishing: Furnishing,
    rng: np.random.Generator,
) -> tuple[SceneSpec, Sides]:
    """Make one attempt: return the house and the sides from which each piece can be reached.

    Raises NoRoom if an essential piece does not fit or cannot be reached.
    """
    rooms, doorways = plan_rooms(rng, count)
    scheme = ColourScheme.draw(rng, furnishing)
    floors = [_furnish(room, doorways, scheme, rng) for room in rooms]
    pieces = [piece for floor in floors for piece in floor.pieces]
    _name(pieces)
    furniture = tuple(_spec(piece) for piece in pieces)
    empty = SceneSpec.model_construct(
        version=1, seed=seed, rooms=rooms, doorways=doorways, furniture=furniture, objects=(), robot=StartSpec(x=0, y=0)
    )
    empty = empty.model_copy(update={"robot": _start(empty, rng)})
    unreachable_names = unreachable(empty)
    if unreachable_names:
        raise NoRoom(", ".join(unreachable_names))
    sides = {piece.name: floor.open_sides(piece) for floor in floors for piece in floor.pieces}
    things = place_objects(empty, sides, kinds, objects, rng)
    if len(things) < objects:
        raise NoRoom("objects")
    return SceneSpec(
        seed=seed, rooms=rooms, doorways=doorways, furniture=furniture, objects=things, robot=empty.robot
    ), sides


def _furnish(
    room: RoomSpec, doorways: tuple[DoorwaySpec, ...], scheme: ColourScheme, rng: np.random.Generator
) -> Floor:
    floor = Floor(room, doorways, rng)
    RECIPES[room.kind](floor, scheme)
    return floor


def _name(pieces: list[Piece]) -> None:
    """Name each piece by its kind, with a number if there are several."""
    total = Counter(piece.kind for piece in pieces)
    seen: Counter[str] = Counter()
    for piece in pieces:
        seen[piece.kind] += 1
        piece.name = piece.kind if total[piece.kind] == 1 else f"{piece.kind}_{seen[piece.kind]}"


def _spec(piece: Piece) -> FurnitureSpec:
    return FurnitureSpec(
        name=piece.name,
        kind=piece.kind,
        colour=piece.colour,
        room=piece.room,
        x=piece.x,
        y=piece.y,
        yaw=round(piece.yaw, 6),
        stands_on=piece.stands_on.name if piece.stands_on else None,
        width=piece.width,
        depth=piece.depth,
        height=piece.height,
        hinge=piece.hinge,
        on=piece.on,
    )


def _start(scene: SceneSpec, rng: np.random.Generator) -> StartSpec:
    """Sample a free start pose for the robot: in the living room, else in the largest room, parallel to a wall."""
    floor = FreeFloor(scene)
    room = max(scene.rooms, key=lambda r: (r.kind == "living room", (r.x1 - r.x0) * (r.y1 - r.y0)))
    for _ in range(START_TRIES):
        x = float(rng.uniform(room.x0 + START_CLEARANCE, room.x1 - START_CLEARANCE))
        y = float(rng.uniform(room.y0 + START_CLEARANCE, room.y1 - START_CLEARANCE))
        if floor.clear(x, y) > START_CLEARANCE:
            yaw = float(rng.integers(4)) * np.pi / 2 - np.pi / 2
            return StartSpec(x=round(x, 2), y=round(y, 2), yaw=round(float(yaw), 6))
    raise NoRoom("robot")

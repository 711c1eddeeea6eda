"""Houses from seeds: valid, different, the same again, reachable, plausible."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT
from homie.envs.mujoco.generate.free_floor import unreachable
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import StartSpec
from homie.envs.mujoco.house.surfaces import overlap, surfaces_of
from homie.kernel.errors import BadInput

SEEDS = range(30)


@pytest.fixture(scope="module")
def houses() -> list[SceneSpec]:
    return [generate(seed) for seed in SEEDS]


def test_thirty_different_valid_houses(houses: list[SceneSpec]) -> None:
    texts = {house.dump() for house in houses}
    assert len(texts) == len(houses)
    assert all(SceneSpec.parse(text) for text in texts)
    assert {len(house.rooms) for house in houses} == {3, 4, 5, 6}
    assert all(len(house.objects) == 40 for house in houses)


def test_same_seed_same_house() -> None:
    assert generate(11).dump() == generate(11).dump()


@pytest.mark.parametrize("rooms", [2, 3, 4, 5, 6])
def test_rooms_and_objects_as_asked(rooms: int) -> None:
    house = generate(5, rooms=rooms, objects=20)
    assert len(house.rooms) == rooms
    assert len(house.objects) == 20


@pytest.mark.parametrize(
    ("seed", "rooms", "objects", "words"),
    [
        (-1, None, 40, "seed"),
        (2**32, None, 40, "seed"),
        (0, 7, 40, "2 to 6"),
        (0, 1, 40, "2 to 6"),
        (0, None, 61, "0 to 60"),
    ],
)
def test_bad_requests_are_refused(seed: int, rooms: int | None, objects: int, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        generate(seed, rooms, objects)


def test_everything_can_be_reached(houses: list[SceneSpec]) -> None:
    assert {house.seed: unreachable(house) for house in houses} == {house.seed: [] for house in houses}


def test_unreachable_rooms_are_noticed(houses: list[SceneSpec]) -> None:
    house = houses[0]
    shut = house.model_copy(update={"doorways": ()})
    lost = set(unreachable(shut))
    start = next(room.name for room in house.rooms if room.contains(house.robot.x, house.robot.y))
    assert {room.name for room in house.rooms} - {start} <= lost
    stuck = house.model_copy(update={"robot": StartSpec(x=house.rooms[0].x0, y=house.rooms[0].y0)})
    assert unreachable(stuck) == ["robot"]


def test_floor_in_front_of_furniture_is_free(houses: list[SceneSpec]) -> None:
    """The strip 0.56 m wide and 1.2 m deep before every container and surface touches no other piece."""
    for house in houses:
        standing = [piece for piece in house.furniture if piece.stands_on is None]
        for piece in standing:
            plan = piece.blueprint
            if plan.free_front < FREE_FRONT:
                continue
            c, s = np.cos(piece.yaw), np.sin(piece.yaw)
            near, far = plan.half_x + 0.12, plan.half_x + 1.2
            strip = [(near, -0.28), (far, -0.28), (far, 0.28), (near, 0.28)]
            corners = tuple((piece.x + c * u - s * v, piece.y + s * u + c * v) for u, v in strip)
            blocked = [other.name for other in standing if other is not piece and overlap(corners, other.corners())]
            assert blocked == [], (house.seed, piece.name)


def test_objects_are_on_their_surface_near_an_edge_and_apart(houses: list[SceneSpec]) -> None:
    for house in houses:
        pieces = house.furniture_by_name
        for thing in house.objects:
            piece = pieces[thing.receptacle]
            surface = next(plan for plan in surfaces_of(house, piece) if plan.name == thing.surface)
            a, b = thing.footprint
            assert abs(thing.x) + a <= surface.half_x - 0.039
            assert abs(thing.y) + b <= surface.half_y - 0.039
            x, y = surface.center[0] + thing.x, surface.center[1] + thing.y
            plan = piece.blueprint
            edge = min(plan.half_x - abs(x), plan.half_y - abs(y)) if not surface.link else 0.0
            assert edge <= 0.301, (house.seed, thing.name)
        for first, other in combinations(house.objects, 2):
            if (first.receptacle, first.surface) == (other.receptacle, other.surface):
                gap_x = abs(first.x - other.x) - first.footprint[0] - other.footprint[0]
                gap_y = abs(first.y - other.y) - first.footprint[1] - other.footprint[1]
                assert max(gap_x, gap_y) > 0.065, (house.seed, first.name, other.name)


def test_some_objects_are_inside_closed_containers(houses: list[SceneSpec]) -> None:
    for house in houses:
        pieces = house.furniture_by_name
        hidden = sum(bool(pieces[thing.receptacle].blueprint.articulations) for thing in house.objects)
        assert 4 <= hidden <= 24, house.seed


def test_every_object_fits_the_gripper(houses: list[SceneSpec]) -> None:
    assert all(min(thing.plan.half[:2]) <= 0.0425 or thing.plan.hollow for thing in houses[0].objects)


def test_coloured_tables_and_cabinets_are_unambiguous(houses: list[SceneSpec]) -> None:
    for house in houses:
        for kind in ("table", "cabinet"):
            colours = [piece.colour for piece in house.furniture if piece.kind == kind]
            assert len(colours) == len(set(colours)), (house.seed, kind)

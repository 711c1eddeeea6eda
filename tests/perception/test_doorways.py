"""Doorways, as depth alone shows them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from furnished import House

from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.types import VIEWS, Pose2
from perception.memory.doorways import Doorways, gaps
from perception.scan import Scan

DOORS = ((4.0, 2.0), (1.2, 4.0))
ROOMS = (
    {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 4, "y1": 4},
    {"name": "study", "kind": "study", "x0": 4, "y0": 0, "x1": 8, "y1": 4},
    {"name": "bathroom", "kind": "bathroom", "x0": 0, "y0": 4, "x1": 4, "y1": 7},
)
FURNITURE = (
    {"room": "kitchen", "name": "fridge", "kind": "fridge", "colour": "white", "x": 0.45, "y": 0.6},
    {"room": "kitchen", "name": "shelf", "kind": "shelf", "colour": "wood", "x": 0.25, "y": 2.0},
)
"""Between the two is a niche as wide as a door."""


@pytest.fixture(scope="module")
def house() -> House:
    doorways = [
        {"rooms": ["kitchen", room], "x": x, "y": y} for room, (x, y) in zip(("study", "bathroom"), DOORS, strict=True)
    ]
    scene = {"rooms": ROOMS, "doorways": doorways, "furniture": FURNITURE, "robot": {"x": 2.0, "y": 2.0}}
    return House(SceneSpec.model_validate(scene))


def scans(house: House, base: Pose2) -> list[Scan]:
    frames = house.observe(base).frames
    taken = [Scan.of(frames[view]) for view in VIEWS]
    return [scan for scan in taken if scan is not None]


def look(house: House, doorways: Doorways, base: Pose2) -> None:
    doorways.update(scans(house, base), base)


@pytest.mark.parametrize("base", [Pose2(2.4, 1.2, 0.3), Pose2(1.5, 2.2, 1.2), Pose2(2.0, 1.0, -2.9)])
def test_the_openings_of_a_room_and_nothing_else(house: House, base: Pose2) -> None:
    openings = gaps(scans(house, base), base.xy)
    assert openings
    for gap in openings:
        off = min(float(np.hypot(*(gap.middle - door))) for door in DOORS)
        assert off < 0.15, gap


def test_one_is_explored_when_it_was_seen_from_both_sides(house: House) -> None:
    doorways = Doorways()
    for base in (Pose2(2.4, 1.2, 0.3), Pose2(2.6, 2.0, 0.0)):
        look(house, doorways, base)
    study = min(doorways.all, key=lambda doorway: float(np.hypot(*(doorway.best.middle - DOORS[0]))))
    assert not study.explored
    before = len(doorways.all)
    look(house, doorways, Pose2(5.5, 2.1, 0.2))
    assert study.explored and len(doorways.all) == before


@pytest.mark.parametrize(("x", "beyond"), [(2.5, 1), (5.5, -1)])
def test_going_through_it_ends_on_the_other_side(house: House, x: float, beyond: int) -> None:
    doorways = Doorways()
    look(house, doorways, Pose2(2.4, 1.2, 0.3))
    study = min(doorways.all, key=lambda doorway: float(np.hypot(*(doorway.best.middle - DOORS[0]))))
    x0, y0, x1, y1 = study.square(Pose2(x, 2.0, 0.0))
    assert math.copysign(1, (x0 + x1) / 2 - DOORS[0][0]) == beyond
    assert y0 < DOORS[0][1] < y1

"""Surfaces that things can be put on, against the truth."""

from __future__ import annotations

import numpy as np
import pytest
from furnished import House

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import Array, Surface
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator
from perception.memory.surfaces import find_surfaces


def _seen_surfaces(house: House, locator: SensorLocator, detector: SimulatedDetector, name: str) -> tuple[Surface, ...]:
    center = house.world.receptacle_box(house.world.receptacles[name]).center
    for metres, aside in ((1.4, 0.3), (0.6, 0.0)):
        observation = house.observe(house.before(name, metres, aside), head=center)
        locator.update(observation, detector.detect(observation))
    return locator.goal(name, ACTION_TABLE["Put"], observation).surfaces


def _true_surfaces(house: House, name: str) -> list[Surface]:
    thing = house.world.receptacles[name]
    return [house.world.surface(thing, plan) for plan in thing.surfaces if house.world.accessible(thing, plan)]


def _agree(surface: Surface, true: Surface, height: float) -> bool:
    sizes = sorted((surface.half_x, surface.half_y)), sorted((true.half_x, true.half_y))
    return (
        abs(surface.center[2] - true.center[2]) < height
        and float(np.linalg.norm(surface.center[:2] - true.center[:2])) < 0.05
        and bool(np.allclose(*sizes, atol=0.04))
    )


@pytest.mark.parametrize("name", ["table_1", "table_2"])
def test_table_tops(house: House, locator: SensorLocator, detector: SimulatedDetector, name: str) -> None:
    (surface,) = _seen_surfaces(house, locator, detector, name)
    (true,) = _true_surfaces(house, name)
    assert _agree(surface, true, 0.01)
    assert np.isinf(surface.clearance)
    assert surface.access is None


def test_the_basin_of_a_sink_comes_before_its_rim(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    surfaces = _seen_surfaces(house, locator, detector, "sink")
    (true,) = _true_surfaces(house, "sink")
    assert _agree(surfaces[0], true, 0.05)
    assert surfaces[0].access is None


def test_shelves_of_an_open_fridge(house: House, locator: SensorLocator, detector: SimulatedDetector) -> None:
    house.open("fridge", 1.6)
    surfaces = _seen_surfaces(house, locator, detector, "fridge")
    for true in _true_surfaces(house, "fridge"):
        match = next(surface for surface in surfaces if _agree(surface, true, 0.01))
        assert match.clearance == pytest.approx(true.clearance, abs=0.04)
        assert match.access is not None
        assert true.access is not None
        assert match.access @ true.access > 0.99


def test_a_closed_fridge_offers_nothing(house: House, locator: SensorLocator, detector: SimulatedDetector) -> None:
    assert _seen_surfaces(house, locator, detector, "fridge") == ()


def test_an_open_drawer_offers_what_is_pulled_out(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    assert _seen_surfaces(house, locator, detector, "drawer") == ()
    house.open("drawer", 0.3)
    (surface,) = _seen_surfaces(house, locator, detector, "drawer")
    (true,) = _true_surfaces(house, "drawer")
    assert _agree(surface, true, 0.02)


def test_boards_of_a_shelf_are_entered_from_the_front(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    surfaces = _seen_surfaces(house, locator, detector, "shelf")
    below_eye = [true for true in _true_surfaces(house, "shelf") if true.center[2] < 1.0]
    assert below_eye
    for true in below_eye:
        match = next(surface for surface in surfaces if _agree(surface, true, 0.01))
        assert match.access is not None
        assert match.access @ np.array([0.0, 1.0]) > 0.99


def _plate(x0: float, x1: float, y0: float, y1: float, z: float) -> Array:
    x, y = np.meshgrid(np.arange(x0, x1, 0.02), np.arange(y0, y1, 0.02))
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, z)], axis=1)


def test_a_rim_alone_is_no_surface_and_a_roof_makes_a_compartment() -> None:
    front = np.array([1.0, 0.0])
    frame = [_plate(0, 0.6, 0, 0.05, 0.5), _plate(0, 0.6, 0.55, 0.6, 0.5), _plate(0, 0.05, 0, 0.6, 0.5)]
    assert find_surfaces(np.concatenate(frame), np.concatenate(frame), 0.0, front) == ()
    board, roof = _plate(0, 0.6, 0, 0.6, 0.5), _plate(0, 0.6, 0, 0.6, 0.8)
    (inside,) = find_surfaces(np.concatenate([board, roof]), board, 0.0, front)
    assert inside.clearance == pytest.approx(0.3, abs=0.01)
    assert inside.access is front
    (bare,) = find_surfaces(board, board, 0.0, front)
    assert np.isinf(bare.clearance)

"""Fixtures of the perception tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from furnished import SCENE, BlindRobot, House

from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator


@pytest.fixture(scope="session")
def built() -> House:
    return House(SCENE)


@pytest.fixture
def house(built: House) -> Iterator[House]:
    """The furnished room of `furnished.py` in its first state."""
    built.reset()
    yield built
    built.reset()


@pytest.fixture
def locator() -> SensorLocator:
    locator = SensorLocator(BlindRobot())
    locator.reset(seed=0)
    return locator


@pytest.fixture
def detector() -> SimulatedDetector:
    return SimulatedDetector()

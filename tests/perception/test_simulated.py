"""The simulated detector reports what is really visible, by the names of people."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from furnished import BlindRobot, House

from homie.kernel.types import VIEWS, Observation, Pose2
from perception.detectors.simulated import SimulatedDetector, SimulatedSettings, is_room
from perception.locator import SensorLocator

MIDDLE = Pose2(3.0, 3.0, 0.0)


def test_names_kinds_colours_and_rooms(house: House, detector: SimulatedDetector) -> None:
    detections = detector.detect(house.observe(MIDDLE))
    names = {(d.name, d.instance, d.part) for d in detections}
    assert ("brown table", "table_1", "") in names
    assert ("white table", "table_2", "") in names
    assert ("kitchen", "kitchen", "floor") in names
    assert ("fridge", "fridge", "door") in names
    assert ("fridge", "fridge", "handle") in names
    assert ("drawer", "drawer", "drawer") in names
    assert not {d.instance for d in detections} & {"wall", "floor", ""}


def test_boxes_are_tight_and_larger_ones_come_first(house: House, detector: SimulatedDetector) -> None:
    detections = detector.detect(house.observe(MIDDLE))
    for view in VIEWS:
        areas = [(d.box[2] - d.box[0]) * (d.box[3] - d.box[1]) for d in detections if d.view == view]
        assert len(areas) > 1
        assert areas == sorted(areas, reverse=True)
    for d in detections:
        assert d.mask is not None
        rows, columns = np.nonzero(d.mask)
        assert d.box == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


def test_what_is_behind_a_closed_door_is_not_reported(house: House, detector: SimulatedDetector) -> None:
    closed = detector.detect(house.observe(house.before("fridge", 0.9)))
    house.open("fridge", 1.6)
    opened = detector.detect(house.observe(house.before("fridge", 0.9)))
    assert "tomato_soup_can" not in {d.instance for d in closed}
    assert "tomato_soup_can" in {d.instance for d in opened}


def test_small_things_are_reported_only_from_near(house: House) -> None:
    far, near = house.observe(Pose2(2.6, 1.5, 1.57)), house.observe(house.before("table_1", 0.6))
    strict = SimulatedDetector(settings=SimulatedSettings(min_pixels=60))
    assert "apple_1" not in {d.instance for d in strict.detect(far)}
    assert "apple_1" in {d.instance for d in strict.detect(near)}
    assert "apple_1" in {d.instance for d in SimulatedDetector(settings=SimulatedSettings(min_pixels=5)).detect(far)}


def test_no_segmentation_no_detections(house: House, detector: SimulatedDetector) -> None:
    observation = house.observe(MIDDLE)
    frames = {name: dataclasses.replace(frame, instances=None) for name, frame in observation.frames.items()}
    assert detector.detect(Observation(observation.stamp, observation.body, frames)) == ()


def test_rooms_from_names() -> None:
    assert is_room("living_room_2")
    assert not is_room("kitchen_counter_1")


@pytest.mark.parametrize("metres", [0.4, 1.5, 3.0])
def test_a_cabinet_has_the_colour_of_its_door(house: House, detector: SimulatedDetector, metres: float) -> None:
    """In front of it the door hides the body, and the black plinth is all that is seen of that."""
    detections = detector.detect(house.observe(house.before("cabinet", metres)))
    assert {detection.name for detection in detections if detection.instance == "cabinet"} == {"green cabinet"}


def test_without_instances_the_memory_tells_things_of_a_kind_apart(house: House) -> None:
    looks = [house.observe(base) for base in (MIDDLE, Pose2(2.4, 2.0, 1.5), house.before("fridge", 0.9))]
    looks = [dataclasses.replace(observation, stamp=float(number)) for number, observation in enumerate(looks)]
    memories = []
    for settings in (SimulatedSettings(), SimulatedSettings(instances=False)):
        locator = SensorLocator(BlindRobot())
        locator.reset(seed=0)
        for observation in looks:
            detections = SimulatedDetector(settings=settings).detect(observation)
            assert all(bool(d.instance) == settings.instances for d in detections)
            locator.update(observation, detections)
        things = locator._things
        memories.append(
            (
                sorted(room.identity.kind for room in things.rooms.values()),
                sorted((piece.identity.kind, piece.part, piece.state) for piece in things.furniture.values()),
                sorted(item.identity.kind for item in things.objects.values()),
            )
        )
    assert memories[0] == memories[1]
    assert all(memories[0])


def test_furniture_of_the_wrong_kind_is_forgotten_for_what_more_speaks_for(house: House) -> None:
    observation = house.observe(MIDDLE)
    detections = SimulatedDetector(settings=SimulatedSettings(instances=False)).detect(observation)
    wrong = tuple(dataclasses.replace(d, name="desk") if d.name.endswith("table") else d for d in detections)
    locator = SensorLocator(BlindRobot())
    locator.reset(seed=0)
    kinds = []
    for stamp, reported in enumerate((wrong, detections, detections)):
        locator.update(dataclasses.replace(observation, stamp=float(stamp)), reported)
        kinds.append(sorted({piece.identity.kind for piece in locator._things.furniture.values()} & {"desk", "table"}))
    assert kinds[0] == ["desk"] and kinds[-1] == ["table"]

"""What a planner sees of what was seen: the same in both settings, true, and understood when it is used."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
from boxes_only import BoxesOnly
from furnished import House
from homes import stand

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import Locator, background
from homie.kernel.knowledge import Knowledge
from homie.kernel.types import VIEWS, Detection, Observation, Pose2
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator


def look(home: MujocoHome, locators: list[Locator]) -> tuple[Observation, tuple[Detection, ...]]:
    observation = home.observe(VIEWS)
    detections = SimulatedDetector().detect(observation)
    for locator in locators:
        locator.update(observation, detections)
    return observation, detections


def go_to(locator: Locator, name: str, observation: Observation) -> str | None:
    return locator.resolve(name, ACTION_TABLE["Go to"], observation)


@pytest.fixture(scope="module", params=[6001, 7])
def explored(request: pytest.FixtureRequest) -> Iterator[tuple[MujocoHome, list[Locator], list[Knowledge]]]:
    """A generated house, seen from three places by both locators, and what both know at the end."""
    with MujocoHome(generate(request.param)) as home:
        locators: list[Locator] = [background(home), SensorLocator(home)]
        for locator in locators:
            locator.reset(seed=0)
        start = home.scene.robot
        rooms = [room for room in home.scene.rooms if room.name != home.world.room_of(np.array([start.x, start.y]))]
        places = [(start.x, start.y), *(((room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2) for room in rooms[:2])]
        for number, (x, y) in enumerate(places, 1):
            stand(home.model, home.data, x, y, 0.5 * number)
            look(home, locators)
            knowledge_of_each = [locator.knowledge(number) for locator in locators]
        yield home, locators, knowledge_of_each


def test_both_settings_tell_the_same(explored: tuple[MujocoHome, list[Locator], list[Knowledge]]) -> None:
    _, _, (first, second) = explored
    assert (first.setting, second.setting) == ("background", "sensors")
    assert first.remembered == second.remembered and len(first.remembered) > 10
    assert (first.room, first.rooms, first.doorways) == (second.room, second.rooms, second.doorways)
    assert first.rooms[0] == first.room != ""


def test_every_name_that_is_reported_is_understood(explored: tuple[MujocoHome, list[Locator], list[Knowledge]]) -> None:
    home, locators, knowledge_of_each = explored
    observation, detections = look(home, locators)
    for locator, knowledge in zip(locators, knowledge_of_each, strict=True):
        meant = [go_to(locator, item.name, observation) for item in knowledge.remembered]
        assert len(set(meant)) == len(meant) and None not in meant
        for detection in locator.arranged(detections):
            assert go_to(locator, detection.called, observation) == detection.instance, detection.called
        for name in (*knowledge.rooms, *(doorway.name for doorway in knowledge.doorways)):
            point = go_to(locator, name, observation)
            assert point is not None and locator.is_spot(point), name
            assert locator.goal(point, ACTION_TABLE["Go to"], observation).room is not None


def test_a_doorway_between_rooms_that_the_robot_was_in_is_explored(
    explored: tuple[MujocoHome, list[Locator], list[Knowledge]],
) -> None:
    """Wherever in the rooms it stood: it may have driven through without a look around before the doorway."""
    home, _, (knowledge_of_each, _) = explored
    start = home.scene.robot
    first = home.world.room_of(np.array([start.x, start.y]))
    others = [room.name for room in home.scene.rooms if room.name != first][:2]
    been = {str(name).replace("_", " ") for name in (first, *others)}
    between = [doorway for doorway in knowledge_of_each.doorways if {doorway.room, doorway.beyond} <= been]
    assert between and all(doorway.explored for doorway in between)
    assert not any(doorway.explored for doorway in knowledge_of_each.doorways if doorway not in between)


def test_what_is_reported_is_true(explored: tuple[MujocoHome, list[Locator], list[Knowledge]]) -> None:
    home, locators, knowledge_of_each = explored
    observation = home.observe()
    for item in knowledge_of_each[0].remembered:
        entity = go_to(locators[0], item.name, observation)
        assert entity is not None
        thing = home.world.receptacles.get(entity)
        if thing is not None:
            kind = next(room.kind for room in home.world.rooms.values() if room.name == thing.room)
            assert not item.room or item.room.rstrip(" 123") == kind, item
            assert bool(item.state) <= bool(thing.articulations), item
        elif item.place:
            around = home.world.around(entity)
            holder = item.place.removeprefix("on ").removeprefix("in ").removeprefix("the ")
            assert go_to(locators[0], holder, observation) in [place.entity for place in around], (item, around)


def test_states_rounds_and_feedback(house: House, locator: SensorLocator, detector: SimulatedDetector) -> None:
    def glance(base: Pose2, number: int) -> Knowledge:
        observation = house.observe(base)
        locator.update(observation, detector.detect(observation))
        return locator.knowledge(number)

    before = house.before("fridge", 1.2)
    first = {item.name: item for item in glance(before, 1).remembered}
    assert (first["fridge"].state, first["fridge"].seen) == ("closed", 1)
    house.open("fridge", 1.6)
    second = {item.name: item for item in glance(before, 2).remembered}
    assert (second["fridge"].state, second["fridge"].seen) == ("open", 2)
    assert second["tomato soup can"].place == "in the fridge"
    third = {item.name: item for item in glance(Pose2(4.3, 4.2, 0.1), 3).remembered}
    assert third["tomato soup can"].seen == 2 and third["white table"].seen == 3
    assert locator.called("table_2") == "white table"
    no_bathroom = "No bathroom has been seen yet; rooms known: kitchen."
    assert locator.objection("bathroom", ACTION_TABLE["Go to"]) == no_bathroom
    assert "brown table in the kitchen" in locator.objection("pink table", ACTION_TABLE["Go to"])
    misspelt = locator.objection("frigde", ACTION_TABLE["Go to"])
    assert misspelt == "frigde does not exist! Please choose another object; did you mean 'fridge'?"
    assert locator.objection("spaceship", ACTION_TABLE["Go to"]) == "", "the sentence of the paper as it is"


def test_without_instances_numbers_tell_things_apart(house: House, locator: SensorLocator) -> None:
    observation = house.observe(Pose2(3.4, 4.0, 0.7))
    detections = BoxesOnly().detect(observation)
    locator.update(observation, detections)
    names = {detection.called for detection in locator.arranged(detections)}
    assert {"apple 1", "apple 2"} <= names
    meant = {go_to(locator, name, observation) for name in ("apple 1", "apple 2")}
    assert len(meant) == 2 and None not in meant


def test_background_finds_what_was_listed_by_where_it_was_seen(
    explored: tuple[MujocoHome, list[Locator], list[Knowledge]],
) -> None:
    """With a detector that does not tell two things of a kind apart."""
    home, _, _ = explored
    locator = background(home)
    locator.reset(seed=0)
    observation = home.observe(VIEWS)
    true = [detection for detection in SimulatedDetector().detect(observation) if not detection.part]
    nameless = [dataclasses.replace(detection, instance="") for detection in true]
    locator.update(observation, nameless)
    arranged = locator.arranged(nameless)
    assert [detection.box for detection in arranged] == [detection.box for detection in nameless]
    meant = [go_to(locator, detection.called, observation) for detection in arranged]
    assert np.mean([entity == detection.instance for entity, detection in zip(meant, true, strict=True)]) > 0.9

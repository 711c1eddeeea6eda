"""The sensors locator: what it remembers, forgets and answers, from pictures alone."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from furnished import BlindRobot, House

from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.robots.bodies import fetch
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import TargetLost
from homie.kernel.types import Goal, Observation, Pose2, Proprioception
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator

MIDDLE = Pose2(3.0, 3.0, 0.0)
TOUR = (MIDDLE, Pose2(2.6, 4.3, 1.5), Pose2(4.3, 4.2, 0.1), Pose2(1.7, 4.0, 3.0), Pose2(3.0, 1.6, -1.5))


@pytest.fixture
def explored(house: House, locator: SensorLocator, detector: SimulatedDetector) -> SensorLocator:
    """A locator that has been around the room once."""
    for base in TOUR:
        _see(house, locator, detector, base)
    return locator


def _see(
    house: House, locator: SensorLocator, detector: SimulatedDetector, base: Pose2, *, holding: bool = False
) -> Observation:
    observation = house.observe(base, holding=holding)
    locator.update(observation, detector.detect(observation))
    return observation


def _resolve(locator: SensorLocator, name: str, observation: Observation, action: str = "Go to") -> str | None:
    return locator.resolve(name, ACTION_TABLE[action], observation)


def test_nothing_is_known_before_it_is_seen(house: House, locator: SensorLocator, detector: SimulatedDetector) -> None:
    observation = house.observe(Pose2(3.0, 3.0, 0.0))
    assert _resolve(locator, "fridge", observation) is None
    locator.update(observation, detector.detect(observation))
    assert _resolve(locator, "fridge", observation) == "fridge"
    assert _resolve(locator, "tomato soup can", observation) is None
    locator.reset(seed=0)
    assert _resolve(locator, "fridge", observation) is None


def test_names_mean_what_people_mean(house: House, explored: SensorLocator) -> None:
    observation = house.observe(MIDDLE)
    assert _resolve(explored, "refrigerator", observation) == "fridge"
    assert _resolve(explored, "brown table", observation) == "table_1"
    assert _resolve(explored, "white table", observation) == "table_2"
    assert _resolve(explored, "kitchen", observation) == "kitchen"
    assert _resolve(explored, "sugar box", observation, "Pick") == "sugar_box"
    assert _resolve(explored, "spaceship", observation) is None


@pytest.mark.parametrize(("base", "nearest"), [(TOUR[1], "apple_1"), (TOUR[2], "apple_2")])
def test_ambiguous_names_mean_the_nearest(house: House, explored: SensorLocator, base: Pose2, nearest: str) -> None:
    assert _resolve(explored, "apple", house.observe(base), "Pick") == nearest


def test_goals_agree_with_the_world(house: House, explored: SensorLocator) -> None:
    observation = house.observe(TOUR[1])
    goal = explored.goal("apple_1", ACTION_TABLE["Pick"], observation)
    true = house.world.object_box(house.world.objects["apple_1"])
    assert np.linalg.norm(goal.position - true.center) < 0.02
    assert goal.surfaces[0].center[2] == pytest.approx(true.center[2] - true.half[2], abs=0.01)
    assert len(goal.obstacles) == 1  # the sugar box
    assert goal.grid is not None
    assert any(box.distance(true.center) < 0.05 for box in goal.solids)
    room = explored.goal("kitchen", ACTION_TABLE["Go to"], observation)
    assert room.room == pytest.approx(house.world.rooms["kitchen"].rect, abs=0.7)
    assert room.surfaces == room.solids == ()
    bowl = explored.goal("bowl", ACTION_TABLE["Put"], observation)
    true = house.world.object_box(house.world.objects["bowl"])
    assert np.linalg.norm(bowl.surfaces[0].center[:2] - true.center[:2]) < 0.02


def test_questions_of_error_detection(house: House, explored: SensorLocator) -> None:
    observation = house.observe(MIDDLE)
    assert explored.pickable("apple_1") and not explored.pickable("table_1")
    assert explored.is_spot("kitchen") and not explored.is_spot("table_1")
    assert explored.opens("fridge") and not explored.opens("table_1")
    assert explored.closed_container("table_1") is None
    true = house.world.receptacle_box(house.world.receptacles["table_1"])
    assert explored.distance("table_1", observation) == pytest.approx(true.distance(MIDDLE.xy), abs=0.05)
    apple = house.world.object_box(house.world.objects["apple_1"])
    expected = np.linalg.norm(apple.center - np.array([3.0, 3.0, 0.0]))
    assert explored.distance("apple_1", observation) == pytest.approx(expected, abs=0.03)
    assert explored.distance("kitchen", observation) == 0.0


def test_what_has_gone_is_forgotten_after_two_looks(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    house.move("sugar_box", (0.1, 0.1, 3.5))
    observation = _see(house, explored, detector, TOUR[1])
    assert _resolve(explored, "sugar box", observation) == "sugar_box"
    observation = _see(house, explored, detector, TOUR[1])
    assert _resolve(explored, "sugar box", observation) is None
    with pytest.raises(TargetLost):
        explored.goal("sugar_box", ACTION_TABLE["Pick"], observation)


def test_what_was_moved_is_found_where_it_is_now(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    house.move("sugar_box", (5.2, 4.4, 0.83))
    observation = _see(house, explored, detector, TOUR[2])
    goal = explored.goal("sugar_box", ACTION_TABLE["Pick"], observation)
    assert np.linalg.norm(goal.position[:2] - [5.2, 4.4]) < 0.03


def test_what_is_hidden_is_not_forgotten(house: House, locator: SensorLocator, detector: SimulatedDetector) -> None:
    front = house.before("fridge", 0.9)
    house.open("fridge", 1.6)
    observation = _see(house, locator, detector, front)
    assert locator.closed_container("tomato_soup_can") is None
    house.open("fridge", 0.0)
    for _ in range(3):
        observation = _see(house, locator, detector, front)
    assert _resolve(locator, "soup can", observation, "Pick") == "tomato_soup_can"
    assert locator.closed_container("tomato_soup_can") == "fridge"


def test_the_hand_holds_what_pick_aimed_at(house: House, explored: SensorLocator, detector: SimulatedDetector) -> None:
    observation = house.observe(TOUR[1])
    assert explored.held(observation) is None
    explored.aim("apple_1", ACTION_TABLE["Pick"], observation)
    explored.goal("apple_1", ACTION_TABLE["Pick"], observation)
    house.move("apple_1", (2.6, 4.9, 1.0))
    observation = _see(house, explored, detector, TOUR[1], holding=True)
    assert explored.held(observation) == "apple_1"
    assert explored.holds("apple_1", observation) is True
    goal = explored.goal("table_1", ACTION_TABLE["Put"], observation)
    apple = house.world.object_box(house.world.objects["apple_1"])
    assert not any(np.linalg.norm(box.center - apple.center) < 0.1 for box in goal.obstacles)
    house.reset()
    observation = _see(house, explored, detector, TOUR[1])
    assert explored.held(observation) is None
    assert explored.holds("apple_1", observation) is False


def test_where_a_taken_object_was_is_not_forgotten(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    before = {item.name: item for item in explored.knowledge(1).remembered}["apple 1"]
    assert before.place and explored.knowledge(1).taken == ()
    observation = house.observe(TOUR[1])
    explored.aim("apple_1", ACTION_TABLE["Pick"], observation)
    house.move("apple_1", (2.6, 4.9, 1.0))
    _see(house, explored, detector, TOUR[1], holding=True)
    (taken,) = explored.knowledge(2).taken
    assert (taken.name, taken.room, taken.place) == ("apple 1", before.room, before.place)
    house.move("apple_1", (3.0, 4.9, 0.04))
    _see(house, explored, detector, TOUR[1])
    assert explored.knowledge(3).taken == (taken,), "also when it is elsewhere"
    explored.reset(seed=0)
    assert explored.knowledge(1).taken == ()


class HouseRobot(BlindRobot):
    """A robot that knows the truth of a house, for targets from the background."""

    def __init__(self, house: House) -> None:
        super().__init__()
        self.world = house.world


@pytest.mark.parametrize("tells_apart", [True, False], ids=["instances", "kinds"])
@pytest.mark.parametrize(("picked", "was_seen"), [("sugar_box", False), ("apple_1", True), ("apple_1", False)])
def test_only_what_was_picked_has_left_its_place(
    house: House, detector: SimulatedDetector, picked: str, was_seen: bool, tells_apart: bool
) -> None:
    """Whatever else was seen a hand's breadth beside it."""
    lies = house.world.object_box(house.world.objects["apple_1"]).center
    house.move("sugar_box", (lies[0] + 0.2, lies[1], lies[2] + 0.03))
    locator = BackgroundLocator(HouseRobot(house))
    locator.reset(seed=0)

    def see(base: Pose2, *, holding: bool = False) -> Observation:
        observation = house.observe(base, holding=holding)
        detections = [each for each in detector.detect(observation) if was_seen or each.instance != picked]
        locator.update(
            observation, [each if tells_apart else dataclasses.replace(each, instance="") for each in detections]
        )
        return observation

    for base in TOUR:
        observation = see(base)
    before = {item.name: item for item in locator.knowledge(1).remembered}
    locator.aim(picked, ACTION_TABLE["Pick"], observation)
    see(TOUR[1], holding=True)
    knowledge = locator.knowledge(2)
    missing = before.keys() - {item.name for item in knowledge.remembered}
    assert [item.name for item in knowledge.taken] == list(missing)
    assert [name.rstrip("12 ") for name in missing] == (["apple"] if was_seen else [])


def test_what_is_in_the_hand_stays_where_it_sits_in_it(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    pick = ACTION_TABLE["Pick"]
    hand = ArmKinematics().forward(fetch.REST).position
    house.move("apple_1", (2.6, 4.9, float(hand[2]) + 0.08))
    observation = _see(house, explored, detector, TOUR[1])
    before = explored.goal("apple_1", pick, observation).box
    explored.aim("apple_1", pick, observation)
    there = Pose2(2.6 - float(hand[0]), 4.9 - float(hand[1]), 0.0)
    taken = _see(house, explored, detector, there, holding=True)
    goal_box = explored.goal("apple_1", pick, taken).box
    assert before is not None and goal_box is not None
    assert goal_box.center == pytest.approx(before.center, abs=1e-6), "eight centimetres above the middle of the hand"
    carried = Pose2(3.0, 3.0, math.pi / 2)
    box = explored.goal("apple_1", pick, _see(house, explored, detector, carried, holding=True)).box
    assert box is not None
    sits = before.center - [there.x, there.y, 0.0]
    assert box.center == pytest.approx([3.0 - sits[1], 3.0 + sits[0], sits[2]], abs=1e-6)


@pytest.mark.parametrize(("above", "falls"), [(0.2, True), (0.6, False)])
def test_what_was_let_go_over_a_table_lies_on_it(
    house: House, explored: SensorLocator, detector: SimulatedDetector, above: float, falls: bool
) -> None:
    """The last look at it in the hand may be a second before the hand opens."""
    pick = ACTION_TABLE["Pick"]
    table = explored.goal("table_2", ACTION_TABLE["Put"], house.observe(MIDDLE)).surfaces[0]
    hand = ArmKinematics().forward(fetch.REST).position
    house.move("apple_1", (2.6, 4.9, float(table.center[2]) + above))
    explored.aim("apple_1", pick, _see(house, explored, detector, TOUR[1]))
    _see(house, explored, detector, Pose2(2.6 - float(hand[0]), 4.9 - float(hand[1]), 0.0), holding=True)
    house.move("apple_1", (0.7, 0.7, 9.0))  # where nobody looks
    there = Pose2(float(table.center[0] - hand[0]), float(table.center[1] - hand[1]), 0.0)
    held = explored.goal("apple_1", pick, _see(house, explored, detector, there, holding=True)).box
    box = explored.goal("apple_1", pick, _see(house, explored, detector, there)).box
    assert held is not None and box is not None
    assert box.center[:2] == pytest.approx(held.center[:2])
    bottom = float(box.center[2] - box.half[2])
    assert bottom == pytest.approx(float(table.center[2] if falls else held.center[2] - held.half[2]), abs=1e-6)


def test_a_handle_in_the_hand_is_no_object(house: House, explored: SensorLocator) -> None:
    explored.aim("apple_1", ACTION_TABLE["Pick"], house.observe(MIDDLE))
    explored.goal("fridge", ACTION_TABLE["Open"], house.observe(MIDDLE))
    assert explored.held(house.observe(MIDDLE, holding=True)) == "apple_1", "asking for a goal changes nothing"
    explored.aim("fridge", ACTION_TABLE["Open"], house.observe(MIDDLE))
    assert explored.held(house.observe(MIDDLE, holding=True)) is None


def test_put_is_verified_by_seeing_the_object_there(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    observation = _see(house, explored, detector, TOUR[2])
    assert explored.placed("apple_2", "table_2", observation) is True
    assert explored.placed("apple_2", "table_1", observation) is False
    assert explored.placed("apple_2", "table_2", house.observe(TOUR[2], holding=True)) is False
    away = _see(house, explored, detector, Pose2(1.7, 2.2, 3.1))
    assert explored.placed("tomato_soup_can", "fridge", away) is None


def test_what_is_not_where_the_hand_has_left_it_was_not_put_there(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    """A bowl that a detector had imagined: the lemon rolled away, and the end of the task was reported as a success."""
    house.move("apple_2", (0.7, 0.7, 0.04))
    _see(house, explored, detector, TOUR[2])
    observation = _see(house, explored, detector, TOUR[2])
    assert explored.placed("apple_2", "table_2", observation) is False
    assert explored.placed(None, "table_2", observation) is None, "nobody knows what the hand held"


def test_a_detector_without_instances_is_distinguished_by_place(house: House, locator: SensorLocator) -> None:
    detector = SimulatedDetector()
    for base in (*TOUR, *TOUR):
        observation = house.observe(base)
        locator.update(
            observation, [dataclasses.replace(d, instance="") for d in detector.detect(observation) if not d.part]
        )
    near_first = locator.resolve("apple", ACTION_TABLE["Pick"], house.observe(TOUR[1]))
    near_second = locator.resolve("apple", ACTION_TABLE["Pick"], house.observe(TOUR[2]))
    assert near_first is not None and near_second is not None
    assert near_first != near_second
    goal = locator.goal(near_first, ACTION_TABLE["Pick"], observation)
    true = house.world.object_box(house.world.objects["apple_1"])
    assert np.linalg.norm(goal.position - true.center) < 0.03


def test_frames_without_depth_change_nothing(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    observation = house.observe(TOUR[1])
    blind = {name: dataclasses.replace(frame, depth=None) for name, frame in observation.frames.items()}
    before = explored.goal("apple_1", ACTION_TABLE["Pick"], observation).position
    explored.update(Observation(observation.stamp, observation.body, blind), detector.detect(observation))
    assert np.array_equal(explored.goal("apple_1", ACTION_TABLE["Pick"], observation).position, before)


def test_names_once_given_are_understood_but_colours_known_better_come_first(
    house: House, explored: SensorLocator, detector: SimulatedDetector
) -> None:
    observation = house.observe(TOUR[2])
    by_shade = [
        dataclasses.replace(d, name="gray table") if d.instance == "table_2" else d
        for d in detector.detect(observation)
    ]
    explored.update(observation, by_shade)
    assert _resolve(explored, "gray table", observation) == "table_2"
    brown = [dataclasses.replace(d, name="brown table") if d.instance == "table_2" else d for d in by_shade]
    explored.update(observation, brown)
    assert _resolve(explored, "brown table", observation) == "table_1"


def test_an_arm_keeps_out_of_handles_but_of_the_one_that_it_takes(explored: SensorLocator, house: House) -> None:
    """A bar a hand's breadth before its front: an arm that did not know of it pulled a drawer open on its way."""
    observation = house.observe(TOUR[1])
    opening = explored.goal("fridge", ACTION_TABLE["Open"], observation)
    handle = opening.articulations[0].handle
    passing = explored.goal("fridge", ACTION_TABLE["Put"], observation)

    def solid(goal: Goal) -> bool:
        return any(
            box.distance(handle[:2]) == 0.0 and abs(handle[2] - box.center[2]) < box.half[2] for box in goal.solids
        )

    assert solid(passing) and not solid(opening)


def test_states_are_reported_of_what_is_near_and_was_seen(explored: SensorLocator, house: House) -> None:
    near = explored.arrangement(house.observe(TOUR[1]))
    for name, lies in near.things.items():
        true = house.world.position(house.world.objects[name].body)
        assert np.linalg.norm(lies.middle[:2] - true[:2]) < 0.05
    assert near.things and set(near.seen) == {*near.things, *near.openings}
    far = explored.arrangement(dataclasses.replace(house.observe(MIDDLE), body=_elsewhere(house)))
    assert not far.things and not far.openings


def _elsewhere(house: House) -> Proprioception:
    return dataclasses.replace(house.observe(MIDDLE).body, base=Pose2(90.0, 90.0, 0.0))

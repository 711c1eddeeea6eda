"""The background locator: what names mean, what goals hold, what the error checks get."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from homes import lay, one_room, swing

from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot, background
from homie.kernel.types import VIEWS, Observation, OccupancyGrid
from perception.detectors.simulated import SimulatedDetector

TABLE = {"receptacle": "table", "surface": "top"}
FURNITURE = [
    {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.42, "y": 4.0},
    {"name": "cabinet_1", "kind": "cabinet", "colour": "blue", "x": 0.30, "y": 2.6},
    {"name": "cabinet_2", "kind": "cabinet", "colour": "wood", "x": 0.30, "y": 1.2, "open": 0.9},
    {"name": "table", "kind": "table", "colour": "wood", "x": 3.8, "y": 3.6, "yaw": math.pi},
]
OBJECTS = [
    {"name": "apple_1", "kind": "apple", "colour": "red", "x": 0.2, "y": 0.2, **TABLE},
    {"name": "apple_2", "kind": "apple", "colour": "red", "x": 0.2, "y": -0.1, **TABLE},
    {"name": "bowl", "kind": "bowl", "colour": "blue", "x": -0.1, "y": 0.1, **TABLE},
    {
        "name": "plum_1",
        "kind": "plum",
        "colour": "purple",
        "x": 0,
        "y": 0,
        "receptacle": "fridge",
        "surface": "upper shelf",
    },
    {"name": "plum_2", "kind": "plum", "colour": "purple", "x": -0.2, "y": -0.3, **TABLE},
]


@pytest.fixture(scope="module")
def shared() -> Iterator[MujocoHome]:
    with MujocoHome(one_room(FURNITURE, OBJECTS, (1.9, 3.2, 0.0), (5.0, 5.0))) as home:
        yield home


@pytest.fixture
def home(shared: MujocoHome) -> MujocoHome:
    shared.reset(seed=0)
    return shared


@pytest.fixture
def locator(home: MujocoHome) -> BackgroundLocator:
    locator = BackgroundLocator(home)
    locator.reset(seed=0)
    return locator


@pytest.fixture
def observation(home: MujocoHome) -> Observation:
    return home.observe()


class TestNames:
    def resolved(self, locator: BackgroundLocator, action: str, words: str) -> str | None:
        return locator.resolve(words, ACTION_TABLE[action], locator.home.observe())

    def test_the_nearest_of_a_kind(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        for near, far in (("apple_1", "apple_2"), ("apple_2", "apple_1")):
            lay(home.model, home.data, near, [2.4, 3.2, 0.0375])
            lay(home.model, home.data, far, [3.4, 3.2, 0.0375])
            assert self.resolved(locator, "Pick", "apple") == near
            assert self.resolved(locator, "Go to", "the red apple") == near

    def test_what_can_be_had_comes_before_what_is_shut_in(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        for action in ("Pick", "Go to"):
            assert self.resolved(locator, action, "plum") == "plum_2", "the nearer one is in the closed fridge"
        swing(home.model, home.data, "fridge", 1.6)
        assert self.resolved(locator, "Pick", "plum") == "plum_1"

    def test_open_and_close_mean_what_they_can_be_done_to(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        assert self.resolved(locator, "Close", "cabinet") == "cabinet_2", "the nearer one is closed"
        assert self.resolved(locator, "Open", "blue cabinet") == "cabinet_1"

    def test_what_is_held_is_no_destination(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        home.world.held = "apple_1"
        assert self.resolved(locator, "Put", "apple") == "apple_2"

    def test_of_all_that_were_reported_by_one_name_the_one_that_can_be_meant(
        self, home: MujocoHome, locator: BackgroundLocator
    ) -> None:
        observation = home.observe(VIEWS)
        detections = [
            replace(d, name="teal cabinet") for d in SimulatedDetector().detect(observation) if "cabinet" in d.name
        ]
        assert {detection.instance for detection in detections} == {"cabinet_1", "cabinet_2"}
        locator.update(observation, detections)
        assert self.resolved(locator, "Close", "teal cabinet") == "cabinet_2", "the nearer one is closed"

    def test_with_a_full_hand_one_goes_where_there_is_room(self) -> None:
        counters = [
            {"name": "counter_1", "kind": "kitchen_counter", "colour": "white", "x": 1.0, "y": 0.4, "yaw": math.pi / 2},
            {"name": "counter_2", "kind": "kitchen_counter", "colour": "white", "x": 4.0, "y": 0.4, "yaw": math.pi / 2},
            {"name": "microwave", "kind": "microwave", "colour": "black", "x": 1.0, "y": 0.4, "yaw": math.pi / 2,
             "stands_on": "counter_1"},
        ]  # fmt: skip
        with MujocoHome(one_room(counters, [], (1.0, 2.0, 0.0), (5.0, 5.0))) as home:
            locator = BackgroundLocator(home)
            assert self.resolved(locator, "Go to", "kitchen counter") == "counter_1"
            home.world.held = "apple"
            assert self.resolved(locator, "Go to", "kitchen counter") == "counter_2"
            assert self.resolved(locator, "Put", "kitchen counter") == "counter_2"

    def test_rooms_and_nonsense(self, locator: BackgroundLocator) -> None:
        assert self.resolved(locator, "Go to", "kitchen") == "kitchen"
        assert self.resolved(locator, "Go to", "spaceship") is None


class TestGoals:
    def test_a_closed_fridge_offers_no_surface_an_open_one_both_shelves(
        self, home: MujocoHome, locator: BackgroundLocator, observation: Observation
    ) -> None:
        shut = locator.goal("fridge", ACTION_TABLE["Put"], observation)
        assert shut.surfaces == ()
        assert locator.closed_container("fridge") == "fridge"
        assert shut.front == pytest.approx(0.0)
        swing(home.model, home.data, "fridge", 1.6)
        opened = locator.goal("fridge", ACTION_TABLE["Put"], observation)
        assert len(opened.surfaces) == 2
        assert all(surface.access is not None for surface in opened.surfaces)
        assert opened.articulations[0].opening == pytest.approx(1.6)
        assert locator.closed_container("fridge") is None

    def test_an_object_comes_with_its_surface_and_its_neighbours(
        self, home: MujocoHome, locator: BackgroundLocator, observation: Observation
    ) -> None:
        goal = locator.goal("apple_1", ACTION_TABLE["Pick"], observation)
        assert goal.box is not None
        np.testing.assert_allclose(goal.position, home.data.xpos[home.world.objects["apple_1"].body])
        np.testing.assert_allclose(goal.box.half, 0.0375)
        (under,) = goal.surfaces
        assert under.center[2] == pytest.approx(0.74, abs=0.005)
        assert len(goal.obstacles) == 3, "the other apple, the bowl, the plum"
        assert all(np.linalg.norm(box.center - goal.position) > 0.05 for box in (*goal.obstacles, *goal.solids))
        assert goal.front is None

    def test_what_stands_in_a_compartment_is_reached_from_the_front(
        self, locator: BackgroundLocator, observation: Observation
    ) -> None:
        assert locator.goal("plum_1", ACTION_TABLE["Pick"], observation).front == pytest.approx(0.0)

    def test_a_bowl_as_destination_is_its_middle(self, locator: BackgroundLocator, observation: Observation) -> None:
        goal = locator.goal("bowl", ACTION_TABLE["Put"], observation)
        (place,) = goal.surfaces
        assert goal.box is not None
        assert np.linalg.norm(place.center[:2] - goal.box.center[:2]) < 0.01
        assert abs(place.center[2] - goal.box.center[2]) < goal.box.half[2] + 1e-6

    def test_a_room_is_a_rectangle_to_be_in(self, locator: BackgroundLocator, observation: Observation) -> None:
        goal = locator.goal("kitchen", ACTION_TABLE["Go to"], observation)
        assert goal.room == pytest.approx((0.05, 0.05, 4.95, 4.95))
        assert locator.is_spot("kitchen") and not locator.is_spot("table")


class TestGrid:
    def grid(self, locator: BackgroundLocator) -> OccupancyGrid:
        grid = locator.goal("table", ACTION_TABLE["Go to"], locator.home.observe()).grid
        assert grid is not None
        return grid

    def occupied(self, locator: BackgroundLocator, x: float, y: float) -> bool:
        grid = self.grid(locator)
        column, row = np.floor((np.array([x, y]) - grid.origin) / grid.resolution).astype(int)
        return bool(grid.occupied[row, column])

    def test_furniture_and_walls_are_obstacles_floor_and_robot_are_not(self, locator: BackgroundLocator) -> None:
        assert self.occupied(locator, 0.42, 4.0)
        assert self.occupied(locator, 3.8, 3.6)
        assert self.occupied(locator, 0.0, 2.0) and self.occupied(locator, 5.0, 2.0)
        assert not self.occupied(locator, 2.5, 1.5)
        assert not self.occupied(locator, 1.9, 3.2)
        assert not self.grid(locator).unknown.any()

    def test_what_moves_is_where_it_is_now(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        assert not self.occupied(locator, 1.1, 4.34)
        swing(home.model, home.data, "fridge", math.pi / 2)
        assert self.occupied(locator, 1.1, 4.34)
        lay(home.model, home.data, "bowl", [2.5, 1.5, 0.03])
        assert self.occupied(locator, 2.5, 1.5)
        home.world.held = "bowl"
        assert not self.occupied(locator, 2.5, 1.5), "the hand carries it along"


class TestQuestions:
    def test_distance_to_an_object_is_in_space_to_furniture_to_its_side(
        self, home: MujocoHome, locator: BackgroundLocator, observation: Observation
    ) -> None:
        lay(home.model, home.data, "bowl", [1.9, 3.2, 1.5])
        assert locator.distance("bowl", observation) == pytest.approx(1.5, abs=0.01)
        assert locator.distance("fridge", observation) == pytest.approx(
            np.hypot(1.9 - 0.77, 4.0 - 0.35 - 3.2), abs=0.02
        )
        assert locator.distance("kitchen", observation) == 0.0

    def test_what_opens_what_is_loose(self, locator: BackgroundLocator) -> None:
        assert locator.opens("fridge") and not locator.opens("table") and not locator.opens("apple_1")
        assert locator.pickable("apple_1") and not locator.pickable("fridge")

    def test_the_closed_container_of_an_object(self, home: MujocoHome, locator: BackgroundLocator) -> None:
        assert locator.closed_container("plum_1") == "fridge"
        assert locator.closed_container("plum_2") is None
        swing(home.model, home.data, "fridge", 1.2)
        assert locator.closed_container("plum_1") is None

    def test_effects_are_read_from_the_world(
        self, home: MujocoHome, locator: BackgroundLocator, observation: Observation
    ) -> None:
        assert locator.holds("apple_1", observation) is False
        home.world.held = "apple_1"
        assert locator.holds("apple_1", observation) is True
        assert locator.placed("apple_1", "table", observation) is False, "still in the hand"
        home.world.held = None
        assert (
            locator.placed("apple_1", "table", observation) is True
            and locator.placed(None, "table", observation) is False
        )
        lay(home.model, home.data, "apple_1", [2.5, 2.0, 0.0375])
        assert locator.placed("apple_1", "table", observation) is False
        for opening, is_open, is_shut in ((0.0, False, True), (0.5, False, False), (1.5, True, False)):
            swing(home.model, home.data, "fridge", opening)
            assert locator.state("fridge", "open", observation) is is_open
            assert locator.state("fridge", "closed", observation) is is_shut
        assert (
            locator.state("fridge", "clean", observation) is None
            and locator.state("apple_1", "open", observation) is None
        )


def test_without_world_state_there_are_no_background_targets() -> None:
    class Blind:
        background = Robot.background

    robot: Robot = Blind()  # type: ignore[assignment]
    with pytest.raises(BadInput, match="--targets sensors"):
        background(robot)


def test_a_running_skill_is_given_what_has_changed(
    home: MujocoHome, locator: BackgroundLocator, observation: Observation
) -> None:
    changes = [locator.due(replace(observation, stamp=observation.stamp + 0.04 * tick)) for tick in range(50)]
    assert 3 <= changes.count(()) <= 6
    assert changes.count(None) == 50 - changes.count(())

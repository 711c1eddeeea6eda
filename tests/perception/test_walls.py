"""What is within reach: what is near enough and on the robot's side of all walls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from homes import play, stand

from error_detection.distance import within_reach
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import CheckQuestion, Locator, background
from homie.kernel.types import VIEWS, Box, Decision, ErrorCode, OccupancyGrid, Subtask
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator

SCENE = SceneSpec.model_validate(
    {
        "rooms": [
            {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 4, "y1": 4},
            {"name": "bedroom", "kind": "bedroom", "x0": 4, "y0": 0, "x1": 8, "y1": 4},
        ],
        "doorways": [{"rooms": ["kitchen", "bedroom"], "x": 4, "y": 0.8}],
        "furniture": [
            {
                "room": "bedroom",
                "name": "cabinet",
                "kind": "cabinet",
                "colour": "green",
                "x": 4.4,
                "y": 3.6,
                "yaw": -1.5708,
            },
            {"room": "bedroom", "name": "table", "kind": "table", "colour": "white", "x": 4.6, "y": 2.2, "yaw": 0.0},
        ],
        "objects": [
            {
                "name": "apple",
                "kind": "apple",
                "colour": "red",
                "receptacle": "table",
                "surface": "top",
                "x": 0.0,
                "y": 0.0,
            }
        ],
        "robot": {"x": 2.0, "y": 2.0},
    }
)
THINGS = ("cabinet", "table", "apple")
IN_BEDROOM, IN_KITCHEN = {"cabinet": (4.6, 2.9), "table": (5.5, 2.2), "apple": (5.5, 2.2)}, (3.5, 2.6)


@pytest.fixture(scope="module")
def explored() -> Iterator[tuple[MujocoHome, list[Locator]]]:
    """Two rooms that were both seen, with the furniture of one at the wall between them."""
    with MujocoHome(SCENE) as home:
        locators: list[Locator] = [background(home), SensorLocator(home)]
        for locator in locators:
            locator.reset(seed=0)
        for x, y, yaw in ((2.0, 2.0, 0.5), (*IN_KITCHEN, 0.0), (5.0, 0.8, 0.9), (6.0, 2.0, 2.4), (5.5, 3.0, 3.0)):
            stand(home.model, home.data, x, y, yaw)
            observation = home.observe((*VIEWS, "head"))
            for locator in locators:
                locator.update(observation, SimulatedDetector().detect(observation))
        yield home, locators


@pytest.mark.parametrize("setting", [0, 1], ids=["background", "sensors"])
@pytest.mark.parametrize("thing", THINGS)
def test_a_thing_behind_a_wall_is_too_far_and_not_arrived_at(
    explored: tuple[MujocoHome, list[Locator]], setting: int, thing: str
) -> None:
    home, locators = explored
    locator = locators[setting]
    for (x, y), right in ((IN_KITCHEN, False), (IN_BEDROOM[thing], True)):
        stand(home.model, home.data, x, y, 0.0)
        observation = home.observe()
        assert locator.distance(thing, observation) < 2.0
        assert locator.arrived(thing, observation) is right
        subtask, action = Subtask("Pick", thing), ACTION_TABLE["Pick"]
        question = CheckQuestion(
            decision=Decision((subtask,)),
            subtask=subtask,
            action=action,
            entity=thing,
            inventory=(),
            observation=observation,
            world=locator,
            actions=(),
            models=(),
            skilled=True,
        )
        message = within_reach(question)
        assert (message is None) if right else (message is not None and message.code is ErrorCode.D1)


@pytest.mark.parametrize(
    ("targets", "skills"), [("background", "ideal"), ("sensors", "ideal"), ("sensors", "classical")]
)
def test_go_to_ends_in_the_room_of_what_stands_at_the_wall(tmp_path: Path, targets: str, skills: str) -> None:
    """From the other side of the wall, after a look through the doorway."""
    goals = ["bedroom", "kitchen", "cabinet"]
    script = [f"[Go to, {goal}]" for goal in goals]
    records = play(tmp_path, SCENE, script, targets=targets, skills=skills)
    assert all(record.execution.feedback.ok for record in records), records
    state = json.loads(next((tmp_path / "run" / "episodes").glob("*/final_state.json")).read_text())
    assert state["robot"]["room"] == "bedroom"


def test_a_line_past_the_end_of_a_wall_is_free() -> None:
    walls = np.zeros((40, 40), dtype=bool)
    walls[20, :20] = True  # at y = 1, up to x = 1
    grid = OccupancyGrid(walls, np.zeros_like(walls), np.zeros(2), 0.05, walls)
    box = Box(np.array([0.5, 1.4, 0.4]), np.array([0.1, 0.1, 0.4]))
    assert grid.walled(np.array([[0.5, 0.4], [1.8, 0.9], [0.5, 1.8]]), box).tolist() == [True, False, False]
    nobody_knows = OccupancyGrid(walls, np.zeros_like(walls), np.zeros(2), 0.05)
    assert not nobody_knows.walled(np.array([[0.5, 0.4]]), box).any()

"""Every part that Homie has a name for conforms to its contract: the kits, over all that is registered.

What needs a server, a person or weights is skipped, and the reason says so.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.symbolic_robot import SymbolicRobot
from homie.kernel import registry
from homie.kernel.actions import Action
from homie.kernel.errors import MissingCheckpoint, MissingPart
from homie.kernel.interfaces import GroundTruthAccess
from homie.kernel.options import OpenOptions
from homie.kernel.registry import DETECTOR, PLANNER, SKILL_SET, make_part
from homie.kernel.types import Goal, Outcome, Subtask
from homie.kernel.world.snapshot import RobotState, WorldSnapshot
from homie.runtime.assembly import ChosenParts, choose
from homie.testing import check_detector, check_locator, check_planner, check_robot, check_skills

PLAN = '["[Go to, apple]", "[Pick, apple]"]'
OUTSIDE = {
    "human": "a person answers",
    "function": "another program answers",
    "mcp": "an agent answers",
    "emmoe": "a model server answers",
    "transformers": "a model of gigabytes",
    "homiebot": "tests/planners/test_homiebot.py installs its base model",
    "chat": "a server answers",
    "anthropic": "a server answers",
    "responses": "a server answers",
    "gemini": "a server answers",
    "remote": "a policy server or a robot server answers",
    "openpi": "a policy server answers",
    "vla-eval": "a policy server answers",
    "xpolicylab": "a policy server answers",
    "gr00t": "a policy server answers",
    "inspect-robots": "tests/integrations/test_inspect_robots_skills.py installs its package",
    "ros": "a robot on a ROS 2 network answers",
    "libero": "tests/suites/published/test_libero.py installs its package",
    "habitat": "tests/envs/remote/test_habitat.py installs its package",
    "coppelia": "a CoppeliaSim answers",
    "yolo": "needs weights",
    "yolo-onnx": "needs weights",
    "owl": "needs weights",
    "grounding-dino": "needs weights",
    "rtdetr": "needs weights",
}
"""Parts of which nothing can be said here, and why."""
FAILING = {
    "trouble": "fails on purpose: the tests of errors are made of it",
    "lost": "fails on purpose: a set without its checkpoint",
}
"""Of the third-party package of the tests."""
TABLE = {"name": "table_1", "kind": "table", "colour": "brown", "x": 3.0, "y": 3.0, "yaw": 0.0}
APPLE = {"name": "apple_1", "kind": "apple", "colour": "red", "x": 1.0, "y": 1.0}
ROBOTS = {
    "mujoco": {"rooms": 2, "objects": 2},
    "franka": {"robot": "franka:pick"},
    "thor": {"robot": "thor:fake"},
    "mjcf": {"robot": f"mjcf:{Path(__file__).parent / 'envs' / 'mujoco' / 'kitchen.xml'}"},
}
"""Options with which a robot is made."""


def skip_outside(name: str) -> None:
    if reason := {**OUTSIDE, **FAILING}.get(name):
        pytest.skip(reason)


def choose_parts(**options: Any) -> tuple[ChosenParts, OpenOptions]:
    checked = OpenOptions.build(picture_size=64, **options)
    return choose(checked), checked


@pytest.fixture(scope="module")
def home():
    with MujocoHome(one_room([TABLE], [APPLE]), picture_size=(64, 64)) as robot:
        yield robot


@pytest.fixture(scope="module")
def table():
    parts, options = choose_parts(robot="franka:pick")
    with parts.robot(options) as robot:
        yield robot


@pytest.mark.parametrize("name", registry.names("planners"))
def test_planners(name, tmp_path, table):
    skip_outside(name)
    (tmp_path / "plan.yaml").write_text(PLAN)
    try:
        planner = make_part(
            PLANNER, f"{name}:{tmp_path / 'plan.yaml'}" if name in ("scripted", "erring", "lines") else name
        )
    except MissingPart as lacking:
        pytest.skip(str(lacking))
    if isinstance(planner, GroundTruthAccess):
        planner.bind(table)
    check_planner(planner)


@pytest.mark.parametrize("name", registry.names("robots"))
def test_robots(name):
    skip_outside(name)
    parts, options = choose_parts(**{"robot": name, **ROBOTS.get(name, {})})
    with parts.robot(options) as robot:
        check_robot(robot, close=True)


class Bare(SymbolicRobot):
    """A world of nothing, for skills that a robot carries out by itself."""

    def _restart(self, *, seed):
        pass

    def snapshot(self):
        return WorldSnapshot(objects={}, fixed={}, joints={}, held=None, robot=RobotState())

    def perform(self, subtask, entity):
        return ""


class Guide:
    """A robot whose own navigation is there at once, and whose own planner, too."""

    def navigate(self, place):
        return SimpleNamespace(outcome=Outcome.SUCCEEDED, reason="", cancel=lambda: None)

    def check_planner(self):
        pass

    def reach(self, joints, around, held):
        return SimpleNamespace(outcome=Outcome.SUCCEEDED, reason="", cancel=lambda: None)


@pytest.mark.parametrize("name", registry.names("skills"))
def test_skill_sets(name, home, table):
    skip_outside(name)
    try:
        skill_set = make_part(SKILL_SET, name)
    except (MissingCheckpoint, MissingPart) as lacking:
        pytest.skip(str(lacking))
    goals = []
    if name == "arm":
        table.reset(seed=0)
        move = Subtask("Move", "[54, 50, 40, 0, 60, 90, 1]")
        goals = [(move, goal_of(table, move))]
    robot = {"arm": table, "own": Bare()}.get(name, home)
    if isinstance(skill_set, GroundTruthAccess):
        skill_set.bind(Guide() if name in ("nav2", "moveit") else robot)
    check_skills(skill_set, robot, goals)


def goal_of(robot, subtask) -> Goal:
    locator = robot.background()
    locator.reset(seed=0)
    return locator.goal(subtask.target, Action(name=subtask.action), robot.observe())


@pytest.mark.parametrize("name", registry.names("detectors"))
def test_detectors(name, home):
    skip_outside(name)
    detector = make_part(DETECTOR, name)
    home.reset(seed=0)
    check_detector(detector, home.observe(home.views))


@pytest.mark.parametrize("name", registry.names("locators"))
def test_locators(name, home):
    parts, options = choose_parts(robot="tiny") if name == "tiny" else (None, None)
    robot = parts.robot(options) if parts else home
    home.reset(seed=0)
    detections = make_part(DETECTOR, "simulated").detect(home.observe(home.views)) if robot is home else ()
    names = ["ball", "box"] if name == "tiny" else ["kitchen"] if name == "sensors" else ["apple", "table", "kitchen"]
    check_locator(registry.load("locators", name)(robot), robot, names, detections)

"""The kits for skills, robots, locators and detectors: our own parts pass, and what is wrong is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from homes import one_room
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkill, TinySkills

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.sampled_tables import generate
from homie.kernel.actions import ACTION_TABLE, Action
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.robot.body import Group, Joint
from homie.kernel.types import Command, Detection, Outcome, Subtask
from homie.testing import NotConforming, check_detector, check_locator, check_robot, check_skills
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator
from skills.classical.skill_set import Classical
from skills.discrete_actions.arm_skill_set import Arm

TABLE = {"name": "table_1", "kind": "table", "colour": "brown", "x": 3.0, "y": 3.0, "yaw": 0.0}
APPLE = {"name": "apple_1", "kind": "apple", "colour": "red", "x": 1.0, "y": 1.0}


@pytest.fixture(scope="module")
def home():
    with MujocoHome(one_room([TABLE], [APPLE]), picture_size=(128, 128)) as robot:
        yield robot


@pytest.fixture(scope="module")
def table():
    with FrankaTable(generate("pick", 0), (128, 128)) as robot:
        yield robot


def test_our_robots_conform(home, table):
    for robot in (home, table, TinyRobot()):
        check_robot(robot)


def test_our_skills_conform(home, table):
    check_skills(Classical(), home)
    check_skills(TinySkills(), TinyRobot())
    locator = table.background()
    table.reset(seed=0)
    locator.reset(seed=0)
    move = Subtask("Move", "[54, 50, 40, 0, 60, 90, 1]")
    check_skills(Arm(), table, [(move, locator.goal(move.target, Action(name="Move"), table.observe()))])


def test_our_locators_conform(home):
    check_locator(home.background(), home, ["apple", "table", "kitchen"], view=False)
    check_locator(TinyLocator(robot := TinyRobot()), robot, ["ball", "box"])
    home.reset(seed=0)
    observation = home.observe(home.views)
    check_locator(SensorLocator(home), home, ["kitchen"], SimulatedDetector().detect(observation))


def test_our_detectors_conform(home):
    home.reset(seed=0)
    check_detector(SimulatedDetector(), home.observe(home.views))
    check_detector(TinyDetector(), TinyRobot().observe(("front",)))


def violations(check, *arguments) -> str:
    with pytest.raises(NotConforming) as excinfo:
        check(*arguments)
    return str(excinfo.value)


class Wild(TinyRobot):
    """Its time stands still, its base does not; it forgets nothing."""

    actions = ("Move",)
    spec = replace(SPEC, groups=(*SPEC.groups, Group("head", "head", (Joint("pan", -1.0, 1.0, 1.0),))))

    def __init__(self):
        super().__init__()
        self.spec = Wild.spec

    def _restart(self, *, seed):
        pass

    def _send(self, command):
        self.x += command.get("base")[0]


def test_what_is_wrong_with_a_robot():
    message = violations(check_robot, Wild())
    for part in (
        "holds End too",
        "'pan' of the group 'head' of the spec is not among what it feels",
        "took 0 s by its stamps",
        "must bring back the same start",
    ):
        assert part in message

    class Coasting(TinyRobot):
        stop_seconds = 0.2

        def measured(self):
            return replace(super().measured(), base_velocity=(0.2, 0.0))

    assert "still moves 0.2 s after it was told to stop" in violations(check_robot, Coasting())  # codespell:ignore
    assert "is not a homie.Robot" in violations(check_robot, object())

    class Broken(Wild):
        views = ("left", "right")

        def observe(self, cameras=()):
            if cameras:
                raise OSError(f"no camera {cameras[0]}")
            return super().observe()

    class Once(TinyRobot):
        closed = False

        def close(self):
            if self.closed:
                raise OSError("the camera is gone")
            self.closed = True

    check_robot(Once())
    with pytest.raises(NotConforming, match="a second close raised OSError: the camera is gone"):
        check_robot(Once(), close=True)

    message = violations(check_robot, Broken())
    assert "observe(('left',)) raised OSError: no camera left" in message and "no camera right" in message
    assert "must bring back the same start" in message, "what comes after an exception is looked at too"


class Mad(TinySkill):
    def act(self, observation):
        return Command(base=(float("nan"), 0.0))


class Lame(TinySkill):
    def start(self, subtask, goal, observation):
        raise KeyError("surfaces")


class Odd(TinySkills):
    name = "odd"
    actions = ("Go to", "Pick", "Put", "Fly")
    own_actions = (replace(ACTION_TABLE["Pick"], hand="full"),)

    def skills(self, spec, kinematics):
        return [Mad("Go to"), Lame("Pick"), TinySkill("Put")]


def test_what_is_wrong_with_skills():
    message = violations(check_skills, Odd(), TinyRobot())
    assert "`actions` says ['Fly', 'Go to', 'Pick', 'Put'], and its skills have ['Go to', 'Pick', 'Put']" in message
    assert "`own_actions`: The action 'Pick' has hand='empty', and a skill set declares hand='full'" in message
    assert "tiny go to: act gave a command that is not finite" in message
    assert "tiny pick: start or act (Pick) raised KeyError: 'surfaces'" in message
    assert "tiny put" not in message and Outcome.RUNNING in Outcome


class Vague(TinyLocator):
    name = ""

    def resolve(self, words, action, observation):
        return "ball"

    def distance(self, entity, observation):
        return float("nan")


def test_what_is_wrong_with_a_locator():
    robot = TinyRobot()
    message = violations(check_locator, Vague(robot), robot, ["box"])
    for part in ("`name` must be", "for Pick must be None (is 'ball')", "'box': distance must be metres (is nan)"):
        assert part in message


class Talkative(TinyLocator):
    def knowledge(self, round_number):
        return Knowledge(rooms=("attic",), remembered=(RememberedThing("ball"),))


def test_a_locator_understands_what_it_tells():
    robot = TinyRobot()
    message = violations(check_locator, Talkative(robot), robot, ["box"])
    assert "get the name 'attic' (knowledge), so resolve must understand it." in message and "'ball'" not in message


class Careless(TinyDetector):
    def detect(self, observation):
        detections = [
            Detection("small  thing", view, (0, 0, 1, 1), 1.5, mask=np.ones((3, 3), bool))
            for view in observation.frames
        ]
        return (*detections, Detection("wide", "front", (0, 0, 9000, 2)), Detection("ghost", "nowhere", (0, 0, 1, 1)))


def test_what_is_wrong_with_a_detector():
    message = violations(check_detector, Careless())
    for part in (
        "the box (0, 0, 9000, 2) of 'wide' is not inside its picture of 2 x 2",
        "single blanks (got 'small  thing')",
        "must be from 0 to 1 (got 1.5)",
        "the mask of 'small  thing' must be bool of 2 x 2 (is bool (3, 3))",
        "larger boxes come first",
        "in the view 'nowhere', of which there is no picture",
    ):
        assert part in message

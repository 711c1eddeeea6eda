"""`--skills nav2`: where the robot is sent, and what becomes of a drive that it gives up."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import action_of
from homie.kernel.errors import BadInput
from homie.kernel.types import Outcome, Subtask
from skills.nav2 import Nav2
from tests.homes import one_room

TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.2, "y": 2.0, "yaw": 3.14159}


class Robot:
    """A robot whose navigation ends as the test says."""

    def __init__(self, outcome, reason=""):
        self.places, self.cancelled = [], 0
        self.goal_handle = SimpleNamespace(outcome=Outcome.RUNNING, failure=reason, cancel=self.cancel)
        self.ends = outcome

    def cancel(self):
        self.cancelled += 1

    def navigate(self, place):
        self.places.append(place)
        self.goal_handle.outcome = Outcome.RUNNING
        return self.goal_handle


@pytest.fixture(scope="module")
def home():
    with MujocoHome(one_room([TABLE], robot=(1.0, 2.0, 0.0)), picture_size=(16, 16)) as robot:
        yield robot


def drive(home, robot):
    """Where the robot stood before, and the skill at its end."""
    skills = Nav2()
    skills.bind(robot)
    (skill,) = skills.skills(home.spec, home.kinematics)
    observation = home.observe()
    goal = home.background().goal("table_1", action_of("Go to"), observation)
    skill.start(Subtask("Go to", "table"), goal, observation)
    for _ in range(600):
        if skill.outcome is not Outcome.RUNNING:
            break
        home.act(skill.act(home.observe()))
        if robot.places and len(robot.places) > robot.cancelled:
            robot.goal_handle.outcome = robot.ends
    return observation.body.base, skill


def test_the_robot_is_sent_to_where_it_can_reach_the_target_and_drives_itself(home):
    robot = Robot(Outcome.SUCCEEDED)
    before, skill = drive(home, robot)
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    place = robot.places[0]
    away = np.array([3.2, 2.0]) - place.xy
    assert 0.5 < np.linalg.norm(away) < 1.5
    assert abs(np.arctan2(away[1], away[0]) - place.yaw) < 0.1, "it faces the table"
    now = home.measured().base
    assert np.hypot(now.x - before.x, now.y - before.y) < 0.01, "no velocity of the skill's own"


def test_a_drive_that_is_given_up_is_tried_as_the_executor_says_and_has_its_reason(home):
    why = "the robot's navigation was aborted: no valid path"
    robot = Robot(Outcome.FAILED, why)
    _, skill = drive(home, robot)
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, why)
    assert skill.retryable, "people go away from where they stood"


def test_time_that_runs_out_cancels_the_drive(home):
    robot = Robot(Outcome.RUNNING)
    skills = Nav2()
    skills.bind(robot)
    (skill,) = skills.skills(home.spec, home.kinematics)
    skill.max_seconds = 1.0
    observation = home.observe()
    skill.start(
        Subtask("Go to", "table"), home.background().goal("table_1", action_of("Go to"), observation), observation
    )
    while skill.outcome is Outcome.RUNNING:
        home.act(skill.act(home.observe()))
    assert skill.outcome is Outcome.TIMED_OUT and robot.cancelled == 1


def test_a_robot_without_navigation_is_refused(home):
    with pytest.raises(BadInput, match="has no navigation of its own that could be asked"):
        Nav2().bind(home)

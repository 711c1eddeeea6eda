"""`--skills moveit`: what the planner is asked for, and what becomes of motions that it gives up."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch_kinematics import SPEC
from homie.kernel.actions import action_of
from homie.kernel.errors import BadInput
from homie.kernel.types import Outcome, Subtask
from skills.motion.motions import merge_commands
from skills.moveit import MoveIt
from tests.homes import one_room

TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.0, "y": 2.0, "yaw": 3.14159}
APPLE = {
    "name": "apple_1",
    "kind": "apple",
    "colour": "red",
    "receptacle": "table_1",
    "surface": "top",
    "x": -0.1,
    "y": 0.0,
}
THERE = 0.03
"""rad or m within which the planner of the test has arrived."""


class Planner:
    """A planner that brings the joints there at once, or ends as the test says."""

    def __init__(self, reason=""):
        self.asked, self.goal, self.reason, self.cancelled = [], None, reason, 0

    def check_planner(self):
        pass

    def cancel(self):
        self.cancelled += 1
        self.goal = None

    def reach(self, joints, around, held):
        self.asked.append((joints, around, held))
        failed = bool(self.reason)
        self.goal = None if failed else joints
        outcome = Outcome.FAILED if failed else Outcome.RUNNING
        self.goal_handle = SimpleNamespace(outcome=outcome, failure=self.reason, cancel=self.cancel)
        return self.goal_handle

    def moved(self, command, body):
        """The command with what the planner does to the arm."""
        if self.goal is None:
            return command
        assert not any(group in command.targets for group in ("arm", "torso")), "the arm is the planner's"
        if np.max(np.abs(SPEC.chain.measured(body) - self.goal)) < THERE:
            self.goal_handle.outcome = Outcome.SUCCEEDED
        return merge_commands([SPEC.chain.command(self.goal), command])


@pytest.fixture(scope="module")
def home():
    with MujocoHome(one_room([TABLE], [APPLE], robot=(1.2, 2.0, 0.0)), picture_size=(16, 16)) as robot:
        yield robot


def attempt(home, planner, action, target, skills):
    """The skill for an action at its end."""
    skill = next(each for each in skills if action in each.actions)
    locator, observation = home.background(), home.observe()
    skill.start(Subtask(action, target), locator.goal(target, action_of(action), observation), observation)
    for _ in range(2500):
        if skill.outcome is not Outcome.RUNNING:
            break
        command = planner.moved(skill.act(home.observe()), home.measured())
        home.act(command)
    return skill


def build_skills(home, planner):
    moveit = MoveIt()
    moveit.bind(planner)
    return moveit.skills(home.spec, home.kinematics)


def test_a_thing_is_picked_and_the_planner_knows_of_table_and_thing(home):
    planner = Planner()
    home.reset(seed=0)
    skill = attempt(home, planner, "Pick", "apple_1", build_skills(home, planner))
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    assert home.measured().holding
    assert len(planner.asked) >= 3, "raised, before the thing, back to the body"
    before, around, held = planner.asked[1]
    hand = home.kinematics.forward(before).position
    assert 0.5 < np.linalg.norm(hand[:2]) < 1.1 and not len(held)
    assert any(box.distance(np.array([2.75, 2.0])) == 0.0 and box.center[2] < 0.8 for box in around), "the table"
    assert len(planner.asked[-1][2]), "in the end the apple is in the hand"


def test_a_motion_that_is_given_up_ends_the_attempt_with_its_reason(home):
    planner = Planner("the robot's arm planner was aborted: no way was found")
    home.reset(seed=0)
    skill = attempt(home, planner, "Pick", "apple_1", build_skills(home, planner))
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, planner.reason)
    assert skill.retryable


def test_time_that_runs_out_cancels_the_motion(home):
    planner = Planner()
    home.reset(seed=0)
    skills = build_skills(home, planner)
    pick = skills[0]
    pick.max_seconds, pick.freeing = 8.0, 0.0
    planner.moved = lambda command, body: command
    skill = attempt(home, planner, "Pick", "apple_1", skills)
    assert skill.outcome is Outcome.TIMED_OUT and planner.cancelled >= 1


def test_open_and_close_are_in_the_set(home):
    assert [skill.actions for skill in build_skills(home, Planner())] == [("Pick",), ("Put",), ("Open",), ("Close",)]


def test_a_robot_without_planner_is_refused(home):
    with pytest.raises(BadInput, match="has no planner of its own that could be asked"):
        MoveIt().bind(home)

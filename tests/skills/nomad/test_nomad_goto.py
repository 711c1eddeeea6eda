"""NoMaD's Go to in the home: its rates, its commands, how an attempt ends.

The waypoints are chosen by the test in place of the network; robot and pictures are Homie's own.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput
from homie.kernel.types import VIEWS, Goal, Outcome, Subtask
from perception.detectors.simulated import SimulatedDetector
from skills.nomad.skill_set import Nomad
from skills.nomad.steering import MAX_V, MAX_W
from skills.policies.policy import PolicyFailed

TABLE = {"name": "table_1", "kind": "table", "x": 2.0, "y": 3.4, "yaw": 0.0, "colour": "brown"}


class Waypoints:
    """Gives one waypoint for ever, and says that it has arrived after so many decisions."""

    def __init__(self, waypoint=(0.1, 0.01), *, decisions=10_000, rate=4.0, names=None, explore_seconds=0.0):
        self.facts = {"rate": rate, "names": json.dumps(names or {}), "explore_seconds": explore_seconds}
        self.waypoint, self.decisions, self.steps = waypoint, decisions, 0

    def reset(self, goal):
        self.goal, self.steps = goal, 0

    def step(self, inputs):
        self.picture = inputs["picture"]
        self.steps += 1
        if self.steps < 4:
            return {"ready": False}
        arrived = self.steps >= self.decisions
        return {"ready": True, "waypoint": np.array(self.waypoint), "reached": arrived, "distance": 5.0, "node": -1}


def play(policy, *, target="table_1", words="table", robot=(2.0, 2.0, 0.0), seconds=8.0):
    """One attempt in a room with a table; the skill and (stamp, decisions, looks, requested base) of every period."""
    with MujocoHome(one_room([TABLE], robot=robot)) as home:
        (skill,) = Nomad.around(policy, home.spec, home.kinematics)
        observation = home.observe(skill.cameras)
        detections = tuple(
            detection for detection in SimulatedDetector().detect(observation) if detection.instance == target
        )
        skill.start(Subtask("Go to", words), Goal(target, "", np.zeros(3), seen=detections), observation)
        log, start = [], observation.stamp
        while skill.outcome is Outcome.RUNNING and observation.stamp - start < seconds:
            sent = home.act(skill.act(observation))
            log.append((observation.stamp - start, policy.steps, skill.required_cameras(), sent.requested.get("base")))
            observation = home.observe(skill.required_cameras())
    return skill, log, observation.body


def test_four_decisions_a_second_and_no_picture_in_between():
    policy = Waypoints(names={"table_1": [3]})
    _, log, _ = play(policy)
    assert policy.goal["nodes"].tolist() == [3]
    assert policy.steps in (32, 33)  # in 8 seconds
    assert sum(looks == ("front",) for _, _, looks, _ in log) in (policy.steps - 1, policy.steps)
    assert {looks for _, _, looks, _ in log} == {(), ("front",)}
    assert policy.picture.shape == (256, 256, 3) and policy.picture.dtype == np.uint8


def test_it_stands_until_there_are_four_pictures_then_drives_as_the_controller_says():
    policy = Waypoints((0.04, 0.002), names={"table_1": [3]})
    _, log, body = play(policy, seconds=3.0)
    standing = [base for stamp, steps, _, base in log if steps < 4]
    assert set(standing) == {(0.0, 0.0)}
    driving = [base for _, _, _, base in log[len(standing) + 3 :]]
    assert np.unique(driving, axis=0) == pytest.approx(np.array([[0.16, math.atan(0.05) * 4]]))
    assert 0.2 < body.base.x - 2.0 < 0.4 and body.base.y > 2.0


def test_commands_keep_to_nomads_limits():
    for waypoint in ((3.0, 3.0), (0.0, -2.0), (-1.0, 0.5)):
        _, log, _ = play(Waypoints(waypoint, names={"table_1": [3]}), seconds=2.0)
        for _, _, _, (v, w) in log:
            assert 0.0 <= v <= MAX_V and abs(w) <= MAX_W


def test_a_waypoint_is_followed_for_a_second():
    policy = Waypoints(rate=0.5, names={"table_1": [3]})
    _, log, _ = play(policy, seconds=7.9)
    moving = [stamp for stamp, _, _, (v, _) in log if v > 0]
    assert moving[0] == pytest.approx(6.0, abs=0.15) and moving[-1] == pytest.approx(7.0, abs=0.15)


def test_it_stops_where_nomad_says_that_it_is_there():
    skill, log, _ = play(Waypoints(decisions=9, names={"table_1": [3]}))
    assert skill.outcome is Outcome.SUCCEEDED
    assert log[-1][0] == pytest.approx(2.0, abs=0.1) and log[-1][3] is None


def test_a_robot_that_presses_against_something_stops():
    skill, log, body = play(Waypoints((0.1, 0.0), names={"table_1": [3]}), robot=(3.4, 2.0, 0.0), seconds=30.0)
    assert skill.outcome is Outcome.FAILED and skill.reason == "the way stays blocked"
    assert body.base.x < 3.9 and log[-1][0] < 12.0


def test_a_target_in_sight_is_turned_to_and_its_picture_is_the_goal():
    policy = Waypoints(decisions=4)
    skill, _, body = play(policy)
    assert skill.outcome is Outcome.SUCCEEDED and skill.cameras == VIEWS
    assert body.base.yaw == pytest.approx(math.pi / 2, abs=0.05)  # the table was in the left view
    assert set(policy.goal) == {"picture"}
    difference = np.abs(policy.goal["picture"].astype(int) - policy.picture.astype(int)).mean()
    assert difference < 25.0  # what it sees ahead now is about what it saw on its left


def test_without_goal_it_explores_for_a_while_or_not_at_all():
    policy = Waypoints(explore_seconds=2.0)
    skill, log, _ = play(policy, target="fridge_1", words="fridge")
    assert policy.goal == {} and skill.outcome is Outcome.FAILED
    assert "explored for 2 s" in skill.reason and log[-1][0] == pytest.approx(2.0, abs=0.1)
    skill, log, _ = play(Waypoints(), target="fridge_1", words="fridge")
    assert (skill.outcome, log) == (Outcome.FAILED, [])
    assert skill.reason == "the target is neither on the map nor in sight"


def test_a_policy_that_can_not_go_on_ends_the_attempt():
    class Lost(Waypoints):
        def step(self, inputs):
            raise PolicyFailed("lost")

    skill, log, _ = play(Lost(names={"table_1": [3]}))
    assert (skill.outcome, skill.reason, log[-1][3]) == (Outcome.FAILED, "lost", None)


def test_a_robot_that_does_not_drive_is_refused():
    with (
        MujocoHome(one_room()) as home,
        pytest.raises(BadInput, match="NoMaD needs a base that drives"),
    ):
        Nomad.around(Waypoints(), replace(home.spec, groups=home.spec.groups[1:]), home.kinematics)

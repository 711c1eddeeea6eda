"""PixNav's Go to in the home: where it turns, what it marks, how its actions are executed.

The actions are chosen by the test in place of the network; robot, pictures and detector are Homie's own.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from homes import one_room
from hypothesis import given
from hypothesis import strategies as st

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput
from homie.kernel.types import Goal, Outcome, Pose2, Subtask
from perception.detectors.simulated import SimulatedDetector
from skills.pixnav.actions import DOWN, FORWARD, LEFT, RIGHT, STEP, STOP, TURN, UP
from skills.pixnav.goal import turn_to
from skills.pixnav.skill_set import PixNav


class Chosen:
    """Gives the actions of the test, and keeps what it was given."""

    def __init__(self, *actions, forced=False):
        self.facts = {"calls": 33}
        self.actions, self.forced, self.steps = list(actions), forced, []

    def reset(self, goal):
        self.goal = goal

    def step(self, inputs):
        self.steps.append(inputs)
        return {"action": self.actions.pop(0), "forced": self.forced and not self.actions}


def play(policy, *, target="table_1", robot=(2.0, 2.0, 0.0), table=(2.0, 3.4)):
    """One attempt at going to a table; the skill, and the bases at each of its decisions."""
    piece = {"name": "table_1", "kind": "table", "x": table[0], "y": table[1], "yaw": 0.0, "colour": "brown"}
    with MujocoHome(one_room([piece], robot=robot)) as home:
        (skill,) = PixNav.around(policy, home.spec, home.kinematics)
        observation = home.observe(skill.cameras)
        detections = tuple(
            detection for detection in SimulatedDetector().detect(observation) if detection.instance == target
        )
        skill.start(Subtask("Go to", "table"), Goal(target, "", np.zeros(3), seen=detections), observation)
        bodies, rendered, start = [], 0, observation.stamp
        while skill.outcome is Outcome.RUNNING:
            assert observation.stamp - start < skill.max_seconds
            decided = len(policy.steps)
            home.act(skill.act(observation))
            if len(policy.steps) > decided:
                bodies.append(observation.body)
            rendered += bool(skill.required_cameras())
            observation = home.observe(skill.required_cameras())
        bodies.append(observation.body)
    return skill, bodies, rendered


def motions(bodies):
    """Metres and radians from each decision to the next."""
    bases = [body.base for body in bodies]
    return [
        (math.hypot(b.x - a.x, b.y - a.y), math.remainder(b.yaw - a.yaw, math.tau))
        for a, b in itertools.pairwise(bases)
    ]


def test_actions_are_as_large_as_in_training():
    policy = Chosen(RIGHT, FORWARD, LEFT, LEFT, FORWARD, STOP)
    skill, bodies, rendered = play(policy)
    assert skill.outcome is Outcome.SUCCEEDED
    expected = [(0.0, -TURN), (STEP, 0.0), (0.0, TURN), (0.0, TURN), (STEP, 0.0), (0.0, 0.0)]
    for (metres, radians), (far, turned) in zip(motions(bodies), expected, strict=True):
        assert metres == pytest.approx(far, abs=0.03) and radians == pytest.approx(turned, abs=0.04)
    assert not any(step["collided"] for step in policy.steps)
    assert rendered == len(policy.steps)  # no picture but for a decision


def test_the_camera_nods_and_ends_level():
    skill, bodies, _ = play(Chosen(DOWN, UP, UP, STOP))
    assert skill.outcome is Outcome.SUCCEEDED
    tilts = [body.joints["head_tilt_joint"] for body in bodies]
    assert tilts == pytest.approx([0.0, TURN, 0.0, -TURN, 0.0], abs=0.06)


def test_a_step_that_falls_short_is_a_collision():
    policy = Chosen(FORWARD, FORWARD, LEFT, STOP)
    play(policy, table=(2.0, 3.1))
    assert [step["collided"] for step in policy.steps][:3] == [False, False, True]


def test_it_turns_to_the_target_and_marks_it():
    policy = Chosen(STOP)
    _, bodies, _ = play(policy, robot=(1.2, 1.0, -2.0))
    base = bodies[0].base
    bearing = math.remainder(math.atan2(3.4 - base.y, 2.0 - base.x) - base.yaw, math.tau)
    assert abs(bearing) < TURN / 2 + 0.1
    turned = math.remainder(base.yaw + 2.0, math.tau) / TURN
    assert turned == pytest.approx(round(turned), abs=0.1)
    x, y = policy.goal["pixel"]
    assert x == pytest.approx(0.5 - 0.5 * math.tan(bearing) / math.tan(math.pi / 6), abs=0.12)
    assert 0.5 < y < 1.0  # a table is lower than the camera
    assert policy.goal["picture"] is policy.steps[0]["picture"]


def test_a_target_in_no_picture_fails_before_anything_moves():
    skill, bodies, _ = play(Chosen(), target="fridge_1")
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "the target is in none of the robot's pictures")
    assert len(bodies) == 1


def test_the_early_stop_is_a_time_out():
    skill, _, _ = play(Chosen(LEFT, STOP, forced=True))
    assert (skill.outcome, skill.reason) == (Outcome.TIMED_OUT, "no stop of its own in 33 decisions")


def test_a_robot_that_does_not_drive_is_refused():
    with MujocoHome(one_room()) as home, pytest.raises(BadInput, match="PixNav needs a base that drives and a head"):
        PixNav.around(Chosen(), replace(home.spec, groups=home.spec.groups[1:]), home.kinematics)


@given(x=st.floats(-5, 5), y=st.floats(-5, 5), yaw=st.floats(-3.2, 3.2))
def test_turns_are_of_thirty_degrees_and_leave_at_most_fifteen(x, y, yaw):
    target = turn_to(np.array([x, y, 0.5]), Pose2(0.3, -0.2, yaw))
    steps = (target - yaw) / TURN
    assert steps == pytest.approx(round(steps), abs=1e-6) and abs(steps) < 6.001
    remaining = math.remainder(math.atan2(y + 0.2, x - 0.3) - target, math.tau)
    assert abs(remaining) <= TURN / 2 + 1e-6

"""Motions of the robot's own arm planner, an action server on the wire: they arrive, are given up, are cancelled."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from homie.kernel.types import Box, Outcome
from ros_bridge.profiles.profile_check import MOVE_GROUP
from ros_bridge.robot.goals import ARM_PLANNER_FAILS, GuardedGoal
from ros_bridge.transport.actions import ActionServer, Status
from ros_bridge.transport.actions import Outcome as Ended
from ros_bridge.transport.dds.cdr_messages import Definitions
from tests.ros_bridge.guarded_software import FETCH, guarded_software
from tests.waiting import until

THERE = [0.1, 0.5, 0.2, 0.0, 0.5, 0.0, 0.5, 0.0]
TABLE = Box(np.array([0.8, 0.1, 0.35]), np.array([0.3, 0.4, 0.35]), 0.3)


class MoveIt:
    """A MoveIt of the test: moves the elbow of a robot while a goal is under way, and ends it as the test says."""

    def __init__(self, node, body):
        self.goals, self.code, self.body = [], 1, body
        self.go = threading.Event()
        ActionServer(node, MOVE_GROUP, FETCH.reaching.action, self.execute)

    def execute(self, goal):
        self.goals.append(goal.message)
        self.body.speeds["elbow_flex_joint"] = 0.5
        try:
            while not self.go.wait(0.01):
                if goal.cancelled.is_set():
                    return Ended(Status.CANCELED, {"error_code": {"val": -7}})
        finally:
            self.body.speeds["elbow_flex_joint"] = 0.0
        status = Status.SUCCEEDED if self.code == 1 else Status.ABORTED
        return Ended(status, {"error_code": {"val": self.code}})


@pytest.fixture(scope="module")
def guarded(network, tmp_path_factory):
    """An armed guard of a robot with a planner, in a thread, and a link to it."""
    path = tmp_path_factory.mktemp("g") / "guard.sock"
    with guarded_software(network, path, MoveIt, lambda outlet: outlet._reaching.ready()) as guarded:
        yield guarded


@pytest.fixture
def motion(guarded):
    """Begins a motion, and the planner that is asked for it."""
    link, planner, guard = guarded
    planner.code = 1
    planner.goals.clear()
    planner.go.clear()

    def begin(held=()):
        return GuardedGoal(link, link.reach(THERE, [TABLE], held), *ARM_PLANNER_FAILS)

    return begin, planner, link, guard


def test_a_motion_arrives(motion):
    begin, planner, _, _ = motion
    goal_handle = begin(held=[[0.0, 0.0, 0.0, 0.04]])
    until(lambda: planner.goals)
    assert goal_handle.outcome is Outcome.RUNNING
    (goal,) = planner.goals
    assert [each.position for each in goal.request.goal_constraints[0].joint_constraints] == THERE
    assert len(goal.planning_options.planning_scene_diff.world.collision_objects) == 1
    planner.go.set()
    until(lambda: goal_handle.outcome is Outcome.SUCCEEDED)
    assert goal_handle.failure == ""


@pytest.mark.parametrize(
    ("code", "reason"),
    [(-1, "no way was found"), (-31, "the arm does not reach there"), (-6, "time ran out"), (-99, "error -99")],
)
def test_a_motion_that_is_given_up_fails_with_the_reason(motion, code, reason):
    begin, planner, _, _ = motion
    planner.code = code
    planner.go.set()
    goal_handle = begin()
    until(lambda: goal_handle.outcome is Outcome.FAILED)
    assert goal_handle.failure == f"the robot's arm planner was aborted: {reason}"


def test_a_stop_cancels_a_motion_and_is_done_when_no_joint_moves(motion):
    begin, planner, link, guard = motion
    goal_handle = begin()
    until(lambda: guard._measured.joint_speeds()["elbow_flex_joint"] > 0.4)
    assert link.stop().confirmed
    assert max(map(abs, guard._measured.joint_speeds().values())) < FETCH.standing.joint
    until(lambda: goal_handle.outcome is Outcome.STOPPED)
    assert planner.body.speeds["elbow_flex_joint"] == 0.0


def test_a_skill_that_has_enough_cancels_its_motion(motion):
    begin, _, _, _ = motion
    goal_handle = begin()
    goal_handle.cancel()
    until(lambda: goal_handle.outcome is Outcome.STOPPED)


@pytest.mark.parametrize(("distro", "fields"), [("humble", ["val"]), ("jazzy", ["val", "message", "source"])])
def test_error_codes_are_those_of_the_distribution(distro, fields):
    assert [name for name, _ in Definitions(distro).fields("moveit_msgs/msg/MoveItErrorCodes")] == fields

"""Drives of the robot's own navigation, an action server on the wire: they arrive, are given up, refused, cancelled."""

from __future__ import annotations

import threading

import pytest

from homie.kernel.types import Outcome
from ros_bridge.profiles.profile_check import NAVIGATE
from ros_bridge.robot.goals import NAVIGATION_FAILS, GuardedGoal
from ros_bridge.transport.actions import ActionServer, Status
from ros_bridge.transport.actions import Outcome as Ended
from ros_bridge.transport.dds.cdr_messages import Definitions
from tests.ros_bridge.guarded_software import FETCH, guarded_software
from tests.waiting import until


class Navigation:
    """A Nav2 of the test: ends a goal as the test says, and keeps the places."""

    def __init__(self, node):
        self.places, self.ends, self.takes = [], Ended(Status.SUCCEEDED), True
        self.go = threading.Event()
        ActionServer(node, NAVIGATE, FETCH.navigation.action, self.execute, accept=lambda goal: self.takes)

    def execute(self, goal):
        pose = goal.message.pose
        self.places.append((pose.header.frame_id, pose.pose.position.x, pose.pose.orientation.w))
        while not self.go.wait(0.01):
            if goal.cancelled.is_set():
                return Ended(Status.CANCELED)
        return self.ends


@pytest.fixture(scope="module")
def guarded(network, tmp_path_factory):
    """An armed guard of a robot with a navigation, in a thread, and a link to it."""
    path = tmp_path_factory.mktemp("g") / "guard.sock"
    with guarded_software(
        network, path, lambda node, body: Navigation(node), lambda outlet: outlet._navigation.ready()
    ) as (link, navigation, _):
        yield link, navigation


@pytest.fixture
def drive(guarded):
    """Begins a drive, and the navigation that is asked for it."""
    link, navigation = guarded
    navigation.ends, navigation.takes = Ended(Status.SUCCEEDED), True
    navigation.go.clear()
    link.begin("go to the table")
    return lambda: GuardedGoal(link, link.navigate(1.0, 2.0, 0.0), NAVIGATION_FAILS), navigation, link


def test_a_drive_arrives(drive):
    begin, navigation, _ = drive
    goal_handle = begin()
    until(lambda: navigation.places)
    assert navigation.places[-1] == ("odom", 1.0, 1.0) and goal_handle.outcome is Outcome.RUNNING
    navigation.go.set()
    until(lambda: goal_handle.outcome is Outcome.SUCCEEDED)


def test_a_drive_that_is_given_up_fails_with_what_the_robot_says(drive):
    begin, navigation, _ = drive
    navigation.ends = Ended(Status.ABORTED)
    navigation.go.set()
    goal_handle = begin()
    until(lambda: goal_handle.outcome is Outcome.FAILED)
    assert goal_handle.failure == "the robot's navigation was aborted"


def test_a_goal_that_is_not_taken_fails(drive):
    begin, navigation, _ = drive
    navigation.takes = False
    goal_handle = begin()
    until(lambda: goal_handle.outcome is Outcome.FAILED)
    assert goal_handle.failure == "the robot's navigation was rejected: the controller did not accept it"


def test_a_stop_cancels_a_drive_and_is_confirmed(drive):
    begin, navigation, link = drive
    goal_handle, count = begin(), len(navigation.places)
    until(lambda: len(navigation.places) > count or navigation.places)
    assert link.stop().confirmed
    until(lambda: goal_handle.outcome is Outcome.STOPPED)


def test_a_skill_that_has_enough_cancels_its_drive(drive):
    begin, _, _ = drive
    goal_handle = begin()
    goal_handle.cancel()
    until(lambda: goal_handle.outcome is Outcome.STOPPED)


@pytest.mark.parametrize(("distro", "fields"), [("humble", ["result"]), ("jazzy", ["error_code"])])
def test_results_are_those_of_the_distribution(distro, fields):
    assert [name for name, _ in Definitions(distro).fields("nav2_msgs/action/NavigateToPose_Result")] == fields

"""Drives of the robot's own navigation, an action server on the wire: they arrive, are given up, refused, cancelled."""

from __future__ import annotations

import threading

import pytest

from homie.kernel.types import Outcome
from ros_bridge.guard.guard import Guard
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.measured import Measured
from ros_bridge.guard.outlet import RosOutlet
from ros_bridge.guard.process import _loop
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.profile_check import NAVIGATE
from ros_bridge.robot.goals import NAVIGATION_FAILS, GuardedGoal
from ros_bridge.transport.actions import ActionServer, Status
from ros_bridge.transport.actions import Outcome as Ended
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.dds.node import DdsNode
from tests.ros_bridge.fake_robot import FakeRobot
from tests.waiting import until

FETCH = read_profile("fetch")


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


class Watched(Measured):
    """Measurements that are never too old: that the machine of a test is busy does not stop the robot."""

    def silent(self):
        return ""


@pytest.fixture(scope="module")
def guarded(network, tmp_path_factory):
    """An armed guard of a robot with a navigation, in a thread, and a link to it."""
    path = tmp_path_factory.mktemp("g") / "guard.sock"
    over = threading.Event()
    with DdsNode("/robot", network) as body, DdsNode("/nav2", network) as brain, DdsNode("/guard", network) as node:
        FakeRobot(body, FETCH)
        navigation = Navigation(brain)
        outlet = RosOutlet(node, FETCH)
        guard = Guard(FETCH, outlet, Watched(node, FETCH), armed=True, silence=30.0)
        agent = AgentSocket(path, guard, dry_run=False, network=network)
        thread = threading.Thread(target=_loop, args=(guard, agent, over.is_set))
        thread.start()
        until(outlet._navigation.ready)
        until(lambda: not Measured.silent(guard._measured))
        with GuardLink(FETCH, path, network=network) as link:
            yield link, navigation
        over.set()
        thread.join()
        agent.close()


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

"""Actions between two nodes: accepted, fed back, ended, cancelled, refused."""

from __future__ import annotations

import threading

import pytest

from ros_bridge.transport.actions import MOST_GOALS, ActionClient, ActionServer, CancelCode, Outcome, Status
from tests.waiting import until

KIND = "control_msgs/action/FollowJointTrajectory"
NAME = "/arm_controller/follow_joint_trajectory"
GOAL = {"trajectory": {"joint_names": ["elbow"], "points": [{"positions": [0.5]}]}}


@pytest.fixture
def client(nodes):
    action_client = ActionClient(nodes("/asks"), KIND, NAME)

    def with_server(execute, **options):
        ActionServer(nodes("/moves"), KIND, NAME, execute, **options)
        until(action_client.ready)
        return action_client

    return with_server


def held_until_cancelled(goal):
    assert goal.cancelled.wait(20)
    return Outcome(Status.CANCELED, {"error_string": "stopped"})


def test_a_goal_has_feedback_and_a_result(client):
    joints, received = [], []
    fed = threading.Event()

    def execute(goal):
        joints.extend(goal.message.trajectory.joint_names)
        goal.feedback({"joint_names": ["elbow"]})
        assert fed.wait(20)
        return Outcome(Status.SUCCEEDED, {"error_code": 0, "error_string": "there"})

    def listen(feedback):
        received.append(list(feedback.joint_names))
        fed.set()

    goal = client(execute).send(GOAL, listen)
    assert goal.accepted.result(20)
    outcome = goal.outcome.result(20)
    assert (outcome.status, outcome.result.error_string) == (Status.SUCCEEDED, "there")
    assert joints == ["elbow"] and received == [["elbow"]]


def test_a_goal_is_cancelled(client):
    arm = client(held_until_cancelled)
    goal = arm.send(GOAL)
    assert goal.accepted.result(20)
    assert arm.cancel(goal).result(20) is CancelCode.NONE
    assert goal.outcome.result(20).status is Status.CANCELED
    assert arm.cancel(goal).result(20) is CancelCode.TERMINATED


def test_all_goals_are_cancelled_also_those_of_others(client, nodes):
    arm = client(held_until_cancelled)
    goals = [arm.send(GOAL) for _ in range(3)]
    assert all(goal.accepted.result(20) for goal in goals)
    other = ActionClient(nodes("/stops"), KIND, NAME)
    until(other.ready)
    assert other.cancel_all().result(20) is CancelCode.NONE
    assert [goal.outcome.result(20).status for goal in goals] == [Status.CANCELED] * 3
    assert other.cancel_all().result(20) is CancelCode.NONE


def test_a_goal_that_nobody_knows_cannot_be_cancelled(client):
    arm = client(held_until_cancelled, accept=lambda goal: False)
    goal = arm.send(GOAL)
    assert not goal.accepted.result(20)
    assert goal.outcome.result(20) == Outcome(Status.UNKNOWN)
    assert arm.cancel(goal).result(20) is CancelCode.UNKNOWN_GOAL


def test_a_goal_whose_execution_fails_is_aborted(client, caplog):
    def fail(goal):
        raise RuntimeError("the motor is gone")

    assert client(fail).send(GOAL).outcome.result(20).status is Status.ABORTED
    assert "the motor is gone" in caplog.text


def test_a_flood_of_goals_is_rejected(client):
    arm = client(held_until_cancelled)
    goals = [arm.send(GOAL) for _ in range(MOST_GOALS + 5)]
    assert sum(goal.accepted.result(20) for goal in goals) == MOST_GOALS
    arm.cancel_all().result(20)


def test_the_graph_shows_actions(client, nodes):
    client(held_until_cancelled)
    watcher = nodes("/watcher")
    watcher.graph()
    until(lambda: watcher.graph().actions)
    assert watcher.graph().actions == {NAME: {KIND}}
    assert NAME not in watcher.graph().services

"""What plays MoveIt and Nav2 for a served robot: goals over the wire, what is not planned, and stops."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Box, Outcome
from ros_bridge.guard.commands_to_robot import RosOutlet
from ros_bridge.guard.guard import Guard
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.measured import Measurements
from ros_bridge.guard.messages import Obstacle, Reach
from ros_bridge.guard.moveit import goal_of
from ros_bridge.guard.process import _loop
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.profile_check import MOVE_GROUP, NAVIGATE
from ros_bridge.robot.goals import ARM_PLANNER_FAILS, GuardedGoal
from ros_bridge.served_robot import ServedRobot
from ros_bridge.transport.actions import ActionClient, Status
from ros_bridge.transport.dds.node import DdsNode
from tests.homes import one_room
from tests.waiting import until

FETCH = read_profile("fetch")
JOINTS = tuple(joint.name for joint in FETCH.planned_joints)
RAISED = (0.05, 0.6, 0.3, 0.0, 0.9, 0.0, 0.6, 0.0)
TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.2, "y": 2.0, "yaw": 3.14159}


class Watched(Measurements):
    """Measurements that are never too old: that the machine of a test is busy does not stop the robot."""

    def silent(self):
        return ""


@pytest.fixture(scope="module")
def served(network, tmp_path_factory):
    """The Fetch in a room, on the network, a client of each simulated server, and an armed guard with a link to it."""
    path, over = tmp_path_factory.mktemp("g") / "guard.sock", threading.Event()
    scene = one_room([TABLE], robot=(1.0, 2.0, 0.0))
    with (
        MujocoHome(scene, picture_size=(16, 16)) as robot,
        DdsNode("/robot", network) as body,
        DdsNode("/guard", network) as node,
        DdsNode("/client", network) as asks,
    ):
        served = ServedRobot(body, robot, FETCH)
        outlet = RosOutlet(node, FETCH)
        guard = Guard(FETCH, outlet, Watched(node, FETCH), armed=True, silence=30.0)
        agent = AgentSocket(path, guard, dry_run=False, network=network)
        reaching = ActionClient(asks, MOVE_GROUP, FETCH.reaching.action)
        driving = ActionClient(asks, NAVIGATE, FETCH.navigation.action)
        threads = [
            threading.Thread(target=served.run, args=(over.is_set,)),
            threading.Thread(target=_loop, args=(guard, agent, over.is_set)),
        ]
        for thread in threads:
            thread.start()
        until(lambda: all(client.ready() for client in (reaching, driving, outlet._reaching)))
        until(lambda: guard._measured.positions())
        with GuardLink(FETCH, path, network=network) as link:
            yield link, guard, reaching, driving
        over.set()
        for thread in threads:
            thread.join()
        agent.close()


def goal(**changes):
    command = Reach(id=1, joints=JOINTS, positions=RAISED, frame="base_link", stamp=0.0)
    return goal_of(FETCH, command.model_copy(update=changes))


@pytest.mark.slow
def test_the_arm_is_unfolded_on_a_planned_way(served):
    link, guard, _, _ = served
    for _ in range(3):  # a machine that is too busy for the simulation may make it give up
        goal_handle = GuardedGoal(link, link.reach(RAISED), *ARM_PLANNER_FAILS)
        until(lambda goal_handle=goal_handle: goal_handle.outcome is not Outcome.RUNNING)
        if goal_handle.outcome is Outcome.SUCCEEDED:
            break
    assert goal_handle.outcome is Outcome.SUCCEEDED, goal_handle.failure
    measured = guard._measured.positions()
    assert max(abs(measured[name] - value) for name, value in zip(JOINTS, RAISED, strict=True)) < 0.05


def test_a_stop_in_motion_is_done_when_the_joints_stand(served):
    link, guard, _, _ = served
    aside = (RAISED[0], -1.5, *RAISED[2:])
    goal_handle = GuardedGoal(link, link.reach(aside), *ARM_PLANNER_FAILS)
    until(lambda: abs(guard._measured.joint_speeds().get("shoulder_pan_joint", 0.0)) > 0.2)
    stopped = link.stop(20)
    assert stopped.confirmed, stopped.text
    assert max(map(abs, guard._measured.joint_speeds().values())) <= FETCH.standing.joint
    until(lambda: goal_handle.outcome is Outcome.STOPPED)
    assert guard._measured.positions()["shoulder_pan_joint"] > -1.4, "it has not gone on to its end"


def test_a_hand_inside_a_thing_is_no_way(served):
    link, _, _, _ = served
    block = Box(np.array([0.75, 0.3, 0.8]), np.array([0.4, 0.4, 0.6]))
    goal_handle = GuardedGoal(link, link.reach(RAISED, [block]), *ARM_PLANNER_FAILS)
    until(lambda: goal_handle.outcome is not Outcome.RUNNING)
    assert goal_handle.outcome is Outcome.FAILED
    assert goal_handle.failure == "the robot's arm planner was aborted: no way was found"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda fields: fields["request"].update(group_name="gripper"), -15),
        (lambda fields: fields["request"].update(goal_constraints=[]), -16),
        (lambda fields: fields["request"]["goal_constraints"][0]["joint_constraints"].pop(), -16),
        (lambda fields: fields["request"]["goal_constraints"][0]["joint_constraints"][0].update(position=9.0), -27),
        (lambda fields: fields["request"]["goal_constraints"][0]["joint_constraints"][1].update(position=np.nan), -16),
        (lambda fields: _box(fields)["header"].update(frame_id="map"), -21),
        (lambda fields: _box(fields)["primitives"][0].update(type=2, dimensions=[0.1]), -19),
        (lambda fields: _box(fields)["pose"]["position"].update(x=np.inf), -19),
    ],
)
def test_a_goal_that_is_none_is_not_planned(served, change, code):
    _, _, reaching, _ = served
    fields = goal(boxes=(Obstacle(center=(0.8, 0.0, 0.3), half=(0.1, 0.1, 0.1), yaw=0.0),))
    change(fields)
    outcome = reaching.send(fields).outcome.result(20)
    assert (outcome.status, outcome.result.error_code.val) == (Status.ABORTED, code)


def _box(fields):
    (box,) = fields["planning_options"]["planning_scene_diff"]["world"]["collision_objects"]
    box["header"] = dict(box["header"])
    return box


def test_a_plan_alone_moves_nothing(served):
    _, guard, reaching, _ = served
    before = guard._measured.positions()["shoulder_pan_joint"]
    fields = goal()
    fields["planning_options"]["plan_only"] = True
    outcome = reaching.send(fields).outcome.result(30)
    assert outcome.result.error_code.val == 1
    points = outcome.result.planned_trajectory.joint_trajectory.points
    assert np.allclose(points[-1].positions, RAISED, atol=1e-6)
    assert abs(guard._measured.positions()["shoulder_pan_joint"] - before) < 0.02


@pytest.mark.slow
def test_the_base_is_driven_to_a_place_and_stopped_on_the_way(served):
    link, guard, _, driving = served
    goal_handle = GuardedGoal(link, link.navigate(1.4, 2.3, 1.0), "the robot's navigation")
    until(lambda: goal_handle.outcome is not Outcome.RUNNING)
    assert goal_handle.outcome is Outcome.SUCCEEDED, goal_handle.failure
    goal_handle = GuardedGoal(link, link.navigate(1.0, 1.0, 0.0), "the robot's navigation")
    until(lambda: abs(guard._measured.speed[0]) > 0.1)
    assert link.stop(20).confirmed
    until(lambda: goal_handle.outcome is Outcome.STOPPED)
    aborted = driving.send({"pose": {"header": {"frame_id": "map"}}}).outcome.result(20)
    assert aborted.status is Status.ABORTED, "there is no frame map here"

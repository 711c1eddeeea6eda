"""A planned motion as the fields of MoveIt's goal, field by field, and its error codes in words."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from ros_bridge.guard.messages import Obstacle, Reach
from ros_bridge.guard.moveit import goal_of, reason
from ros_bridge.profiles.model import read_profile

FETCH = read_profile("fetch")
REACH = Reach(
    id=1,
    joints=("torso_lift_joint", "elbow_flex_joint"),
    positions=(0.1, -0.5),
    boxes=(Obstacle(center=(1.0, 2.0, 3.0), half=(0.1, 0.2, 0.3), yaw=math.pi / 2),),
    held=((0.01, 0.02, 0.03, 0.04),),
    frame="base_link",
    stamp=0.0,
)


def test_the_request_of_a_goal():
    request = goal_of(FETCH, REACH)["request"]
    (constraints,) = request["goal_constraints"]
    assert constraints["joint_constraints"] == [
        {
            "joint_name": name,
            "position": position,
            "weight": 1.0,
            "tolerance_above": 0.005,
            "tolerance_below": 0.005,
        }
        for name, position in zip(REACH.joints, REACH.positions, strict=True)
    ]
    assert {name: request[name] for name in request if name != "goal_constraints"} == {
        "start_state": {"is_diff": True},
        "group_name": "arm_with_torso",
        "num_planning_attempts": 4,
        "allowed_planning_time": 2.0,
        "max_velocity_scaling_factor": 0.7,
        "max_acceleration_scaling_factor": 0.7,
    }


def test_what_the_arm_keeps_out_of_goes_with_the_goal():
    scene = goal_of(FETCH, REACH)["planning_options"]["planning_scene_diff"]
    assert scene["is_diff"] is True and scene["robot_state"]["is_diff"] is True
    (box,) = scene["world"]["collision_objects"]
    assert box["header"] == {"frame_id": "base_link"} and box["id"] == "homie_0"
    assert box["primitives"] == [{"type": 1, "dimensions": [0.2, 0.4, 0.6]}]
    assert box["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 3.0}
    assert box["pose"]["orientation"] == pytest.approx({"z": math.sqrt(0.5), "w": math.sqrt(0.5)})
    still = {"position": {"x": 0.0, "y": 0.0, "z": 0.0}, "orientation": {"z": 0.0, "w": 1.0}}
    assert box["primitive_poses"] == [still]


def test_what_is_in_the_hand_may_be_touched_by_the_fingers():
    state = goal_of(FETCH, REACH)["planning_options"]["planning_scene_diff"]["robot_state"]
    (attached,) = state["attached_collision_objects"]
    assert attached["link_name"] == "gripper_link" == attached["object"]["header"]["frame_id"]
    assert attached["touch_links"] == ("gripper_link", "l_gripper_finger_link", "r_gripper_finger_link")
    thing = attached["object"]
    assert thing["id"] == "homie_held" and thing["primitives"] == [{"type": 2, "dimensions": [0.04]}]
    assert thing["primitive_poses"][0]["position"] == {"x": 0.01, "y": 0.02, "z": 0.03}
    assert thing["pose"]["position"] == {"x": 0.0, "y": 0.0, "z": 0.0}


def test_an_empty_hand_holds_nothing():
    empty = REACH.model_copy(update={"held": ()})
    state = goal_of(FETCH, empty)["planning_options"]["planning_scene_diff"]["robot_state"]
    assert state == {"is_diff": True}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-1, "no way was found"),
        (-2, "the way that was found is not valid"),
        (-3, "something has moved in its way"),
        (-4, "the controller gave up"),
        (-5, "it has no sensor data"),
        (-6, "time ran out"),
        (-7, "it was preempted"),
        (-10, "the arm touches something where it begins"),
        (-11, "it begins outside of its constraints"),
        (-12, "the arm would touch something at its end"),
        (-13, "its end is outside of its constraints"),
        (-14, "it has not come to its end"),
        (-15, "it does not know the planning group"),
        (-16, "it does not take such goals"),
        (-17, "it cannot make out where the robot is"),
        (-18, "it does not know the link"),
        (-19, "it does not know the object"),
        (-21, "a frame is not known"),
        (-22, "it cannot check for collisions"),
        (-23, "the joint states are too old"),
        (-24, "the sensor data are too old"),
        (-25, "it cannot reach its parts"),
        (-26, "it cannot begin where the arm is"),
        (-27, "the arm cannot be where it should end"),
        (-28, "it does not take such goals"),
        (-29, "the planner has crashed"),
        (-30, "the planner was aborted"),
        (-31, "the arm does not reach there"),
        (99999, "it failed"),
        (-99, "error -99"),
    ],
)
def test_an_error_code_in_words(code, words):
    """As `moveit_msgs/msg/MoveItErrorCodes` numbers them."""
    assert reason(SimpleNamespace(val=code)) == words
    assert reason(SimpleNamespace(val=code, message="")) == words
    assert reason(SimpleNamespace(val=code, message="MoveIt says why")) == "MoveIt says why"

"""The robot's own arm planner, as the guard lets it move: limits, silence, stops, and who has the arm meanwhile."""

from __future__ import annotations

import pytest

from homie.kernel.errors import BadInput
from ros_bridge.guard.guard import UNCONFIRMED
from ros_bridge.guard.messages import (
    Aim,
    CommandEnded,
    Obstacle,
    Point,
    Reach,
    Stop,
    StopResult,
    Trajectory,
    from_agent,
    line,
)
from ros_bridge.guard.moveit import REASONS, TOLERANCE, goal_of
from ros_bridge.profiles.model import parse_profile, read_profile
from ros_bridge.transport.dds.cdr_messages import Definitions
from tests.ros_bridge.guard.test_guard import FETCH, World, why

JOINTS = tuple(joint.name for joint in FETCH.planned_joints)
HALFWAY = (0.1, 0.5, 0.2, 0.0, 0.5, 0.0, 0.5, 0.0)
"""Torso and arm with the hand in its workspace."""
TABLE = Obstacle(center=(0.8, 0.1, 0.35), half=(0.3, 0.4, 0.35), yaw=0.3)


@pytest.fixture
def world():
    return World()


def goal(world, number=5, **changes):
    fields = {"joints": JOINTS, "positions": HALFWAY, "boxes": (TABLE,), "frame": "base_link", "stamp": world.now}
    return Reach(id=number, **{**fields, **changes})


def reach(world, number=5, **changes):
    return world.say(goal(world, number, **changes))


def test_a_motion_is_handed_on_and_ends_as_the_planner_says(world):
    assert not reach(world)
    assert ("reach", HALFWAY, 1) in world.outlet.sent and world.guard.moving
    world.joint_speed = 0.05
    world.pass_time(1.0)
    assert not [entry for entry in world.outlet.sent if entry[0] in ("aim", "follow")]
    world.outlet.running[5](CommandEnded(id=5, outcome="aborted", code=-1, text="no way was found"))
    assert world.replies[-1].text == "no way was found" and not world.guard.moving


def test_nobody_else_moves_the_arm_or_the_base_meanwhile(world):
    reach(world)
    aim = Aim(group="arm", positions=tuple(HALFWAY[1:]), stamp=world.now)
    assert "'arm' is not free: the robot's own planner moves the arm" in why(world.say(aim))
    lift = {"id": 6, "group": "torso", "joints": ("torso_lift_joint",)}
    lifted = Trajectory(**lift, points=(Point(positions=(0.1,), time=3.0),), stamp=world.now)
    assert "'torso' is not free" in why(world.say(lifted))
    assert "The base has to stand while" in why(world.drive(0.2))
    assert "is not free" in why(reach(world, number=7))
    assert not world.say(Aim(group="head", positions=(0.1, 0.1), stamp=world.now)), "the head may look"


def test_a_motion_waits_for_the_base_and_for_a_trajectory(world):
    world.drive(0.3)
    assert "The base still drives" in why(reach(world))
    world.speed = (0.2, 0.0)
    world.pass_time(1.0)
    assert "The base still drives" in why(reach(world)), "it should stand, and rolls on"
    world.speed = (0.0, 0.0)
    world.pass_time(0.1)
    lift = {"id": 8, "group": "torso", "joints": ("torso_lift_joint",)}
    world.say(Trajectory(**lift, points=(Point(positions=(0.1,), time=3.0),), stamp=world.now))
    assert "'torso' still follows trajectory 8" in why(reach(world))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"frame": "odom"}, "in the frame 'base_link', not 'odom'"),
        ({"positions": (float("nan"), *HALFWAY[1:])}, "not finite"),
        ({"boxes": (Obstacle(center=(0.8, float("inf"), 0.3), half=(0.1, 0.1, 0.1), yaw=0.0),)}, "not finite"),
        ({"held": ((0.0, 0.0, float("nan"), 0.03),)}, "not finite"),
        ({"boxes": (Obstacle(center=(0.8, 0.0, 0.3), half=(0.1, 0.0, 0.1), yaw=0.0),)}, "must be above 0"),
        ({"positions": (0.5, *HALFWAY[1:])}, "torso_lift_joint at 0.5 is outside 0..0.38615"),
        ({"positions": HALFWAY[:-1]}, "The goal must have the joints torso_lift_joint, shoulder_pan_joint"),
        ({"joints": JOINTS[::-1]}, "in this order"),
        ({"positions": (0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 0.0)}, "would leave its workspace at"),
    ],
)
def test_what_may_not_be_is_refused(world, changes, sentence):
    assert sentence in why(reach(world, **changes))
    assert not world.outlet.running and not world.guard.moving


def test_a_motion_that_is_old_not_armed_or_of_a_robot_without_planner_is_refused(world):
    assert "0.40 s old" in why(reach(world, stamp=world.now - 0.4))
    unarmed = World(armed=False)
    assert "before the guard is armed" in why(reach(unarmed))
    plain = World(FETCH.model_copy(update={"reaching": None}))
    assert "names no planner of the robot's own" in why(reach(plain))


def test_a_joint_that_is_faster_than_the_profile_is_stopped(world):
    reach(world)
    world.joint_speed = 0.3  # the torso may 0.1
    world.pass_time(0.06)
    assert ("cancel all",) not in world.outlet.sent, "a moment is not a speed"
    world.pass_time(0.1)
    assert ("cancel all",) in world.outlet.sent
    assert "moves torso_lift_joint at 0.30, its limit is 0.1" in why(reach(world, number=6))


def test_a_joint_outside_its_limits_is_stopped(world):
    reach(world)
    world.joints["shoulder_lift_joint"] = -1.4
    world.pass_time(0.1)
    assert "moves shoulder_lift_joint to -1.40, outside its limits" in why(reach(world, number=6))


def test_silence_of_the_agent_ends_a_motion(world):
    reach(world)
    world.pass_time(0.3, alive=False)
    assert ("cancel all",) in world.outlet.sent


def test_a_stop_is_done_when_the_planner_has_ended_too(world):
    reach(world)
    world.say(Stop(id=9))
    world.pass_time(1.0)
    assert not [reply for reply in world.replies if isinstance(reply, StopResult)], "it may still plan, and then move"
    world.outlet.running[5](CommandEnded(id=5, outcome="cancelled"))
    world.pass_time(0.1)
    assert world.replies[-1].confirmed and not world.guard.moving


def test_a_stop_is_not_done_while_a_joint_moves(world):
    reach(world)
    world.joint_speed = 0.05
    world.say(Stop(id=9))
    world.outlet.running[5](CommandEnded(id=5, outcome="cancelled"))
    world.pass_time(UNCONFIRMED - 0.5)
    assert not [reply for reply in world.replies if isinstance(reply, StopResult)]
    world.joint_speed = 0.0
    world.pass_time(0.1)
    assert world.replies[-1].confirmed


def test_the_goal_says_where_to_and_around_what(world):
    definitions = Definitions()
    fields = goal_of(FETCH, goal(world, held=((0.02, 0.0, 0.0, 0.04),)))
    sent = definitions.message("moveit_msgs/action/MoveGroup_Goal", **fields)
    kind = "moveit_msgs/action/MoveGroup_Goal"
    received = definitions.read(kind, definitions.write(kind, sent))
    (constraints,) = received.request.goal_constraints
    assert [(each.joint_name, each.position) for each in constraints.joint_constraints] == list(
        zip(JOINTS, HALFWAY, strict=True)
    )
    assert {each.tolerance_above for each in constraints.joint_constraints} == {TOLERANCE}
    assert received.request.group_name == "arm_with_torso" and received.request.start_state.is_diff
    scene = received.planning_options.planning_scene_diff
    (box,) = scene.world.collision_objects
    assert (box.header.frame_id, list(box.primitives[0].dimensions)) == ("base_link", pytest.approx([0.6, 0.8, 0.7]))
    (attached,) = scene.robot_state.attached_collision_objects
    assert attached.link_name == "gripper_link" and "l_gripper_finger_link" in attached.touch_links
    assert scene.is_diff and scene.robot_state.is_diff, "MoveIt keeps what it knows itself"


def test_a_goal_goes_to_the_guard_as_a_line(world):
    assert from_agent(line(goal(world))) == goal(world)


def test_every_way_to_fail_has_words():
    assert all(words and "the robot" not in words for code, words in REASONS.items() if code != -17)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{group: arm, moves: [leg]}", r"reaching moves the group 'leg', which is none of the groups\."),
        ("{group: arm, moves: [amr]}", r"'amr', which is none of the groups \(did you mean 'arm'\?\)\."),
        ("{moves: [arm]}", "reaching.group is missing"),
        ("{group: arm, moves: [arm], speed: 2}", "must be at most 1"),
    ],
)
def test_a_planner_that_does_not_fit_its_robot_is_one_sentence(text, sentence):
    joint = "{name: elbow, velocity: 1, acceleration: 1}"
    profile = f"name: r\nframes: {{effector: hand}}\ngroups:\n  arm: {{action: /a, joints: [{joint}]}}\n"
    with pytest.raises(BadInput, match=sentence):
        parse_profile(f"{profile}reaching: {text}\n", "r.yaml")


def test_the_panda_has_the_group_of_its_own_configuration():
    franka = read_profile("franka")
    assert franka.reaching.group == "panda_arm" and len(franka.planned_joints) == 7

"""A robot of another shape from a package of its own: an arm of six joints on a differential base, fixed cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from homes import final_state, one_room, play
from homie_cart import FILE, HAND, SPEC, CartHome
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.errors import BadInput
from homie.kernel.robot.body import Group, Joint
from homie.kernel.types import Command, Pose
from homie.testing import check_robot

TABLES = [
    {"name": "brown_table", "kind": "table", "colour": "brown", "x": 0.7, "y": 2.6},
    {"name": "white_table", "kind": "table", "colour": "white", "x": 3.4, "y": 2.6, "yaw": 3.1416},
]
APPLE = {
    "name": "apple",
    "kind": "apple",
    "colour": "red",
    "receptacle": "brown_table",
    "surface": "top",
    "x": 0.1,
    "y": -0.1,
}
SCENE = one_room(TABLES, [APPLE], (2.0, 2.4, 3.1), (4.2, 4.0))
KINEMATICS = CartHome.body.kinematics()


@pytest.mark.slow
@pytest.mark.parametrize("targets", ["background", "sensors"])
def test_it_puts_the_apple_on_the_other_table(tmp_path, targets):
    script = ["[Go to, apple]", "[Pick, apple]", "[Go to, white table]", "[Put, apple, white table]"]
    records = play(tmp_path, SCENE, script, robot="homie_cart:open_cart", targets=targets, picture_size="192")
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    assert final_state(tmp_path)["objects"]["apple"]["at"] == "white_table"


@pytest.fixture(scope="module")
def cart():
    with CartHome(SCENE, picture_size=(32, 32)) as cart:
        yield cart


def test_it_is_a_robot_like_any_other(cart):
    check_robot(cart)
    assert cart.measured().joints == pytest.approx(dict(zip(SPEC.chain.names, SPEC.rest["arm"], strict=True)), abs=0.01)


def test_an_effector_pose_becomes_joint_targets_within_the_speeds(cart):
    cart.reset(seed=0)
    there = Pose(np.array([0.6, 0.1, 0.9]), np.eye(3))
    before = cart.measured().joints
    for _ in range(120):
        sent = cart.act(Command(effector=there)).sent.get("arm")
        steps = np.abs(np.array(sent) - list(before.values()))
        assert (steps <= 3 * SPEC.chain.speeds * SPEC.period + 1e-9).all()
        before = cart.measured().joints
    reached = KINEMATICS.forward(SPEC.chain.measured(cart.measured()))
    np.testing.assert_allclose(reached.position, there.position, atol=0.01)
    site = cart.data.site("robot/gripper")
    np.testing.assert_allclose(site.xpos, cart.measured().base.transform(reached.position), atol=1e-6)


low, high = SPEC.chain.limits.T
postures = st.tuples(*(st.floats(a, b) for a, b in zip(low, high, strict=True))).map(np.array)


@given(postures)
@settings(max_examples=30, deadline=None)
def test_what_the_arm_reaches_is_found_again(q):
    pose = KINEMATICS.forward(q)
    solution = KINEMATICS.solve(pose.position, pose.rotation, q + 0.02)
    here = KINEMATICS.forward(solution.q)
    assert (solution.q >= low - 1e-9).all() and (solution.q <= high + 1e-9).all()
    assert solution.position_error == pytest.approx(float(np.linalg.norm(here.position - pose.position)), abs=1e-9)
    assert solution.position_error <= 1e-3 and solution.rotation_error <= 1e-3
    assert solution.ok <= (KINEMATICS.self_distance(solution.q) >= 0.0)


def test_poses_in_front_are_reached_from_the_raised_posture():
    ready = SPEC.chain.posture(SPEC.ready[0])
    reached = [
        KINEMATICS.solve(np.array([x, y, z]), np.eye(3), ready).ok
        for x in (0.5, 0.65, 0.8)
        for y in (-0.2, 0.0, 0.2)
        for z in (0.7, 0.9, 1.1)
    ]
    assert sum(reached) >= 25, "27 level poses before and above a table"
    far = KINEMATICS.solve(np.array([1.6, 0.0, 0.9]), np.eye(3), ready)
    assert not far.ok and far.position_error > 0.3
    assert KINEMATICS.solve(np.array([0.6, 0.0, 0.9]), None, ready).ok, "a position alone"


def test_what_is_held_keeps_out_of_the_body_too():
    rest = SPEC.chain.posture(SPEC.rest)
    assert KINEMATICS.self_distance(rest) > 0.03
    ball = np.array([[0.05, 0.0, 0.0, 0.15]])
    assert KINEMATICS.self_distance(rest, ball) < 0.0


def test_a_file_that_does_not_fit_its_description_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"Cannot read the robot .*nowhere\.xml"):
        RobotFile(tmp_path / "nowhere.xml")
    arm = Group("arm", "arm", (Joint("hip", -1.0, 1.0, 1.0),))
    other = replace(SPEC, groups=(SPEC.groups[0], arm, SPEC.groups[2]), rest={}, carry={}, ready=())
    with pytest.raises(BadInput, match=r"cart\.xml has no joint 'hip', which its description names"):
        SimulatedBody.of_mjcf(FILE, other, HAND)
    with pytest.raises(BadInput, match=r"cart\.xml has no joint 'hip', which its description names"):
        FILE.group("arm", "arm", "pan", "hip")
    with pytest.raises(BadInput, match=r"cart\.xml has no keyframe 'wave', which its description names"):
        FILE.posture("wave", SPEC.groups[1])
    with pytest.raises(BadInput, match="has no geom 'thumb'"):
        SimulatedBody.of_mjcf(FILE, SPEC, replace(HAND, pads=("right_pad", "thumb")))
    slow = tmp_path / "slow.xml"
    slow.write_text(FILE.path.read_text().replace(' user="1.6"', ""))
    with pytest.raises(BadInput, match=r"says no speed of the joint 'elbow': give it one, as user="):
        RobotFile(slow).joint("elbow")

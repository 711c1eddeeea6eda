"""The Panda's kinematics: the manufacturer's published table and poses, and inverse kinematics as properties."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.house.build import empty_spec
from homie.envs.mujoco.robots.bodies.panda import FILE, HOME, SPEC
from homie.envs.mujoco.robots.bodies.panda_ik import solutions
from homie.envs.mujoco.robots.bodies.panda_kinematics import GRIPPER_IN_TOOL, PandaKinematics, rotation_vector
from homie.envs.mujoco.robots.joint_servos import PREFIX, place
from homie.kernel.types import Array

# a, d, alpha of Craig's convention, as in the manufacturer's documentation; the last row is the flange.
TABLE = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
    (0.0, 0.107, 0.0),
)
LIMITS = (2.8973, 1.7628, 2.8973, (-3.0718, -0.0698), 2.8973, (-0.0175, 3.7525), 2.8973)


def by_the_table(q: Array) -> Array:
    """The tool centre point (4, 4) from Denavit-Hartenberg parameters, without any of our code."""
    transform = np.eye(4)
    for (a, d, alpha), theta in zip(TABLE, [*q, 0.0], strict=True):
        ca, sa, ct, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
        transform = transform @ np.array(
            [[ct, -s, 0, a], [s * ca, ct * ca, -sa, -d * sa], [s * sa, ct * sa, ca, d * ca], [0, 0, 0, 1]]
        )
    c = np.sqrt(0.5)
    hand = np.array([[c, c, 0, 0], [-c, c, 0, 0], [0, 0, 1, 0.1034], [0, 0, 0, 1]])
    return np.asarray(transform @ hand)


@pytest.fixture(scope="module")
def kinematics() -> PandaKinematics:
    return PandaKinematics()


reachable = st.tuples(
    *[
        st.floats(*(limit if isinstance(limit, tuple) else (-limit, limit)), exclude_min=True, exclude_max=True)
        for limit in LIMITS
    ]
).map(np.array)


def test_limits_and_speeds_are_the_published_ones():
    expected = [limit if isinstance(limit, tuple) else (-limit, limit) for limit in LIMITS]
    np.testing.assert_array_equal(SPEC.chain.limits, expected)
    np.testing.assert_array_equal(SPEC.chain.speeds, [2.175] * 4 + [2.61] * 3)


def test_the_known_poses(kinematics):
    upright = kinematics.forward(np.zeros(7))
    np.testing.assert_allclose(upright.position, [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107 - 0.1034], atol=1e-12)
    ready = kinematics.forward(HOME)
    np.testing.assert_allclose(ready.position, [0.30689, 0.0, 0.48688], atol=1e-5)  # O_T_EE of the real robot
    np.testing.assert_allclose(ready.rotation @ GRIPPER_IN_TOOL.T, np.diag([1, -1, -1]), atol=1e-12)


@given(reachable)
@settings(deadline=None)
def test_forward_is_that_of_the_published_table(q):
    pose, expected = PANDA.forward(q), by_the_table(q)
    np.testing.assert_allclose(pose.position, expected[:3, 3], atol=1e-12)
    np.testing.assert_allclose(pose.rotation @ GRIPPER_IN_TOOL.T, expected[:3, :3], atol=1e-12)


def test_the_simulated_robot_has_the_same_gripper():
    spec = empty_spec("test")
    FILE.add(spec, (-0.3, 0.1, 0.75))
    model = spec.compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(*SPEC.chain.limits.T)
        place(model, data, dict(zip(SPEC.chain.names, q, strict=True)))
        expected = PANDA.forward(q)
        site = data.site(PREFIX + "gripper")
        np.testing.assert_allclose(site.xpos - [-0.3, 0.1, 0.75], expected.position, atol=1e-9)
        np.testing.assert_allclose(site.xmat.reshape(3, 3), expected.rotation, atol=1e-9)


@given(reachable)
@settings(max_examples=40, deadline=None)
def test_the_jacobian_is_the_derivative(q):
    step = 1e-6
    jacobian, here = PANDA.jacobian(q), PANDA.forward(q)
    for joint in range(7):
        moved = q.copy()
        moved[joint] += step
        there = PANDA.forward(moved)
        np.testing.assert_allclose((there.position - here.position) / step, jacobian[:3, joint], atol=1e-5)
        turned = rotation_vector(there.rotation @ here.rotation.T) / step
        np.testing.assert_allclose(turned, jacobian[3:, joint], atol=1e-5)


# ---------------------------------------------------------------- inverse


@given(reachable)
@settings(deadline=None)
def test_the_closed_form_finds_the_posture_that_a_pose_came_from(q):
    pose = by_the_table(q)
    # Where the wrist or the shoulder is stretched a whole family of postures gives the pose, and one of them is found.
    assume(abs(np.sin(q[1])) > 1e-3 and abs(np.sin(q[5])) > 1e-3)
    postures = solutions(pose[:3, 3], pose[:3, :3], np.array([q[6]]))
    assert len(postures)
    for posture in postures:
        np.testing.assert_allclose(by_the_table(posture), pose, atol=1e-6)
    assert np.abs(postures - q).max(axis=1).min() < 1e-4


@given(reachable)
@settings(max_examples=60, deadline=None)
def test_solutions_keep_the_limits_and_meet_the_pose(q):
    pose = PANDA.forward(q)
    solution = PANDA.solve(pose.position, pose.rotation, HOME)
    assert (solution.q >= SPEC.chain.limits[:, 0]).all() and (solution.q <= SPEC.chain.limits[:, 1]).all()
    if solution.ok:
        reached = PANDA.forward(solution.q)
        assert np.linalg.norm(reached.position - pose.position) < 1e-3
        assert np.linalg.norm(rotation_vector(reached.rotation @ pose.rotation.T)) < 1e-3
        assert PANDA.self_distance(solution.q) >= 0.0


@given(reachable)
@settings(max_examples=20, deadline=None)
def test_the_same_question_has_the_same_answer(q):
    pose = PANDA.forward(q)
    first = PANDA.solve(pose.position, pose.rotation, HOME)
    PANDA.solve(np.array([0.4, 0.2, 0.3]), None, HOME)
    again = PANDA.solve(pose.position, pose.rotation, HOME)
    np.testing.assert_array_equal(first.q, again.q)


def test_consecutive_poses_have_consecutive_joints(kinematics):
    pose, q = kinematics.forward(HOME), HOME
    for step in range(1, 25):
        solution = kinematics.solve(pose.position + np.array([0.0, 0.01 * step, -0.008 * step]), pose.rotation, q)
        assert solution.ok and np.abs(solution.q - q).max() < 0.1
        q = solution.q


def test_what_is_out_of_reach_is_said_to_be(kinematics):
    down = kinematics.forward(HOME).rotation
    for point in ([0.95, 0.0, 0.1], [0.0, 0.0, 1.6], [0.6, 0.6, 0.1]):
        solution = kinematics.solve(np.array(point), down, HOME)
        assert not solution.ok and solution.position_error > 0.01


def test_the_arm_keeps_out_of_its_own_foot(kinematics):
    down = kinematics.forward(HOME).rotation
    assert not kinematics.solve(np.array([0.02, 0.0, 0.2]), down, HOME).ok
    assert kinematics.self_distance(HOME) > 0.1


PANDA = PandaKinematics()

"""Kinematics against a chain written down here from the URDF, and inverse against forward."""

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies import fetch
from homie.envs.mujoco.robots.bodies.fetch_closed_form import all_solutions, elbow_height, wrap_angles, wrist_point
from homie.envs.mujoco.robots.bodies.fetch_kinematics import COMFORT, ArmKinematics
from homie.envs.mujoco.robots.joint_servos import place
from homie.kernel.types import Array, Pose

CHAIN = (
    # origin in the parent, axis, slide?: torso_lift to wrist_roll, then the fixed gripper_axis
    ((-0.086875, 0.0, 0.37743), "z", True),
    ((0.119525, 0.0, 0.34858), "z", False),
    ((0.117, 0.0, 0.06), "y", False),
    ((0.219, 0.0, 0.0), "x", False),
    ((0.133, 0.0, 0.0), "y", False),
    ((0.197, 0.0, 0.0), "x", False),
    ((0.1245, 0.0, 0.0), "y", False),
    ((0.1385, 0.0, 0.0), "x", False),
)
TO_GRIPPER = (0.16645, 0.0, 0.0)


def turn(axis: str, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def by_hand(q: Array) -> Pose:
    position, rotation = np.zeros(3), np.eye(3)
    for value, (origin, axis, slide) in zip(q, CHAIN, strict=True):
        position = position + rotation @ np.array(origin)
        if slide:
            position = position + value * rotation[:, "xyz".index(axis)]
        else:
            rotation = rotation @ turn(axis, float(value))
    return Pose(position + rotation @ np.array(TO_GRIPPER), rotation)


@pytest.fixture(scope="module")
def arm() -> ArmKinematics:
    return ArmKinematics()


def random_postures(arm: ArmKinematics, count: int, seed: int) -> list[Array]:
    """Postures within limits that keep the arm out of the robot."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    postures: list[Array] = []
    while len(postures) < count:
        q = rng.uniform(low, high)
        if arm.self_distance(q) > 0.02:
            postures.append(q)
    return postures


def angle(a: Array, b: Array) -> float:
    return float(np.arccos(np.clip((np.trace(a.T @ b) - 1) / 2, -1, 1)))


def test_forward_is_the_chain_of_the_urdf(arm: ArmKinematics) -> None:
    for q in random_postures(arm, 30, seed=1):
        pose, hand = arm.forward(q), by_hand(q)
        assert pose.position == pytest.approx(hand.position, abs=1e-9)
        assert pose.rotation == pytest.approx(hand.rotation, abs=1e-9)


def test_jacobian_is_the_derivative_of_the_chain(arm: ArmKinematics) -> None:
    for q in random_postures(arm, 5, seed=2):
        jacobian = arm.jacobian(q)
        for joint in range(8):
            step = np.zeros(8)
            step[joint] = 1e-6
            after, before = by_hand(q + step), by_hand(q - step)
            spin = (after.rotation - before.rotation) @ by_hand(q).rotation.T / 2e-6
            assert jacobian[:3, joint] == pytest.approx((after.position - before.position) / 2e-6, abs=1e-5)
            assert jacobian[3:, joint] == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-5)


def test_closed_form_solutions_reach_the_pose_within_limits(arm: ArmKinematics) -> None:
    for q in random_postures(arm, 20, seed=3):
        pose = by_hand(q)
        postures = all_solutions(pose.position, pose.rotation, q[:1], q[1:2])
        assert len(postures) > 0
        for other in postures:
            reached = by_hand(other)
            assert reached.position == pytest.approx(pose.position, abs=1e-7)
            assert reached.rotation == pytest.approx(pose.rotation, abs=1e-7)
            assert np.all((other >= arm.lower) & (other <= arm.upper))
        # The posture that it came from is among them.
        away = np.abs(postures - q)
        away[:, [3, 5, 7]] = np.abs(wrap_angles((postures - q)[:, [3, 5, 7]]))
        assert np.min(np.max(away, axis=1)) < 1e-6


def test_closed_form_knows_elbow_and_wrist(arm: ArmKinematics) -> None:
    q = random_postures(arm, 1, seed=4)[0]
    arm.forward(q)
    spec = mujoco.MjSpec()
    fetch.FILE.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    place(model, data, dict(zip(fetch.SPEC.chain.names, q, strict=True)))
    pose = by_hand(q)
    assert elbow_height(q[None])[0] == pytest.approx(data.body("robot/elbow_flex_link").xpos[2])
    assert wrist_point(pose.position, pose.rotation) == pytest.approx(data.body("robot/wrist_flex_link").xpos)


def test_solves_poses_of_random_postures(arm: ArmKinematics) -> None:
    postures = random_postures(arm, 60, seed=5)
    solved = 0
    for q in postures:
        pose = by_hand(q)
        result = arm.solve(pose.position, pose.rotation, fetch.CARRY)
        assert np.all((result.q >= arm.lower - 1e-9) & (result.q <= arm.upper + 1e-9))
        if result.ok:
            solved += 1
            reached = by_hand(result.q)
            assert np.linalg.norm(reached.position - pose.position) <= 1e-3
            assert angle(reached.rotation, pose.rotation) <= 2e-3
            assert arm.self_distance(result.q) >= 0.0
            # Continuous joints are on the turn next to where they were.
            assert np.max(np.abs((result.q - fetch.CARRY)[[3, 5, 7]])) <= np.pi + 1e-9
    assert solved >= 57


def test_local_solve_stays_near(arm: ArmKinematics) -> None:
    working = arm.solve(np.array([0.65, 0.0, 0.9]), turn("y", 1.0), COMFORT).q
    near = arm.solve(np.array([0.655, 0.0, 0.895]), turn("y", 1.0), working)
    assert near.ok
    assert np.max(np.abs(near.q - working)) < 0.05


def test_position_only_and_axis_only(arm: ArmKinematics) -> None:
    target = np.array([0.7, 0.2, 0.8])
    free = arm.solve(target, None, fetch.CARRY)
    assert free.ok
    assert by_hand(free.q).position == pytest.approx(target, abs=1e-3)
    rotation = turn("y", 0.7) @ turn("x", 1.3)
    rolling = arm.solve(target, rotation, fetch.CARRY, axis_only=True)
    assert rolling.ok
    assert by_hand(rolling.q).position == pytest.approx(target, abs=1e-3)
    assert by_hand(rolling.q).rotation[:, 0] == pytest.approx(rotation[:, 0], abs=2e-3)


def test_locked_torso_does_not_move(arm: ArmKinematics) -> None:
    for height in (0.1, 0.3):
        q0 = fetch.CARRY.copy()
        q0[0] = height
        for z in (0.75, 0.80, 1.0):
            result = arm.solve(np.array([0.75, -0.1, z]), np.eye(3), q0, locked_torso=True)
            assert result.ok
            assert result.q[0] == pytest.approx(height, abs=1e-9)


def test_out_of_reach_says_so_and_keeps_limits(arm: ArmKinematics) -> None:
    result = arm.solve(np.array([1.6, 0.0, 0.9]), np.eye(3), fetch.CARRY)
    assert not result.ok
    assert result.position_error > 0.3
    assert np.all((result.q >= arm.lower - 1e-9) & (result.q <= arm.upper + 1e-9))


def test_only_what_no_posture_reaches_is_called_out_of_reach(arm: ArmKinematics) -> None:
    rng = np.random.default_rng(9)
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    for number in range(2000):
        q = rng.uniform(low, high)
        if number % 2:  # stretched, with the torso at one of its ends
            q[4], q[0] = 0.0, low[0] if number % 4 == 1 else high[0]
        pose = arm.forward(q)
        assert not arm.out_of_reach(pose.position, pose.rotation)
    far = 0
    for _ in range(200):
        pose = arm.forward(rng.uniform(low, high))
        beyond = pose.position * np.array([1.6, 1.6, 1.2])
        if arm.out_of_reach(beyond, pose.rotation):
            far += 1
            assert not arm.solve(beyond, pose.rotation, COMFORT).ok
    assert far > 20


def test_refuses_postures_that_run_through_the_robot(arm: ArmKinematics) -> None:
    # A gripper in the torso can be reached by the joints, but not with a body around them.
    inside = np.array([-0.1, 0.0, 0.7])
    assert len(all_solutions(inside, turn("z", np.pi), np.array([0.2]), np.linspace(-1.6, 1.6, 30)))
    assert not arm.solve(inside, turn("z", np.pi), fetch.CARRY).ok


def test_a_way_of_near_poses_is_continuous(arm: ArmKinematics) -> None:
    down = turn("y", 1.2)
    start = arm.solve(np.array([0.6, 0.0, 0.9]), down, fetch.CARRY)
    assert start.ok
    poses = [Pose(np.array([0.6 + 0.02 * i, 0.01 * i, 0.9 + 0.01 * i]), down) for i in range(1, 9)]
    path = [start.q]
    for pose in poses:
        step = arm.solve(pose.position, pose.rotation, path[-1])
        assert step.ok and by_hand(step.q).position == pytest.approx(pose.position, abs=1e-3)
        path.append(step.q)
    assert np.max(np.abs(np.diff(np.array(path), axis=0))) < 0.3


def test_travel_postures(arm: ArmKinematics) -> None:
    assert arm.self_distance(fetch.REST) > 0.015
    assert arm.self_distance(fetch.CARRY) > 0.015
    folded = arm.link_points(fetch.REST)
    assert np.max(np.hypot(folded[:, 0], folded[:, 1]) + arm.point_radii) < fetch.SPEC.footprint_radius
    carried = arm.forward(fetch.CARRY)
    assert np.linalg.norm(carried.position[:2]) < 0.55
    assert carried.rotation == pytest.approx(np.eye(3), abs=0.01)
    for begin, end in ((fetch.REST, fetch.READY), (fetch.CARRY, fetch.READY)):
        for part in np.linspace(0, 1, 20):
            assert arm.self_distance(begin + part * (end - begin)) > 0.0


def test_self_distance_is_that_of_the_shapes_that_touch_in_the_physics(arm: ArmKinematics) -> None:
    spec = mujoco.MjSpec()
    fetch.FILE.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    touching = 0
    for _ in range(60):
        q = rng.uniform(low, high)
        place(model, data, dict(zip(fetch.SPEC.chain.names, q, strict=True)))
        depth = max((-contact.dist for contact in data.contact), default=0.0)
        apart = arm.self_distance(q)
        if depth > 0.0:
            touching += 1
            assert apart <= -depth + 1e-6
        elif apart < 0.0:  # the disc that the head sweeps, not the head as it stands
            points = arm.link_points(q)
            assert np.any((points[:, 2] > 0.8) & (np.linalg.norm(points[:, :2], axis=1) < 0.45))
    assert 5 < touching < 55


def test_clearance_spheres_fill_the_collision_shapes(arm: ArmKinematics) -> None:
    """Each capsule of the arm has a sphere within a radius of every point of its axis beyond the shoulder."""
    q = COMFORT
    points = arm.link_points(q)
    spec = mujoco.MjSpec()
    fetch.FILE.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    place(model, data, dict(zip(fetch.SPEC.chain.names, q, strict=True)))
    for link in ("elbow_flex_link", "wrist_flex_link"):
        capsule, body = model.geom(f"robot/{link}"), data.body(f"robot/{link}")
        for x in np.linspace(0.05, capsule.pos[0] + capsule.size[1], 9):
            on_axis = body.xpos + body.xmat.reshape(3, 3) @ [x, 0.0, 0.0]
            assert np.min(np.linalg.norm(points - on_axis, axis=1)) < capsule.size[0]


def test_reach_over_a_counter(arm: ArmKinematics) -> None:
    """What the skills count on: level to steep grasps in front of the robot, from a low shelf to a high one."""
    reached = [
        arm.solve(np.array([x, y, z]), turn("y", pitch), fetch.CARRY).ok
        for pitch in (0.3, 0.9)
        for x in (0.55, 0.7, 0.8)
        for y in (-0.3, 0.0, 0.3)
        for z in (0.5, 0.8, 1.1)
    ]
    assert sum(reached) >= len(reached) - 2

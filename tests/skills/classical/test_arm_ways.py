"""Ways of the arm: around things and around the robot itself, with the held object."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, MIRROR, READY, REST, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import Array, Box, Pose2, rotation_z
from skills.motion.arm_path_search import ArmSpace, Joints
from skills.motion.collision import Solids
from skills.motion.held_object import NOTHING, fill_box

KINEMATICS = ArmKinematics()
JOINTS = Joints(SPEC.chain)
ORIGIN = Pose2(0.0, 0.0, 0.0)


def space(*boxes: Box, base: Pose2 = ORIGIN, held: Array = NOTHING) -> ArmSpace:
    return ArmSpace(JOINTS, KINEMATICS, Solids(boxes), base, held)


def postures(begin: Array, way: list[Array]) -> list[Array]:
    return [q for a, b in itertools.pairwise([begin, *way]) for q in JOINTS.between(a, b)]


def reaching(side: float) -> Array:
    """Stretched out over a table, to the left (positive) or to the right."""
    solution = KINEMATICS.solve(np.array([0.7, side, 0.95]), rotation_z(0.0), READY)
    assert solution.ok
    return solution.q


def test_the_straight_way_where_nothing_is() -> None:
    (only,) = space().find(READY, reaching(0.2), (), (0.02,)) or []
    np.testing.assert_allclose(KINEMATICS.forward(only).position, [0.7, 0.2, 0.95], atol=2e-3)


def test_around_the_robot_itself() -> None:
    """The straight way between two folded postures leads through the body; by way of a raised one it does not."""
    assert not space().clear(REST, CARRY, 0.0)
    way = space().find(REST, CARRY, [[READY]], (0.02,))
    assert way is not None and len(way) == 2
    assert min(KINEMATICS.self_distance(q) for q in postures(REST, way)) > 0.0


def test_around_a_post_between_two_places() -> None:
    left_place, right = reaching(0.3), reaching(-0.3)
    post = Box(np.array([0.7, 0.0, 0.7]), np.array([0.03, 0.03, 0.4]))
    around = space(post)
    assert min(around.clearance(q) for q in JOINTS.between(left_place, right)) < 0.0, (
        "the post stands in the straight way"
    )
    way = around.find(left_place, right, (), (0.01,))
    assert way is not None
    assert min(around.clearance(q) for q in postures(left_place, way)) > 0.0
    assert min(KINEMATICS.self_distance(q) for q in postures(left_place, way)) > 0.0
    again = around.find(left_place, right, (), (0.01,))
    assert all(np.array_equal(a, b) for a, b in zip(way, again or (), strict=True)), "the same way every time"


def test_what_is_held_counts() -> None:
    wall = Box(np.array([0.95, 0.0, 1.0]), np.array([0.02, 1.0, 1.0]))
    long = fill_box(Box(np.array([0.2, 0.0, 0.0]), np.array([0.2, 0.03, 0.03])), np.eye(3))
    free, loaded = space(wall), space(wall, held=long)
    q = reaching(0.0)
    assert free.clearance(q) > 0.05
    assert loaded.clearance(q) < 0.0
    assert loaded.find(READY, q, (), (0.01,)) is None or loaded.clearance(q) < 0.0


def test_the_base_turns_the_arm_with_it() -> None:
    wall = Box(np.array([0.0, 0.75, 1.0]), np.array([1.0, 0.02, 1.0]))
    q = reaching(0.0)
    assert space(wall).clearance(q) > 0.1
    assert space(wall, base=Pose2(0.0, 0.0, np.pi / 2)).clearance(q) < 0.0


def test_a_space_with_other_things_another_base_or_an_empty_hand_has_its_own_clearances() -> None:
    """Every look at an open door, and at a turn with something in the hand, was the first one again."""
    wall = Box(np.array([0.95, 0.0, 1.0]), np.array([0.02, 1.0, 1.0]))
    long = fill_box(Box(np.array([0.2, 0.0, 0.0]), np.array([0.2, 0.03, 0.03])), np.eye(3))
    q, loaded = reaching(0.0), space(wall, held=long)
    assert loaded.clearance(q) < 0.0
    assert replace(loaded, held=NOTHING).clearance(q) == pytest.approx(space(wall).clearance(q))
    assert replace(loaded, solids=Solids(())).clearance(q) == pytest.approx(space(held=long).clearance(q))
    assert replace(loaded, base=Pose2(0.0, 0.0, np.pi)).clearance(q) > 0.1


def test_out_of_where_the_arm_touches_already() -> None:
    """A posture that is in something must be left all the same: what is nearer at the begin need not keep more."""
    q = reaching(0.0)
    table = Box(np.array([0.7, 0.0, 0.45]), np.array([0.3, 0.6, 0.47]))
    assert space(table).clearance(q) < 0.025
    assert space(table).find(q, READY, (), (0.025,)) is not None


@pytest.mark.parametrize("half", [(0.03, 0.03, 0.09), (0.085, 0.03, 0.017), (0.08, 0.08, 0.03)])
def test_spheres_fill_a_box_and_stick_out_little(half: tuple[float, float, float]) -> None:
    box = Box(np.array([0.05, 0.01, -0.02]), np.array(half))
    rotation = rotation_z(0.7)
    spheres = fill_box(box, rotation)
    points = np.random.default_rng(1).uniform(-box.half, box.half, (500, 3))
    away = np.linalg.norm((box.center + points @ rotation.T)[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]
    assert np.mean(away.min(axis=1) <= 0.004) > 0.75, "most of the box is in a sphere"
    assert away.min(axis=1).max() < 0.8 * spheres[0, 3], "and its corners are not far from one"
    local = (spheres[:, :3] - box.center) @ rotation
    assert (np.abs(local) + spheres[:, 3:] <= np.maximum(box.half, spheres[:, 3:].max()) + 0.006).all()


def test_mirrored_postures_keep_out_of_the_robot_by_the_carrying_one() -> None:
    mirrored = MIRROR * READY
    way = space().find(REST, mirrored, [[READY], [CARRY], [READY, CARRY]], (0.02,))
    assert way is not None
    assert min(KINEMATICS.self_distance(q) for q in postures(REST, way)) > 0.0

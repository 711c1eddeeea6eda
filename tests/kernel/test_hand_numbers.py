"""Numbers of policies of the hand: they say the same wherever the robot stands, and predicted ones become a pose."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from homie.kernel.robot.hand_numbers import (
    ACTION_LABELS,
    GOAL_LABELS,
    STATE_LABELS,
    goal_numbers,
    pose_numbers,
    pose_of,
    state_numbers,
)
from homie.kernel.types import Box, Goal, Pose, Pose2


def rotation(rng: np.random.Generator) -> np.ndarray:
    return cv2.Rodrigues(rng.normal(size=3))[0]


@pytest.mark.parametrize("seed", range(5))
def test_a_pose_survives_its_numbers_and_noise_leaves_a_rotation(seed):
    rng = np.random.default_rng(seed)
    pose, goal = Pose(rng.normal(size=3), rotation(rng)), rng.normal(size=8)
    back = pose_of(pose_numbers(pose, goal), goal)
    np.testing.assert_allclose(back.position, pose.position)
    np.testing.assert_allclose(back.rotation, pose.rotation, atol=1e-12)
    noisy = pose_of(1.3 * pose_numbers(pose, goal) + rng.normal(scale=0.1, size=9), goal).rotation
    np.testing.assert_allclose(noisy @ noisy.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(noisy) == pytest.approx(1.0)
    assert np.trace(noisy.T @ pose.rotation) > 2.5  # near the pose without noise


@pytest.mark.parametrize("numbers", [np.zeros(9), [0, 0, 0, 1, 0, 0, 2, 0, 0], [np.nan] * 9])
def test_numbers_that_are_no_pose_are_refused(numbers):
    with pytest.raises(ValueError, match="two finite directions"):
        pose_of(numbers, np.zeros(8))


@pytest.mark.parametrize("seed", range(5))
def test_a_goal_has_the_same_numbers_if_robot_and_target_are_moved_alike(seed):
    rng = np.random.default_rng(seed)
    box, base = Box(rng.normal(size=3), rng.uniform(0.01, 0.1, 3), rng.uniform(-3, 3)), Pose2(*rng.normal(size=3))
    moved = Pose2(*rng.normal(size=3))
    elsewhere = Box(moved.transform(box.center), box.half, box.yaw + moved.yaw)
    origin = moved.transform(np.array([base.x, base.y, 0.0]))
    numbers = goal_numbers(Goal(name="cup", text="", position=box.center, box=box), base)
    same = goal_numbers(
        Goal(name="cup", text="", position=elsewhere.center, box=elsewhere),
        Pose2(origin[0], origin[1], base.yaw + moved.yaw),
    )
    np.testing.assert_allclose(numbers, same, atol=1e-9)
    half_a_turn = Box(box.center, box.half, box.yaw + np.pi)
    turned = goal_numbers(Goal(name="cup", text="", position=box.center, box=half_a_turn), base)
    np.testing.assert_allclose(numbers, turned, atol=1e-9)


def test_there_are_as_many_labels_as_numbers():
    pose = Pose(np.zeros(3), np.eye(3))
    assert len(state_numbers(pose, 0.5, True, np.zeros(8))) == len(STATE_LABELS)
    assert len(ACTION_LABELS) == len(STATE_LABELS) - 1
    unknown_box = Goal(name="cup", text="", position=np.ones(3))
    assert goal_numbers(unknown_box, Pose2(0.0, 0.0, 0.0)).tolist() == [1, 1, 1, 0, 0, 0, 1, 0]
    assert len(GOAL_LABELS) == 8

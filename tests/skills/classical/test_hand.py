"""What is known of the thing in the hand: how big it is, how the arm came, and how it may be tilted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homie.kernel.types import Box, Pose, Pose2
from skills.motion.held_object import FINEST, Hand, fill_box
from skills.motion.motions import gripper_rotation


def test_a_new_thing_takes_the_place_of_the_one_before() -> None:
    hand = Hand(level=np.zeros(8), loose=True)
    grip = Pose(np.array([0.5, 0.1, 0.9]), gripper_rotation(0.4, 0.7))
    hand.take(Box(np.array([0.52, 0.1, 0.88]), np.array([0.03, 0.04, 0.06]), 0.4), grip, 0.7)
    assert (hand.pitch, hand.roll, hand.level, hand.loose) == (0.7, 0.0, None, False)
    np.testing.assert_allclose(grip.position + grip.rotation @ hand.center, [0.52, 0.1, 0.88])
    assert hand.half == (0.03, 0.04, 0.06) and hand.radius == pytest.approx(0.05)
    np.testing.assert_allclose(grip.rotation @ hand.axes[:, 2], [0.0, 0.0, 1.0], atol=1e-12)


def test_the_way_of_the_arm_is_kept_while_the_base_stands() -> None:
    hand, here = Hand(), Pose2(1.0, 2.0, 0.0)
    for value in (0.0, 0.05, 0.1, 0.1, 0.3):
        hand.note(here, np.array([value, 0.0]))
    assert [q[0] for q in hand.came] == [0.0, 0.1, 0.3], "every 0.08 rad"
    hand.note(Pose2(1.01, 2.01, 0.3), np.array([0.3, -0.2]))
    assert len(hand.came) == 4, "it stands still, or has only turned"
    hand.note(Pose2(1.03, 2.0, 0.0), np.array([0.3, -0.2]))
    assert [q.tolist() for q in hand.came] == [[0.3, -0.2]], "it has moved: there is no way back from here"


@pytest.mark.parametrize(("half", "dear"), [((0.03, 0.03, 0.04), 0.4), ((0.03, 0.03, 0.06), 1.5)])
def test_a_tall_thing_should_stand_and_a_small_one_may_lie(half: tuple[float, float, float], dear: float) -> None:
    hand = Hand(pitch=0.7, half=half)
    tilts = hand.tilts((0.65, 0.3, 1.2))
    assert tilts == ((0.7, 0.0), (0.3, pytest.approx(dear * 0.4)), (1.2, pytest.approx(dear * 0.5)))


def test_what_must_not_tilt_keeps_its_pitch() -> None:
    assert Hand(pitch=0.7, level=np.zeros(8)).tilts((0.3,)) == ((0.7, 0.0),)
    assert Hand(pitch=0.7, roll=math.pi / 2).tilts((0.3,)) == ((0.7, 0.0),)


def test_a_thin_thing_is_filled_with_spheres_that_are_fatter_than_it() -> None:
    spheres = fill_box(Box(np.array([0.1, 0.0, 0.0]), np.array([0.1, 0.002, 0.04])), np.eye(3))
    assert set(spheres[:, 3]) == {FINEST}
    assert np.ptp(spheres[:, 1]) == 0.0
    assert spheres[:, 0].min() - FINEST == pytest.approx(0.0) and spheres[:, 0].max() + FINEST == pytest.approx(0.2)
    gaps = np.diff(np.unique(spheres[:, 0]))
    assert gaps.max() <= 1.4 * FINEST + 1e-9, "they overlap"

"""Octo without its network: chunks, statistics, grippers."""

from __future__ import annotations

import numpy as np
import octo_releases
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from skills.effector.octo_actions import STICKY, Gripper, Statistics, motion
from skills.effector.octo_chunks import Ensemble, RecedingHorizon

# ---------------------------------------------------------------- chunks


def chunk(start: float):
    return np.arange(start, start + 4)[:, None] * np.ones(7)


def test_receding_gives_the_first_actions_of_each_chunk():
    chunks = iter([chunk(0), chunk(10), chunk(20)])
    steps = RecedingHorizon(2)
    assert [steps.step(lambda: next(chunks))[0] for _ in range(5)] == [0, 1, 10, 11, 20]


def test_the_ensemble_is_the_mean_of_what_was_said_for_this_step():
    chunks = iter([chunk(0), chunk(100), chunk(200), chunk(300), chunk(400)])
    steps = Ensemble(4, 0.0)
    actions = [steps.step(lambda: next(chunks))[0] for _ in range(5)]
    assert actions == [0, (1 + 100) / 2, (2 + 101 + 200) / 3, (3 + 102 + 201 + 300) / 4, (103 + 202 + 301 + 400) / 4]


def test_the_oldest_counts_most_in_a_weighted_ensemble():
    chunks = iter([chunk(0), chunk(100)])
    steps = Ensemble(4, 1.0)
    steps.step(lambda: next(chunks))
    new = np.exp(-1)
    assert steps.step(lambda: next(chunks))[0] == pytest.approx((1 + 100 * new) / (1 + new))


def test_chunks_are_forgotten_on_reset():
    for steps in (RecedingHorizon(4), Ensemble(4, 0.0)):
        steps.step(lambda: chunk(0))
        steps.reset()
        assert steps.step(lambda: chunk(50))[0] == 50


# ---------------------------------------------------------------- actions


@given(st.lists(st.floats(-5, 5), min_size=7, max_size=7))
def test_only_masked_numbers_are_left_as_they_are(numbers):
    statistics = Statistics.of(octo_releases.STATISTICS, "bridge_dataset")
    actions = statistics.actions(np.array(numbers))
    np.testing.assert_allclose(actions[:3], np.array(numbers[:3]) * 0.004)
    assert actions[6] == numbers[6]


def test_statistics_without_mask_leave_the_gripper():
    assert Statistics.of(octo_releases.STATISTICS, "fractal20220817_data").actions(np.ones(7))[6] == 1.0


@pytest.mark.parametrize(
    ("statistics", "name", "message"),
    [
        (None, "bridge_dataset", "no dataset_statistics.json"),
        ({"bridge_dataset": {}}, "bridge_dataset", "no mean and std"),
        ({"bridge_dataset": {"action": {"mean": [0.0], "std": [1.0]}}}, "bridge_dataset", "7 numbers each"),
        (octo_releases.STATISTICS, "bridge_datset", "did you mean 'bridge_dataset'"),
    ],
)
def test_statistics_that_do_not_serve(statistics, name, message):
    with pytest.raises(BadInput, match=message):
        Statistics.of(statistics, name)


def test_the_gripper_of_bridge_is_open_or_closed():
    gripper = Gripper(sticky=False)
    assert [gripper.step(number) for number in (0.9, 0.51, 0.5, 0.1, 0.6)] == [1, 1, 0, 0, 1]


def test_the_gripper_of_google_turns_at_a_large_change_and_keeps_turning():
    gripper = Gripper(sticky=True)
    gripper.reset(1.0)
    assert gripper.step(0.9) == 1.0  # nothing to compare with yet
    assert gripper.step(0.5) == 1.0
    assert gripper.step(0.9) == 1.0
    assert gripper.step(0.1) == 0.0
    later = [gripper.step(number) for number in [1.0, *[0.0, 1.0] * (STICKY // 2)]]
    assert later[: STICKY - 1] == [0.0] * (STICKY - 1)
    assert later[STICKY - 1] == 1.0


def test_euler_angles_become_a_rotation_vector():
    movement = motion(np.array([0.01, 0.02, 0.03, 0.0, 0.0, 0.3, 1.0]), Gripper(sticky=False))
    np.testing.assert_allclose(movement.rotation, [0, 0, 0.3], atol=1e-9)
    np.testing.assert_allclose(movement.translation, [0.01, 0.02, 0.03])
    assert movement.opening == 1.0 and not movement.terminate

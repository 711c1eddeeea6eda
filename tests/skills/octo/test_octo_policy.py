"""Octo's loop: window, chunks, statistics, gripper; and what of a release is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octo_releases
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from homie.errors import BadInput, MissingCheckpoint
from skills.octo import Octo, OctoSettings
from skills.octo.actions import STICKY, Gripper, Statistics, motion
from skills.octo.chunks import Ensemble, Receding
from skills.policy import PolicyFailed

GOAL = {"text": "pick up the apple", "gripper": 1.0}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return octo_releases.write(tmp_path_factory.mktemp("octo") / "octo-small-1.5")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return octo_releases.table(tmp_path_factory.mktemp("texts") / "t5.npz", "pick up the apple", "open the fridge")


@pytest.fixture(scope="module")
def octo(release, table):
    return Octo(str(release), OctoSettings(embeddings=table, device="cpu"))


def picture(number: int, side: int = 256):
    return np.random.default_rng(number).integers(0, 256, (side, side, 3), dtype=np.uint8)


# ---------------------------------------------------------------- the loop


def test_the_window_holds_two_steps_and_pads_the_first(octo):
    policy, seen = octo.policy(), []
    hook = policy.network.register_forward_pre_hook(lambda _, given: seen.append((given[0], given[2])))
    encoded = []
    stem = policy.network.stems["primary"].register_forward_pre_hook(lambda _, given: encoded.append(len(given[0])))
    policy.reset(GOAL)
    for number in range(3):
        policy.step({"primary": picture(number)})
    hook.remove()
    stem.remove()
    assert encoded == [1, 1, 1]
    assert [steps.tolist() for _, steps in seen] == [[[False, True]], [[True, True]], [[True, True]]]
    first, second, third = (tokens["primary"] for tokens, _ in seen)
    assert torch.equal(first[:, 0], first[:, 1])
    assert torch.equal(second[:, 0], first[:, 1]) and torch.equal(third[:, 0], second[:, 1])
    assert not torch.equal(third[:, 1], third[:, 0])


def test_the_first_chunk_is_the_networks_for_a_padded_window(octo):
    policy = octo.policy()
    policy.reset(GOAL)
    chunk_action = policy.step({"primary": picture(0)})["action"]
    noise = torch.Generator().manual_seed(int(np.random.SeedSequence((0, 0)).generate_state(1)[0]))
    pixels = torch.from_numpy(picture(0)).permute(2, 0, 1)[None]
    with torch.inference_mode():
        tokens = policy.network.encode("primary", pixels)
        text = torch.from_numpy(policy.texts["pick up the apple"])[None]
        readout = policy.network({"primary": tokens[None].expand(-1, 2, -1, -1)}, text, torch.tensor([[False, True]]))
        chunk = policy.network.head.sample(readout[:, -1], torch.randn(21, 1, 28, generator=noise))[0].numpy()
    wanted = chunk[0].astype(float)
    wanted[:3] *= 0.004
    wanted[3:6] *= 0.01
    np.testing.assert_allclose(chunk_action, wanted, atol=1e-6)


def test_an_episode_is_reproducible_and_attempts_differ(octo):
    def actions(policy):
        policy.reset(GOAL)
        return [policy.step({"primary": picture(number)})["action"] for number in range(2)]

    one, other = octo.policy(), octo.policy()
    first, again = actions(one), actions(one)
    assert np.array_equal(first, actions(other))
    assert not np.array_equal(first, again)


def test_receding_runs_the_network_once_per_chunk(octo):
    policy = octo.policy()
    policy.chunks = Receding(3)
    policy.reset(GOAL)
    runs = []
    hook = policy.network.register_forward_hook(lambda *_: runs.append(1))
    counts = []
    for number in range(7):
        policy.step({"primary": picture(number)})
        counts.append(len(runs))
    hook.remove()
    assert counts == [1, 1, 1, 2, 2, 2, 3]


def test_a_wrist_camera_adds_its_tokens(octo):
    policy, seen = octo.policy(), []
    hook = policy.network.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    policy.reset(GOAL)
    policy.step({"primary": picture(0, 300), "wrist": picture(1, 300)})
    hook.remove()
    assert {name: tuple(tokens.shape) for name, tokens in seen[0].items()} == {
        "primary": (1, 2, 256, 384),
        "wrist": (1, 2, 64, 384),
    }


def test_a_text_that_is_not_in_the_table(octo):
    with pytest.raises(PolicyFailed, match="no row for 'pick up the pear'; the nearest are 'pick up the apple'"):
        octo.policy().reset({**GOAL, "text": "Pick up the pear."})


# ---------------------------------------------------------------- chunks


def chunk(start: float):
    return np.arange(start, start + 4)[:, None] * np.ones(7)


def test_receding_gives_the_first_actions_of_each_chunk():
    made = iter([chunk(0), chunk(10), chunk(20)])
    steps = Receding(2)
    assert [steps.step(lambda: next(made))[0] for _ in range(5)] == [0, 1, 10, 11, 20]


def test_the_ensemble_is_the_mean_of_what_was_said_for_this_step():
    made = iter([chunk(0), chunk(100), chunk(200), chunk(300), chunk(400)])
    steps = Ensemble(4, 0.0)
    found = [steps.step(lambda: next(made))[0] for _ in range(5)]
    assert found == [0, (1 + 100) / 2, (2 + 101 + 200) / 3, (3 + 102 + 201 + 300) / 4, (103 + 202 + 301 + 400) / 4]


def test_the_oldest_counts_most_in_a_weighted_ensemble():
    made = iter([chunk(0), chunk(100)])
    steps = Ensemble(4, 1.0)
    steps.step(lambda: next(made))
    new = np.exp(-1)
    assert steps.step(lambda: next(made))[0] == pytest.approx((1 + 100 * new) / (1 + new))


def test_chunks_are_forgotten_on_reset():
    for steps in (Receding(4), Ensemble(4, 0.0)):
        steps.step(lambda: chunk(0))
        steps.reset()
        assert steps.step(lambda: chunk(50))[0] == 50


# ---------------------------------------------------------------- actions


@given(st.lists(st.floats(-5, 5), min_size=7, max_size=7))
def test_only_masked_numbers_are_left_as_they_are(numbers):
    statistics = Statistics.of(octo_releases.STATISTICS, "bridge_dataset")
    found = statistics.actions(np.array(numbers))
    np.testing.assert_allclose(found[:3], np.array(numbers[:3]) * 0.004)
    assert found[6] == numbers[6]


def test_statistics_without_mask_leave_the_gripper():
    assert Statistics.of(octo_releases.STATISTICS, "fractal20220817_data").actions(np.ones(7))[6] == 1.0


@pytest.mark.parametrize(
    ("statistics", "name", "said"),
    [
        (None, "bridge_dataset", "no dataset_statistics.json"),
        ({"bridge_dataset": {}}, "bridge_dataset", "no mean and std"),
        ({"bridge_dataset": {"action": {"mean": [0.0], "std": [1.0]}}}, "bridge_dataset", "7 numbers each"),
        (octo_releases.STATISTICS, "bridge_datset", "did you mean 'bridge_dataset'"),
    ],
)
def test_statistics_that_do_not_serve(statistics, name, said):
    with pytest.raises(BadInput, match=said):
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
    made = motion(np.array([0.01, 0.02, 0.03, 0.0, 0.0, 0.3, 1.0]), Gripper(sticky=False))
    np.testing.assert_allclose(made.rotation, [0, 0, 0.3], atol=1e-9)
    np.testing.assert_allclose(made.translation, [0.01, 0.02, 0.03])
    assert made.opening == 1.0 and not made.terminate


# ---------------------------------------------------------------- releases


def test_a_release_before_1_5_is_refused(tmp_path, table):
    for config in ({"model": {"repeat_task_tokens": False}}, {"model": {"repeat_task_tokens": True}}, {}):
        folder = octo_releases.write(tmp_path / f"old{len(str(config))}", config=config, whole=False)
        with pytest.raises(BadInput, match=r"before 1\.5.*use octo-small-1\.5"):
            Octo(str(folder), OctoSettings(embeddings=table))


def test_a_checkpoint_without_its_folder_is_refused(table, tmp_path):
    alone = tmp_path / "checkpoint"
    alone.write_bytes(octo_releases.packed(octo_releases.nested(octo_releases.TINY)))
    with pytest.raises(BadInput, match="not the folder of a release"):
        Octo(str(alone), OctoSettings(embeddings=table))


def test_a_file_without_a_transformer_is_refused(tmp_path, table):
    folder = octo_releases.write(tmp_path / "tiny", whole=False)
    with pytest.raises(BadInput, match="no transformer of a known form"):
        Octo(str(folder), OctoSettings(embeddings=table))


def test_what_has_to_be_given(tmp_path, table):
    release = octo_releases.write(tmp_path / "tiny", whole=False)
    with pytest.raises(MissingCheckpoint, match="folder of a release"):
        Octo("")
    with pytest.raises(BadInput, match=r"octo\.tokenizer=FOLDER"):
        Octo(str(release))
    with pytest.raises(BadInput, match="no text encoder"):
        Octo(str(release), OctoSettings(tokenizer=tmp_path))
    with pytest.raises(BadInput, match="There is no checkpoint"):
        Octo(str(tmp_path / "nothing"), OctoSettings(embeddings=table))
    with pytest.raises(BadInput, match="has no data set 'bridge'"):
        Octo(str(release), OctoSettings(embeddings=table, dataset="bridge"))


def test_what_a_run_remembers(octo, release):
    told = octo.describe()
    assert told["checkpoint"] == str(release) and len(str(told["sha256"])) == 64
    assert (told["dataset"], told["execution"], told["seed"]) == ("bridge_dataset", "ensemble", 0)
    assert octo.policy().facts["rate"] == 5.0
    assert Path(str(told["embeddings"])).name == "t5.npz"

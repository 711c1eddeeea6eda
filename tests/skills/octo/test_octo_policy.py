"""Octo's loop, and what of a release is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octo_releases
import pytest
import torch

from homie.kernel.errors import BadInput, MissingCheckpoint
from skills.effector.octo_chunks import RecedingHorizon
from skills.effector.octo_skill_set import Octo, OctoSettings
from skills.policies.motions import Motion
from skills.policies.policy import PolicyFailed

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
    policy, network_inputs = octo.policy(), []
    hook = policy.network.register_forward_pre_hook(lambda _, inputs: network_inputs.append((inputs[0], inputs[2])))
    encoded = []
    stem = policy.network.stems["primary"].register_forward_pre_hook(lambda _, inputs: encoded.append(len(inputs[0])))
    policy.reset(GOAL)
    for number in range(3):
        policy.step({"primary": picture(number)})
    hook.remove()
    stem.remove()
    assert encoded == [1, 1, 1]
    assert [steps.tolist() for _, steps in network_inputs] == [[[False, True]], [[True, True]], [[True, True]]]
    first, second, third = (tokens["primary"] for tokens, _ in network_inputs)
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
    expected = chunk[0].astype(float)
    expected[:3] *= 0.004
    expected[3:6] *= 0.01
    np.testing.assert_allclose(chunk_action, expected, atol=1e-6)


def test_an_episode_is_reproducible_and_attempts_differ(octo):
    def actions(policy):
        policy.reset(GOAL)
        return [policy.step({"primary": picture(number)})["action"] for number in range(2)]

    policy, other = octo.policy(), octo.policy()
    first, again = actions(policy), actions(policy)
    assert np.array_equal(first, actions(other))
    assert not np.array_equal(first, again)


def test_receding_runs_the_network_once_per_chunk(octo):
    policy = octo.policy()
    policy.chunks = RecedingHorizon(3)
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
    policy, network_inputs = octo.policy(), []
    hook = policy.network.register_forward_pre_hook(lambda _, inputs: network_inputs.append(inputs[0]))
    policy.reset(GOAL)
    policy.step({"primary": picture(0, 300), "wrist": picture(1, 300)})
    hook.remove()
    assert {name: tuple(tokens.shape) for name, tokens in network_inputs[0].items()} == {
        "primary": (1, 2, 256, 384),
        "wrist": (1, 2, 64, 384),
    }


def test_a_text_that_is_not_in_the_table(octo):
    with pytest.raises(PolicyFailed, match="no row for 'pick up the pear'; the nearest are 'pick up the apple'"):
        octo.policy().reset({**GOAL, "text": "Pick up the pear."})


def test_a_whole_chunk_is_given_to_whom_thinks_ahead(release, table):
    octo = Octo(str(release), OctoSettings(embeddings=table, device="cpu", execution="ahead", early=3))
    policy, masks = octo.policy(), []
    assert (policy.facts["ahead"], policy.facts["overlap"]) == (3, "newest")
    hook = policy.network.register_forward_pre_hook(lambda _, inputs: masks.append(inputs[2].tolist()))
    policy.reset(GOAL)
    answers = [policy.step({"primary": picture(number), "number": number}) for number in (0, 2)]
    hook.remove()
    assert masks == [[[False, True]]] * 2  # a picture of two motions ago is not one of the step before
    alone = Octo(str(release), OctoSettings(embeddings=table, device="cpu")).policy()
    alone.reset(GOAL)
    first = alone.step({"primary": picture(0)})
    motions = Motion.several(answers[0])
    assert len(motions) == 4 and answers[1]["action"].shape == (4, 7)
    np.testing.assert_array_equal(motions[0].translation, first["translation"])
    np.testing.assert_array_equal(motions[0].rotation, first["rotation"])


def test_a_sticky_gripper_counts_the_motions_that_were_carried_out(release, table):
    """Of a chunk of four, those before the next question; the others are only foreseen."""
    octo = Octo(str(release), OctoSettings(embeddings=table, device="cpu", execution="ahead"))
    policy = octo.policy()
    policy.gripper.sticky = True
    numbers = iter([[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0]])
    policy.predict = lambda: np.array([[0.0] * 6 + [number] for number in next(numbers)])
    policy.reset({**GOAL, "gripper": 0.0})
    openings = [policy.step({"primary": picture(0), "number": at})["opening"].tolist() for at in (0, 2)]
    assert openings == [[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]  # it opens for fifteen steps, from the second on


# ---------------------------------------------------------------- releases


def test_a_release_before_1_5_is_refused(tmp_path, table):
    for config in ({"model": {"repeat_task_tokens": False}}, {"model": {"repeat_task_tokens": True}}, {}):
        folder = octo_releases.write(tmp_path / f"old{len(str(config))}", config=config, whole=False)
        with pytest.raises(BadInput, match=r"before 1\.5.*use octo-small-1\.5"):
            Octo(str(folder), OctoSettings(embeddings=table))


def test_a_checkpoint_without_its_folder_is_refused(table, tmp_path):
    alone = tmp_path / "checkpoint"
    alone.write_bytes(octo_releases.pack_tree(octo_releases.nest(octo_releases.TINY)))
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
    description = octo.describe()
    assert description["checkpoint"] == str(release) and len(str(description["sha256"])) == 64
    assert (description["dataset"], description["execution"], description["seed"]) == ("bridge_dataset", "ensemble", 0)
    assert octo.policy().facts["rate"] == 5.0
    assert Path(str(description["embeddings"])).name == "t5.npz"

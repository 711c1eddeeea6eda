"""Octo 1.5 against the authors' code: every name of the checkpoint, readouts, noise, sampled chunks."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from golden_policies import FOLDER, generator, load

from homie.kernel.errors import BadInput
from skills.checkpoints import load_strict
from skills.effector.octo_flax_names import flax_view, size_of
from skills.effector.octo_network import BASE, SMALL, OctoNetwork

GOLDEN = FOLDER / "octo_small"
SEEDS = (401, 402)
SCENARIOS = ("text_2cam", "start_padded", "primary_only_w1", "goal_image")


@cache
def network(seed: int) -> OctoNetwork:
    model = OctoNetwork(SMALL).eval()
    load(flax_view(model), GOLDEN, seed)
    return model


@cache
def load_golden(seed: int):
    return dict(np.load(GOLDEN / f"io_seed{seed}.npz"))


def pictures(name: str, shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Channels first, without the batch."""
    return torch.from_numpy(generator().image(name, shape, seed))[0].movedim(-1, -3)


def text(seed: int) -> torch.Tensor:
    return torch.from_numpy(generator().noise("t5_a", (1, 16, 768), seed) * np.float32(0.2))


@cache
def readout(scenario: str, seed: int) -> torch.Tensor:
    """(1, steps, 384)"""
    model = network(seed)
    primary = pictures("image_primary", (1, 2, 256, 256, 3), seed)
    wrist = pictures("image_wrist", (1, 2, 128, 128, 3), seed)
    words, steps = text(seed), torch.tensor([[True, True]])
    real, has_text, goal = torch.tensor([[True, True]]), None, None
    if scenario == "start_padded":
        primary, wrist = primary[[1, 1]], torch.zeros_like(wrist)
        steps, real = torch.tensor([[False, True]]), torch.tensor([[False, False]])
    if scenario == "goal_image":
        goal = pictures("goal_primary", (1, 256, 256, 3), seed).expand(2, -1, -1, -1)
        words, has_text = torch.zeros_like(words), torch.tensor([False])
    with torch.inference_mode():
        if scenario == "primary_only_w1":
            return model({"primary": model.encode("primary", primary[1:])[None]}, words, torch.tensor([[True]]))
        tokens = {"primary": model.encode("primary", primary, goal)[None], "wrist": model.encode("wrist", wrist)[None]}
        masks = {"primary": torch.ones_like(steps), "wrist": real}
        return model(tokens, words, steps, masks, has_text)


def test_every_tensor_of_the_checkpoint_has_its_place_and_no_other():
    manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    model = OctoNetwork(SMALL)
    view = flax_view(model).state_dict()
    assert {name: tuple(value.shape) for name, value in view.items()} == {
        parameter["name"]: tuple(parameter["shape"]) for parameter in manifest["params"]
    }
    assert len(view) == 267
    assert sum(tensor.numel() for tensor in model.parameters()) == manifest["parameters"] == 27_042_060
    assert sorted(tensor.data_ptr() for tensor in view.values()) == sorted(
        tensor.data_ptr() for tensor in model.parameters()
    )


def test_the_base_model_has_the_published_number_of_parameters_and_the_same_names():
    with torch.device("meta"):
        small, base = OctoNetwork(SMALL), OctoNetwork(BASE)
        assert sum(tensor.numel() for tensor in base.parameters()) == 92_830_092
        assert flax_view(base).state_dict().keys() == flax_view(small).state_dict().keys()
        assert (size_of(flax_view(base).state_dict()), size_of(flax_view(small).state_dict())) == (BASE, SMALL)


def test_missing_extra_and_misshapen_tensors_are_named():
    view = flax_view(OctoNetwork(SMALL))
    tensors = {name: torch.empty(tensor.shape) for name, tensor in view.state_dict().items()}
    del tensors["octo_transformer/obs_wrist_pos_embedding"]
    tensors["octo_transformer/obs_third_pos_embedding"] = torch.empty(1)
    tensors["octo_transformer/readout_action_pos_embedding"] = torch.empty(10, 1, 384)
    with pytest.raises(BadInput) as excinfo:
        load_strict(view, tensors, policy="octo", path=Path("checkpoint"))
    message = str(excinfo.value)
    assert "missing: octo_transformer/obs_wrist_pos_embedding" in message
    assert "not known: octo_transformer/obs_third_pos_embedding" in message
    assert "readout_action_pos_embedding (10, 1, 384) instead of (1, 10, 1, 384)" in message


def test_a_file_without_transformer_has_no_size():
    with pytest.raises(BadInput, match="no transformer"):
        size_of({})


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_readouts(scenario, seed):
    expected = load_golden(seed)[f"{scenario}_readout"][:, :, 0]
    np.testing.assert_allclose(readout(scenario, seed).numpy(), expected, atol=2e-5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_predicted_noise(scenario, seed):
    embeddings = readout(scenario, seed)
    for number, step in enumerate((0, 7, 19)):
        name = f"{scenario}_eps_x{step}"
        noisy = torch.from_numpy(generator().noise(name, (1, embeddings.shape[1], 28), seed))
        with torch.inference_mode():
            noise = network(seed).head.noise(embeddings, noisy, torch.full_like(noisy[..., :1], float(step)))
        np.testing.assert_allclose(noise.numpy(), load_golden(seed)[f"{scenario}_eps"][number], atol=2e-5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sampled_chunks(scenario, seed):
    expected = load_golden(seed)
    noise = np.concatenate([expected[f"{scenario}_noise_init"][None], expected[f"{scenario}_noise_steps"]])
    with torch.inference_mode():
        chunk = network(seed).head.sample(readout(scenario, seed)[:, -1], torch.from_numpy(noise))
    np.testing.assert_allclose(chunk.numpy(), expected[f"{scenario}_action"], atol=1e-3)


def test_the_schedule_of_noise():
    np.testing.assert_allclose(network(401).head.betas.numpy(), load_golden(401)["betas"], atol=2e-6)


def test_a_masked_text_is_not_attended_to():
    """The mask of a task given by its goal picture alone makes a large difference, and hides every word."""
    model = network(401)
    with torch.inference_mode():
        primary = model.encode("primary", pictures("image_primary", (1, 2, 256, 256, 3), 401)[1:])[None]
        hidden, other = (
            model({"primary": primary}, words, torch.tensor([[True]]), has_text=torch.tensor([False]))
            for words in (text(401), -text(401))
        )
        unmasked = model({"primary": primary}, text(401), torch.tensor([[True]]))
    torch.testing.assert_close(hidden, other)
    assert (hidden - unmasked).abs().max() > 0.1

"""RT-1-X against Google's own code: every name of the checkpoint, image tokens, logits, action tokens, actions."""

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
from skills.effector.rt1x_actions import Google
from skills.effector.rt1x_flax_names import flax_view
from skills.effector.rt1x_network import FRAMES, Rt1xNetwork
from skills.effector.rt1x_policy import Rt1xPolicy
from skills.policies.text_table import TextTable, plain
from skills.policies.tokens import RT1X

GOLDEN = FOLDER / "rt1x"
SEEDS = (301, 302)
SCENARIOS = {"full": "lang_a", "lang_b": "lang_b", "padded": "lang_a"}


@cache
def network(seed: int) -> Rt1xNetwork:
    model = Rt1xNetwork().eval()
    load(flax_view(model), GOLDEN, seed)
    return model


@cache
def load_golden(seed: int):
    return dict(np.load(GOLDEN / f"io_seed{seed}.npz"))


@cache
def frames(seed: int):
    return generator().image("frames", (FRAMES, 300, 300, 3), seed)


def embedding(name: str, seed: int):
    noise = generator().noise(name, (512,), seed)
    return (noise / np.linalg.norm(noise.astype(np.float64))).astype(np.float32)


@cache
def image_tokens(seed: int, text: str):
    pictures = torch.from_numpy(frames(seed)).permute(0, 3, 1, 2) / 255.0
    with torch.inference_mode():
        return network(seed).tokenizer(pictures, torch.from_numpy(embedding(text, seed)).expand(FRAMES, -1))


def policy(seed: int, text: str, history: str) -> Rt1xPolicy:
    table = TextTable(Path("golden.npz"), {plain(text): embedding(text, seed)})
    rt1x = Rt1xPolicy(network=network(seed), texts=table, embodiment=Google(), facts={}, history=history)
    rt1x.reset({"text": text, "gripper": 1.0})
    return rt1x


def test_every_tensor_of_the_checkpoint_has_its_place_and_no_other():
    manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    model = Rt1xNetwork()
    view = flax_view(model).state_dict()
    assert {name: tuple(value.shape) for name, value in view.items()} == {
        parameter["name"]: tuple(parameter["shape"]) for parameter in manifest["params"]
    }
    assert len(view) == 579 + 156
    assert sum(tensor.numel() for tensor in model.parameters()) == manifest["parameters"] == 56_896_809
    # Each of our tensors is filled by exactly one of theirs.
    tensors = {name: tensor for name, tensor in model.state_dict().items() if not name.endswith("num_batches_tracked")}
    assert sorted(tensor.data_ptr() for tensor in view.values()) == sorted(
        tensor.data_ptr() for tensor in tensors.values()
    )


def test_missing_extra_and_misshapen_tensors_are_named():
    tensors = {name: torch.empty(view.shape) for name, view in flax_view(Rt1xNetwork()).state_dict().items()}
    del tensors["params/Transformer_0/Dense_2/bias"]
    tensors["params/Transformer_0/Dense_3/bias"] = torch.empty(512)
    tensors["params/image_tokenizer/Conv_0/kernel"] = torch.empty(1, 1, 512, 1536)
    with pytest.raises(BadInput) as excinfo:
        load_strict(flax_view(Rt1xNetwork()), tensors, policy="rt1x", path=Path("checkpoint"))
    message = str(excinfo.value)
    assert "missing: params/Transformer_0/Dense_2/bias" in message
    assert "not known: params/Transformer_0/Dense_3/bias" in message
    assert "Conv_0/kernel (1, 1, 512, 1536) instead of (1, 1, 1536, 512)" in message


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_image_tokens(seed):
    tokens, expected = image_tokens(seed, "lang_a").numpy(), load_golden(seed)
    np.testing.assert_allclose(tokens[14], expected["full_image_tokens_t14"], atol=3e-5)
    np.testing.assert_allclose(tokens[:, ::8].mean(-1), expected["full_image_tokens_mean"], atol=3e-5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_logits_at_all_positions_of_the_first_frame(seed):
    with torch.inference_mode():
        logits = network(seed)(image_tokens(seed, "lang_a")[None, :1])[0]
    np.testing.assert_allclose(logits[:, ::64].numpy(), load_golden(seed)["full_output_pos_logits_step0"], atol=3e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_action_logits_and_tokens(seed, scenario):
    tokens = image_tokens(seed, SCENARIOS[scenario])
    if scenario == "padded":
        tokens = torch.cat([tokens[12:13].expand(12, -1, -1), tokens[12:]])
    with torch.inference_mode():
        logits = network(seed).action_logits(tokens[None])[0].numpy()
    np.testing.assert_allclose(logits, load_golden(seed)[f"{scenario}_action_logits"], atol=6e-5)
    assert logits.argmax(-1).tolist() == load_golden(seed)[f"{scenario}_action_tokens"].tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_actions_of_tokens(seed, scenario):
    expected = load_golden(seed)
    mode, values = RT1X.decode(expected[f"{scenario}_action_tokens"])
    assert [mode == candidate for candidate in RT1X.modes] == expected[f"{scenario}_act_terminate_episode"].astype(
        bool
    ).tolist()
    for name, value in values.items():
        np.testing.assert_allclose(value, expected[f"{scenario}_act_{name}"], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_loop_that_keeps_tokens_and_repeats_the_first_frame(seed):
    """`padded`: frames 12, 13, 14, with frame 12 in the place of all before; only these three are encoded."""
    rt1x, encoded = policy(seed, "lang_a", "repeat"), []
    hook = network(seed).tokenizer.register_forward_pre_hook(lambda _, inputs: encoded.append(len(inputs[0])))
    steps = [rt1x.step({"primary": frames(seed)[number]}) for number in (12, 13, 14)]
    hook.remove()
    assert encoded == [1, 1, 1]
    assert steps[-1]["tokens"].tolist() == load_golden(seed)["padded_action_tokens"].tolist()
    np.testing.assert_allclose(steps[-1]["translation"], load_golden(seed)["padded_act_world_vector"], atol=1e-6)


@pytest.mark.slow
def test_a_history_that_grows_is_the_whole_window_in_the_end():
    rt1x = policy(301, "lang_a", "grow")
    rt1x._tokens.extend(image_tokens(301, "lang_a")[:14, None])
    assert rt1x.step({"primary": frames(301)[14]})["tokens"].tolist() == load_golden(301)["full_action_tokens"].tolist()


@pytest.mark.slow
def test_reset_forgets():
    rt1x = policy(301, "lang_a", "grow")
    first = rt1x.action_tokens(frames(301)[3])
    rt1x.action_tokens(frames(301)[7])
    rt1x.reset({"text": "lang_a", "gripper": 1.0})
    assert rt1x.action_tokens(frames(301)[3]).tolist() == first.tolist()


@pytest.mark.slow
def test_the_text_matters_and_so_do_old_and_new_frames():
    tokens = image_tokens(301, "lang_a")[None]
    with torch.inference_mode():
        full = network(301).action_logits(tokens)
        for number in (0, 7, 14):
            changed = tokens.clone()
            changed[:, number] = image_tokens(301, "lang_b")[number]
            assert (network(301).action_logits(changed) - full).abs().max() > 1e-3, number

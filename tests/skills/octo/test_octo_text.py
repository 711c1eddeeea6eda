"""T5 inside Octo's checkpoint: names of transformers' flax T5, tokens, padding. The tokenizer here is a tiny one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from homie.kernel.errors import BadInput
from skills.effector.octo_text import T5Texts, flax_view, make_encoder, read_tokenizer

WORDS = {"<pad>": 0, "</s>": 1, "<unk>": 2, "pick": 3, "up": 4, "the": 5, "apple": 6}


@pytest.fixture
def folder(tmp_path):
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_every_tensor_of_the_encoder_has_its_place():
    with torch.device("meta"):
        encoder = make_encoder()
        view = flax_view(encoder).state_dict()
    assert sum(tensor.numel() for tensor in view.values()) == 109_628_544
    assert len(view) == 3 + 12 * 8
    first = "encoder/block/0/layer/"
    assert tuple(view["shared/embedding"].shape) == (32128, 768)
    assert tuple(view[f"{first}0/SelfAttention/relative_attention_bias/embedding"].shape) == (32, 12)
    assert tuple(view[f"{first}1/DenseReluDense/wi/kernel"].shape) == (768, 3072)
    assert {"encoder/final_layer_norm/weight", f"{first}0/layer_norm/weight", f"{first}0/SelfAttention/q/kernel"} < set(
        view
    )


def test_a_text_is_16_tokens_with_its_end_and_padding(folder):
    tokenizer = read_tokenizer(folder)
    encoded = tokenizer.encode("pick up the apple")
    assert encoded.ids == [3, 4, 5, 6, 1] + [0] * 11
    assert encoded.attention_mask == [1] * 5 + [0] * 11
    long = tokenizer.encode("apple " * 40)
    assert long.ids == [6] * 15 + [1]


def test_what_is_no_tokenizer(folder, tmp_path):
    with pytest.raises(BadInput, match=r"tokenizer\.json of T5-base"):
        read_tokenizer(tmp_path / "nowhere")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(BadInput, match="is not a tokenizer"):
        read_tokenizer(folder)


def test_a_tokenizer_in_its_other_form(tmp_path):
    (tmp_path / "spiece.model").write_bytes(b"\n\x0e")
    with pytest.raises(BadInput, match=r"spiece\.model only.*tokenizer\.json.*google-t5/t5-base"):
        read_tokenizer(tmp_path)


@pytest.mark.slow
def test_weights_of_the_checkpoint_encode_texts_as_transformers_does(folder):
    torch.manual_seed(0)
    reference = make_encoder()
    tensors = {name: tensor.clone() for name, tensor in flax_view(reference).state_dict().items()}
    texts = T5Texts(tensors, folder, path=Path("checkpoint"))
    encoded = texts["pick up the apple"]
    with torch.inference_mode():
        ids = torch.tensor([[3, 4, 5, 6, 1] + [0] * 11])
        expected = reference(input_ids=ids, attention_mask=(ids > 0).long()).last_hidden_state[0].numpy()
        alone = reference(input_ids=ids[:, :5]).last_hidden_state[0].numpy()
    assert encoded.shape == (16, 768)
    np.testing.assert_allclose(encoded, expected, atol=1e-5)
    np.testing.assert_allclose(encoded[:5], alone, atol=1e-4)  # padding is not attended to
    assert texts["pick up the apple"] is encoded  # encoded once
    del tensors["encoder/final_layer_norm/weight"]
    with pytest.raises(BadInput, match="missing: encoder/final_layer_norm/weight"):
        T5Texts(tensors, folder, path=Path("checkpoint"))

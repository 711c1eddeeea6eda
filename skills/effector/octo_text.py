"""Text embeddings for Octo: T5-base, whose frozen encoder is in the checkpoint.

The tokenizer is not in the checkpoint: the user provides `tokenizer.json` of T5-base. A text has at most 16 tokens with
its end token; a shorter one is padded, and the encoder's output for the padding is part of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import T5Config, T5EncoderModel

from homie.kernel.errors import BadInput
from skills.checkpoints import load_strict
from skills.effector.octo_network import TEXT_TOKENS, TEXT_WIDTH
from skills.policies.flax import FlaxView

PAD = 0
WORDS = 32128
"""Size of the model's vocabulary; the tokenizer has fewer words."""
SENTENCEPIECE = "spiece.model"
"""The same tokenizer in another file format."""


class T5Texts:
    """Embeddings (16, 768) of texts. Raises BadInput for a folder without a tokenizer and for weights that do not
    fit."""

    def __init__(self, tensors: Mapping[str, torch.Tensor], tokenizer: Path, *, path: Path) -> None:
        self.tokenizer = read_tokenizer(tokenizer)
        self.encoder = make_encoder()
        load_strict(flax_view(self.encoder), tensors, policy="octo (text encoder)", path=path)
        self._cache: dict[str, NDArray[np.float32]] = {}

    def first(self, text: str, other: str) -> NDArray[np.float32]:
        """Return the embedding of an instruction: every text has one."""
        return self[text]

    def __getitem__(self, text: str) -> NDArray[np.float32]:
        """Return the embedding of an instruction, cached."""
        if text not in self._cache:
            self._cache[text] = self._encode(text)
        return self._cache[text]

    def _encode(self, text: str) -> NDArray[np.float32]:
        encoded = self.tokenizer.encode(text)
        with torch.inference_mode():
            outputs = self.encoder(
                input_ids=torch.tensor([encoded.ids]), attention_mask=torch.tensor([encoded.attention_mask])
            )
        return np.asarray(outputs.last_hidden_state[0].numpy())


def read_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer in a folder (or the file itself), configured for 16 tokens. Raises BadInput."""
    file = folder / "tokenizer.json" if folder.is_dir() else folder
    if folder.is_dir() and not file.is_file() and (folder / SENTENCEPIECE).is_file():
        raise BadInput(
            f"{folder} holds T5's tokenizer as {SENTENCEPIECE} only, which is not read: put the tokenizer.json of the"
            " same repository (google-t5/t5-base on the Hugging Face hub) beside it."
        )
    if not file.is_file():
        raise BadInput(f"There is no tokenizer {file}: give the folder with tokenizer.json of T5-base.")
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises a bare Exception
        raise BadInput(f"{file} is not a tokenizer: {error}.") from error
    if tokenizer.get_vocab_size() > WORDS:
        raise BadInput(f"{file} has {tokenizer.get_vocab_size()} words, T5-base {WORDS}: it is another model's.")
    tokenizer.enable_truncation(TEXT_TOKENS)
    tokenizer.enable_padding(length=TEXT_TOKENS, pad_id=PAD, pad_token="<pad>")
    return tokenizer


def make_encoder() -> T5EncoderModel:
    """Return T5-base's encoder with uninitialised weights."""
    config = T5Config(
        vocab_size=WORDS, d_model=TEXT_WIDTH, d_kv=64, d_ff=3072, num_layers=12, num_heads=12, feed_forward_proj="relu"
    )
    return T5EncoderModel(config).eval().requires_grad_(False)


def flax_view(encoder: T5EncoderModel) -> FlaxView:
    """Return a view of the encoder under the names of transformers' flax T5, as in the checkpoint."""
    view = FlaxView(encoder)
    view.tensor("shared.weight", "shared/embedding")
    attention = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"
    view.tensor(f"{attention}.weight", f"{attention.replace('.', '/')}/embedding")
    for number in range(encoder.config.num_layers):
        block = f"encoder.block.{number}.layer"
        for part in ("q", "k", "v", "o"):
            name = f"{block}.0.SelfAttention.{part}"
            view.linear(name, name.replace(".", "/"), bias=False)
        for part in ("wi", "wo"):
            name = f"{block}.1.DenseReluDense.{part}"
            view.linear(name, name.replace(".", "/"), bias=False)
        for layer in (0, 1):
            name = f"{block}.{layer}.layer_norm.weight"
            view.tensor(name, name.replace(".", "/"))
    view.tensor("encoder.final_layer_norm.weight", "encoder/final_layer_norm/weight")
    return view

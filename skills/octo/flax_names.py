"""The checkpoint of Octo 1.5: the authors' names for the layers of `network`."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from homie.kernel.errors import BadInput
from skills.networks.flax import FlaxView
from skills.octo.network import CAMERAS, OctoNetwork, Size

ROOT = "octo_transformer"
STACK = f"{ROOT}/BlockTransformer_0/Transformer_0"
LANGUAGE_MODEL = f"{ROOT}/task_tokenizers_language/hf_model/"
"""The frozen T5 encoder, whose tensors are not the network's."""
_HEAD = "heads_action/diffusion_model"


def size_of(tensors: Mapping[str, torch.Tensor]) -> Size:
    """The size of the transformer, by the shapes of a file's tensors. Raises BadInput where it has none."""
    query = tensors.get(f"{STACK}/encoderblock_0/MultiHeadDotProductAttention_0/query/kernel")
    hidden = tensors.get(f"{STACK}/encoderblock_0/MlpBlock_0/Dense_0/kernel")
    if query is None or hidden is None or query.ndim != 3 or hidden.ndim != 2:
        raise BadInput("The checkpoint of Octo has no transformer of a known form.")
    layers = 0
    while f"{STACK}/encoderblock_{layers}/LayerNorm_0/scale" in tensors:
        layers += 1
    return Size(query.shape[0], layers, hidden.shape[1], query.shape[1])


def flax_view(network: OctoNetwork) -> FlaxView:
    """All tensors of the file but those of the text encoder."""
    made = FlaxView(network)
    for camera in CAMERAS:
        _stem(made, f"stems.{camera}", camera)
        position = network.positions[camera]
        made.tensor(f"positions.{camera}", f"{ROOT}/obs_{camera}_pos_embedding", (1, *position.shape))
    made.linear("text", f"{ROOT}/task_language_projection")
    for ours, theirs in (("text", "task_language"), ("readout", "readout_action")):
        made.tensor(f"positions.{ours}", f"{ROOT}/{theirs}_pos_embedding", (1, *network.positions[ours].shape))
    for number, block in enumerate(network.blocks):
        _block(made, f"blocks.{number}", f"{STACK}/encoderblock_{number}", block.heads)
    made.norm("norm", f"{STACK}/encoder_norm")
    _head(made)
    return made


def _stem(made: FlaxView, ours: str, camera: str) -> None:
    theirs = f"{ROOT}/observation_tokenizers_{camera}/SmallStem16_0"
    for number in range(4):
        made.conv(f"{ours}.convs.{3 * number}", f"{theirs}/StdConv_{number}", bias=True)
        made.norm(f"{ours}.convs.{3 * number + 1}", f"{theirs}/GroupNorm_{number}")
    made.conv(f"{ours}.embed", f"{theirs}/embedding", bias=True)
    made.linear(f"{ours}.project", f"{ROOT}/obs_{camera}_projection")


def _block(made: FlaxView, ours: str, theirs: str, heads: int) -> None:
    made.norm(f"{ours}.norm1", f"{theirs}/LayerNorm_0")
    made.norm(f"{ours}.norm2", f"{theirs}/LayerNorm_1")
    attention = f"{theirs}/MultiHeadDotProductAttention_0"
    for part in ("query", "key", "value"):
        made.linear(f"{ours}.{part}", f"{attention}/{part}", outputs=(heads, -1))
    made.linear(f"{ours}.out", f"{attention}/out", inputs=(heads, -1))
    made.linear(f"{ours}.mlp.0", f"{theirs}/MlpBlock_0/Dense_0")
    made.linear(f"{ours}.mlp.2", f"{theirs}/MlpBlock_0/Dense_1")


def _head(made: FlaxView) -> None:
    # This one is no layer of flax: its kernel is (outputs, inputs), as torch has it.
    made.tensor("head.frequencies.weight", f"{_HEAD}/time_preprocess/kernel")
    made.linear("head.time.0", f"{_HEAD}/cond_encoder/Dense_0")
    made.linear("head.time.2", f"{_HEAD}/cond_encoder/Dense_1")
    reverse = f"{_HEAD}/reverse_network"
    made.linear("head.enter", f"{reverse}/Dense_0")
    made.linear("head.leave", f"{reverse}/Dense_1")
    for number in range(3):
        ours, theirs = f"head.blocks.{number}", f"{reverse}/MLPResNetBlock_{number}"
        made.norm(f"{ours}.norm", f"{theirs}/LayerNorm_0")
        made.linear(f"{ours}.up", f"{theirs}/Dense_0")
        made.linear(f"{ours}.down", f"{theirs}/Dense_1")

"""The checkpoint of Octo 1.5: the authors' names for the layers of `network`."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from homie.kernel.errors import BadInput
from skills.effector.octo_network import CAMERAS, OctoNetwork, Size
from skills.policies.flax import FlaxView

ROOT = "octo_transformer"
STACK = f"{ROOT}/BlockTransformer_0/Transformer_0"
LANGUAGE_MODEL = f"{ROOT}/task_tokenizers_language/hf_model/"
"""The frozen T5 encoder, whose tensors are not the network's."""
_HEAD = "heads_action/diffusion_model"


def size_of(tensors: Mapping[str, torch.Tensor]) -> Size:
    """The size of the transformer, from the shapes of a file's tensors. Raises BadInput if it has no transformer."""
    query = tensors.get(f"{STACK}/encoderblock_0/MultiHeadDotProductAttention_0/query/kernel")
    hidden = tensors.get(f"{STACK}/encoderblock_0/MlpBlock_0/Dense_0/kernel")
    if query is None or hidden is None or query.ndim != 3 or hidden.ndim != 2:
        raise BadInput("The checkpoint of Octo has no transformer of a known form.")
    layers = 0
    while f"{STACK}/encoderblock_{layers}/LayerNorm_0/scale" in tensors:
        layers += 1
    return Size(query.shape[0], layers, hidden.shape[1], query.shape[1])


def flax_view(network: OctoNetwork) -> FlaxView:
    """All tensors of the file except those of the text encoder."""
    view = FlaxView(network)
    for camera in CAMERAS:
        _stem(view, f"stems.{camera}", camera)
        position = network.positions[camera]
        view.tensor(f"positions.{camera}", f"{ROOT}/obs_{camera}_pos_embedding", (1, *position.shape))
    view.linear("text", f"{ROOT}/task_language_projection")
    for ours, theirs in (("text", "task_language"), ("readout", "readout_action")):
        view.tensor(f"positions.{ours}", f"{ROOT}/{theirs}_pos_embedding", (1, *network.positions[ours].shape))
    for number, block in enumerate(network.blocks):
        _block(view, f"blocks.{number}", f"{STACK}/encoderblock_{number}", block.heads)
    view.norm("norm", f"{STACK}/encoder_norm")
    _head(view)
    return view


def _stem(view: FlaxView, ours: str, camera: str) -> None:
    theirs = f"{ROOT}/observation_tokenizers_{camera}/SmallStem16_0"
    for number in range(4):
        view.conv(f"{ours}.convs.{3 * number}", f"{theirs}/StdConv_{number}", bias=True)
        view.norm(f"{ours}.convs.{3 * number + 1}", f"{theirs}/GroupNorm_{number}")
    view.conv(f"{ours}.embed", f"{theirs}/embedding", bias=True)
    view.linear(f"{ours}.project", f"{ROOT}/obs_{camera}_projection")


def _block(view: FlaxView, ours: str, theirs: str, heads: int) -> None:
    view.norm(f"{ours}.norm1", f"{theirs}/LayerNorm_0")
    view.norm(f"{ours}.norm2", f"{theirs}/LayerNorm_1")
    attention = f"{theirs}/MultiHeadDotProductAttention_0"
    for part in ("query", "key", "value"):
        view.linear(f"{ours}.{part}", f"{attention}/{part}", outputs=(heads, -1))
    view.linear(f"{ours}.out", f"{attention}/out", inputs=(heads, -1))
    view.linear(f"{ours}.mlp.0", f"{theirs}/MlpBlock_0/Dense_0")
    view.linear(f"{ours}.mlp.2", f"{theirs}/MlpBlock_0/Dense_1")


def _head(view: FlaxView) -> None:
    # This is not a layer of flax: its kernel is (outputs, inputs), as in torch.
    view.tensor("head.frequencies.weight", f"{_HEAD}/time_preprocess/kernel")
    view.linear("head.time.0", f"{_HEAD}/cond_encoder/Dense_0")
    view.linear("head.time.2", f"{_HEAD}/cond_encoder/Dense_1")
    reverse = f"{_HEAD}/reverse_network"
    view.linear("head.enter", f"{reverse}/Dense_0")
    view.linear("head.leave", f"{reverse}/Dense_1")
    for number in range(3):
        ours, theirs = f"head.blocks.{number}", f"{reverse}/MLPResNetBlock_{number}"
        view.norm(f"{ours}.norm", f"{theirs}/LayerNorm_0")
        view.linear(f"{ours}.up", f"{theirs}/Dense_0")
        view.linear(f"{ours}.down", f"{theirs}/Dense_1")

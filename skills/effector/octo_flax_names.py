"""Names of the layers of `octo_network` in the checkpoint of Octo 1.5."""

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
    """Return the size of the transformer, from the shapes of a file's tensors. Raises BadInput if it has no
    transformer."""
    query = tensors.get(f"{STACK}/encoderblock_0/MultiHeadDotProductAttention_0/query/kernel")
    hidden = tensors.get(f"{STACK}/encoderblock_0/MlpBlock_0/Dense_0/kernel")
    if query is None or hidden is None or query.ndim != 3 or hidden.ndim != 2:
        raise BadInput("The checkpoint of Octo has no transformer of a known form.")
    layers = 0
    while f"{STACK}/encoderblock_{layers}/LayerNorm_0/scale" in tensors:
        layers += 1
    return Size(query.shape[0], layers, hidden.shape[1], query.shape[1])


def flax_view(network: OctoNetwork) -> FlaxView:
    """Return a view of all tensors of the file except those of the text encoder."""
    view = FlaxView(network)
    for camera in CAMERAS:
        _stem(view, f"stems.{camera}", camera)
        position = network.positions[camera]
        view.tensor(f"positions.{camera}", f"{ROOT}/obs_{camera}_pos_embedding", (1, *position.shape))
    view.linear("text", f"{ROOT}/task_language_projection")
    for torch_name, flax_name in (("text", "task_language"), ("readout", "readout_action")):
        view.tensor(
            f"positions.{torch_name}", f"{ROOT}/{flax_name}_pos_embedding", (1, *network.positions[torch_name].shape)
        )
    for number, block in enumerate(network.blocks):
        _block(view, f"blocks.{number}", f"{STACK}/encoderblock_{number}", block.heads)
    view.norm("norm", f"{STACK}/encoder_norm")
    _head(view)
    return view


def _stem(view: FlaxView, torch_name: str, camera: str) -> None:
    flax_name = f"{ROOT}/observation_tokenizers_{camera}/SmallStem16_0"
    for number in range(4):
        view.conv(f"{torch_name}.convs.{3 * number}", f"{flax_name}/StdConv_{number}", bias=True)
        view.norm(f"{torch_name}.convs.{3 * number + 1}", f"{flax_name}/GroupNorm_{number}")
    view.conv(f"{torch_name}.embed", f"{flax_name}/embedding", bias=True)
    view.linear(f"{torch_name}.project", f"{ROOT}/obs_{camera}_projection")


def _block(view: FlaxView, torch_name: str, flax_name: str, heads: int) -> None:
    view.norm(f"{torch_name}.norm1", f"{flax_name}/LayerNorm_0")
    view.norm(f"{torch_name}.norm2", f"{flax_name}/LayerNorm_1")
    attention = f"{flax_name}/MultiHeadDotProductAttention_0"
    for part in ("query", "key", "value"):
        view.linear(f"{torch_name}.{part}", f"{attention}/{part}", outputs=(heads, -1))
    view.linear(f"{torch_name}.out", f"{attention}/out", inputs=(heads, -1))
    view.linear(f"{torch_name}.mlp.0", f"{flax_name}/MlpBlock_0/Dense_0")
    view.linear(f"{torch_name}.mlp.2", f"{flax_name}/MlpBlock_0/Dense_1")


def _head(view: FlaxView) -> None:
    # This is not a layer of flax: its kernel is (outputs, inputs), as in torch.
    view.tensor("head.frequencies.weight", f"{_HEAD}/time_preprocess/kernel")
    view.linear("head.time.0", f"{_HEAD}/cond_encoder/Dense_0")
    view.linear("head.time.2", f"{_HEAD}/cond_encoder/Dense_1")
    reverse = f"{_HEAD}/reverse_network"
    view.linear("head.enter", f"{reverse}/Dense_0")
    view.linear("head.leave", f"{reverse}/Dense_1")
    for number in range(3):
        torch_name, flax_name = f"head.blocks.{number}", f"{reverse}/MLPResNetBlock_{number}"
        view.norm(f"{torch_name}.norm", f"{flax_name}/LayerNorm_0")
        view.linear(f"{torch_name}.up", f"{flax_name}/Dense_0")
        view.linear(f"{torch_name}.down", f"{flax_name}/Dense_1")

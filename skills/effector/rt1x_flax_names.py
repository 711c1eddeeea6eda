"""Names of the layers of `rt1x_network` in the checkpoint of RT-1-X."""

from __future__ import annotations

from skills.effector.rt1x_network import HEAD_WIDTH, HEADS, Rt1xNetwork
from skills.policies.efficientnet import MBConv
from skills.policies.flax import FlaxView

PARAMS, STATISTICS = "params", "batch_stats"
"""The two trees of the file with the network; others (optimiser, step) are not read."""

_TOKENIZER = "image_tokenizer"
_NET = f"{_TOKENIZER}/EfficientNetWithFilm_0"


def flax_view(network: Rt1xNetwork) -> FlaxView:
    """Return a view of the 579 parameters and 156 running statistics of the file."""
    view = FlaxView(network)
    _first_and_last_convolutions(view)
    for number, block in enumerate(network.tokenizer.net._blocks):
        _block(view, number, block)
        _film(view, f"tokenizer.net.films.{number}", f"{_NET}/FilmConditioning_{number}")
    view.conv("tokenizer.reduce", f"{PARAMS}/{_TOKENIZER}/Conv_0")
    _film(view, "tokenizer.film", f"{_TOKENIZER}/FilmConditioning_0")
    learner = f"{PARAMS}/{_TOKENIZER}/TokenLearnerModuleV11_0"
    view.norm("tokenizer.norm", f"{learner}/LayerNorm_0")
    view.linear("tokenizer.attend.0", f"{learner}/token_masking/Dense_0")
    view.linear("tokenizer.attend.2", f"{learner}/token_masking/Dense_1")
    for torch_name, number in (("input", 0), ("position", 1), ("output", 2)):
        view.linear(torch_name, f"{PARAMS}/Transformer_0/Dense_{number}")
    for number in range(len(network.blocks)):
        _transformer_block(view, f"blocks.{number}", f"{PARAMS}/Transformer_0/TransformerBlock_{number}")
    return view


def _batch_norm(view: FlaxView, torch_name: str, flax_name: str) -> None:
    view.batch_norm(torch_name, f"{PARAMS}/{flax_name}", f"{STATISTICS}/{flax_name}")


def _film(view: FlaxView, torch_name: str, flax_name: str) -> None:
    view.linear(f"{torch_name}.add", f"{PARAMS}/{flax_name}/Dense_0")
    view.linear(f"{torch_name}.mul", f"{PARAMS}/{flax_name}/Dense_1")


def _first_and_last_convolutions(view: FlaxView) -> None:
    for conv, norm, flax_name in (("_conv_stem", "_bn0", "Stem_0"), ("_conv_head", "_bn1", "Head_0")):
        view.conv(f"tokenizer.net.{conv}", f"{PARAMS}/{_NET}/{flax_name}/conv2d")
        _batch_norm(view, f"tokenizer.net.{norm}", f"{_NET}/{flax_name}/batch_normalization")


def _block(view: FlaxView, number: int, block: MBConv) -> None:
    """Add a block. The file numbers its normalisations from 0, whether or not the first convolution exists."""
    torch_name, flax_name = f"tokenizer.net._blocks.{number}", f"{_NET}/MBConvBlock_{number}"
    first = 0 if block.expands else 1
    for place in range(first, 3):
        _batch_norm(view, f"{torch_name}._bn{place}", f"{flax_name}/batch_normalization_{place - first}")
    flax_name = f"{PARAMS}/{flax_name}"
    if block.expands:
        view.conv(f"{torch_name}._expand_conv", f"{flax_name}/expand_conv2d_0")
    view.depthwise(f"{torch_name}._depthwise_conv", f"{flax_name}/depthwise_conv2d")
    view.conv(f"{torch_name}._se_reduce", f"{flax_name}/SqueezeExcite_0/reduce_conv2d_0", bias=True)
    view.conv(f"{torch_name}._se_expand", f"{flax_name}/SqueezeExcite_0/expand_conv2d_0", bias=True)
    view.conv(f"{torch_name}._project_conv", f"{flax_name}/project_conv2d_0")


def _transformer_block(view: FlaxView, torch_name: str, flax_name: str) -> None:
    view.norm(f"{torch_name}.norm1", f"{flax_name}/LayerNorm_0")
    view.norm(f"{torch_name}.norm2", f"{flax_name}/LayerNorm_1")
    attention, heads = f"{flax_name}/MultiHeadDotProductAttention_0", (HEADS, HEAD_WIDTH)
    for part in ("query", "key", "value"):
        view.linear(f"{torch_name}.{part}", f"{attention}/{part}", outputs=heads)
    view.linear(f"{torch_name}.out", f"{attention}/out", inputs=heads)
    for part, number in (("up", 0), ("gate", 1), ("down", 2)):
        view.linear(f"{torch_name}.{part}", f"{flax_name}/Dense_{number}", bias=False)

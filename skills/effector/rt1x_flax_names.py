"""The checkpoint of RT-1-X: Google's names for the layers of `network`."""

from __future__ import annotations

from skills.effector.rt1x_network import HEAD_WIDTH, HEADS, Rt1xNetwork
from skills.policies.efficientnet import MBConv
from skills.policies.flax import FlaxView

PARAMS, STATISTICS = "params", "batch_stats"
"""The two trees of the file with the network; others (optimiser, step) are not read."""

_TOKENIZER = "image_tokenizer"
_NET = f"{_TOKENIZER}/EfficientNetWithFilm_0"


def flax_view(network: Rt1xNetwork) -> FlaxView:
    """The 579 parameters and 156 running statistics of the file."""
    view = FlaxView(network)
    _ends(view)
    for number, block in enumerate(network.tokenizer.net._blocks):
        _block(view, number, block)
        _film(view, f"tokenizer.net.films.{number}", f"{_NET}/FilmConditioning_{number}")
    view.conv("tokenizer.reduce", f"{PARAMS}/{_TOKENIZER}/Conv_0")
    _film(view, "tokenizer.film", f"{_TOKENIZER}/FilmConditioning_0")
    learner = f"{PARAMS}/{_TOKENIZER}/TokenLearnerModuleV11_0"
    view.norm("tokenizer.norm", f"{learner}/LayerNorm_0")
    view.linear("tokenizer.attend.0", f"{learner}/token_masking/Dense_0")
    view.linear("tokenizer.attend.2", f"{learner}/token_masking/Dense_1")
    for ours, number in (("input", 0), ("position", 1), ("output", 2)):
        view.linear(ours, f"{PARAMS}/Transformer_0/Dense_{number}")
    for number in range(len(network.blocks)):
        _transformer_block(view, f"blocks.{number}", f"{PARAMS}/Transformer_0/TransformerBlock_{number}")
    return view


def _batch_norm(view: FlaxView, ours: str, theirs: str) -> None:
    view.batch_norm(ours, f"{PARAMS}/{theirs}", f"{STATISTICS}/{theirs}")


def _film(view: FlaxView, ours: str, theirs: str) -> None:
    view.linear(f"{ours}.add", f"{PARAMS}/{theirs}/Dense_0")
    view.linear(f"{ours}.mul", f"{PARAMS}/{theirs}/Dense_1")


def _ends(view: FlaxView) -> None:
    for conv, norm, theirs in (("_conv_stem", "_bn0", "Stem_0"), ("_conv_head", "_bn1", "Head_0")):
        view.conv(f"tokenizer.net.{conv}", f"{PARAMS}/{_NET}/{theirs}/conv2d")
        _batch_norm(view, f"tokenizer.net.{norm}", f"{_NET}/{theirs}/batch_normalization")


def _block(view: FlaxView, number: int, block: MBConv) -> None:
    """The file numbers the normalisations of a block from 0, whether or not its first convolution is there."""
    ours, theirs = f"tokenizer.net._blocks.{number}", f"{_NET}/MBConvBlock_{number}"
    first = 0 if block.expands else 1
    for place in range(first, 3):
        _batch_norm(view, f"{ours}._bn{place}", f"{theirs}/batch_normalization_{place - first}")
    theirs = f"{PARAMS}/{theirs}"
    if block.expands:
        view.conv(f"{ours}._expand_conv", f"{theirs}/expand_conv2d_0")
    view.depthwise(f"{ours}._depthwise_conv", f"{theirs}/depthwise_conv2d")
    view.conv(f"{ours}._se_reduce", f"{theirs}/SqueezeExcite_0/reduce_conv2d_0", bias=True)
    view.conv(f"{ours}._se_expand", f"{theirs}/SqueezeExcite_0/expand_conv2d_0", bias=True)
    view.conv(f"{ours}._project_conv", f"{theirs}/project_conv2d_0")


def _transformer_block(view: FlaxView, ours: str, theirs: str) -> None:
    view.norm(f"{ours}.norm1", f"{theirs}/LayerNorm_0")
    view.norm(f"{ours}.norm2", f"{theirs}/LayerNorm_1")
    attention, heads = f"{theirs}/MultiHeadDotProductAttention_0", (HEADS, HEAD_WIDTH)
    for part in ("query", "key", "value"):
        view.linear(f"{ours}.{part}", f"{attention}/{part}", outputs=heads)
    view.linear(f"{ours}.out", f"{attention}/out", inputs=heads)
    for part, number in (("up", 0), ("gate", 1), ("down", 2)):
        view.linear(f"{ours}.{part}", f"{theirs}/Dense_{number}", bias=False)

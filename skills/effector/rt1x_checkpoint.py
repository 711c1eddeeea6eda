"""The checkpoint of RT-1-X: its tensors, and loading them into the network."""

from __future__ import annotations

from pathlib import Path

from skills.checkpoints import CheckpointFormat, TensorLayout, load_strict, read_checkpoint, require, shapes_of
from skills.checkpoints.device import choose_device
from skills.checkpoints.writing import random_tensors, write_flax
from skills.effector.rt1x_flax_names import flax_view
from skills.effector.rt1x_network import Rt1xNetwork


def _layout() -> TensorLayout:
    return TensorLayout(shapes_of(lambda: flax_view(Rt1xNetwork())))


CHECKPOINT = CheckpointFormat(
    policy="rt1x",
    prefixes=("params/image_tokenizer/", "params/Transformer_0/"),
    layouts={"rt1x": _layout},
    writers={"rt1x": lambda path, seed: write_flax(path, random_tensors(_layout(), seed))},
    use="--skills rt1x:{path} --skill-option rt1x.embeddings=FILE.npz",
)


def load_network(path: Path, device: str = "auto") -> tuple[Rt1xNetwork, str]:
    """Return the network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    place = choose_device(device)
    checkpoint = read_checkpoint(path, CHECKPOINT)
    require(checkpoint, CHECKPOINT)
    network = Rt1xNetwork()
    load_strict(flax_view(network), checkpoint.tensors, policy="rt1x", path=checkpoint.path)
    return network.to(place).eval().requires_grad_(False), checkpoint.sha256

"""`nomad.pth`: its tensors, and loading them into the network."""

from __future__ import annotations

from pathlib import Path

import torch

from skills.checkpoints import CheckpointFormat, TensorLayout, load_frozen, shapes_of
from skills.checkpoints.writing import random_tensors, write_torch
from skills.nomad.network import UNUSED, NomadNetwork

CLASSIFIER = {"weight": (1000, 1280), "bias": (1000,)}
"""Shapes of EfficientNet-B0's classifier for the 1000 classes of ImageNet, which NoMaD does not use."""


def _layout() -> TensorLayout:
    tensors = shapes_of(NomadNetwork)
    spare = {}
    for name in sorted(UNUSED):
        if "._fc." in name:
            spare[name] = torch.empty(CLASSIFIER[name.rpartition(".")[2]], device="meta")
        else:  # the layer from which the others were copied has the same shapes
            spare[name] = tensors[name.replace(".sa_layer.", ".sa_encoder.layers.0.")]
    return TensorLayout(tensors, spare)


CHECKPOINT = CheckpointFormat(
    policy="nomad",
    prefixes=("vision_encoder.obs_encoder.", "vision_encoder.goal_encoder.", "noise_pred_net."),
    layouts={"nomad": _layout},
    writers={"nomad": lambda path, seed: write_torch(path, random_tensors(_layout(), seed))},
    use="--skills nomad:{path}",
)


def load_network(path: Path) -> tuple[NomadNetwork, str]:
    """Return the network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    return load_frozen(NomadNetwork(), path, CHECKPOINT, UNUSED)

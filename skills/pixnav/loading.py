"""A PixNav checkpoint into the network."""

from __future__ import annotations

from pathlib import Path

from skills.checkpoints import load_strict, read_checkpoint, require
from skills.pixnav.network import PixNavNetwork


def load_network(path: Path) -> tuple[PixNavNetwork, str]:
    """The network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    checkpoint = read_checkpoint(path)
    require(checkpoint, "pixnav")
    network = PixNavNetwork()
    load_strict(network, checkpoint.tensors, policy="pixnav", path=checkpoint.path)
    return network.eval().requires_grad_(False), checkpoint.sha256

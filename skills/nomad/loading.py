"""`nomad.pth` into the network."""

from __future__ import annotations

from pathlib import Path

from skills.checkpoints import load_strict, read_checkpoint, require
from skills.nomad.network import UNUSED, NomadNetwork


def load_network(path: Path) -> tuple[NomadNetwork, str]:
    """The network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    checkpoint = read_checkpoint(path)
    require(checkpoint, "nomad")
    network = NomadNetwork()
    load_strict(network, checkpoint.tensors, policy="nomad", path=checkpoint.path, unused=UNUSED)
    return network.eval().requires_grad_(False), checkpoint.sha256

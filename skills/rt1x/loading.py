"""The checkpoint of RT-1-X into the network."""

from __future__ import annotations

from pathlib import Path

from skills.checkpoints import load_strict, read_checkpoint, require
from skills.networks.device import chosen_device
from skills.rt1x.flax_names import flax_view
from skills.rt1x.network import Rt1xNetwork


def load_network(path: Path, device: str = "auto") -> tuple[Rt1xNetwork, str]:
    """The network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    place = chosen_device(device)
    checkpoint = read_checkpoint(path)
    require(checkpoint, "rt1x")
    network = Rt1xNetwork()
    load_strict(flax_view(network), checkpoint.tensors, policy="rt1x", path=checkpoint.path)
    return network.to(place).eval().requires_grad_(False), checkpoint.sha256

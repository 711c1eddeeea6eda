"""From M3's checkpoint files to networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import nn

from skills.checkpoints import load_strict, read_checkpoint, require
from skills.m3.layout import LAYOUTS
from skills.m3.network import Network


def load_network(name: str, path: Path) -> tuple[Network, str]:
    """The network of a skill and the SHA-256 of its file. Raises BadInput, which says what does not fit."""
    checkpoint = read_checkpoint(path)
    require(checkpoint, "m3")
    network = Network(LAYOUTS[name])
    held = nn.ModuleDict({"actor_critic": network})
    load_strict(held, checkpoint.tensors, policy=f"m3 {name}", path=path)
    return network.eval(), checkpoint.sha256


def load_networks(files: Mapping[str, Path]) -> tuple[dict[str, Network], dict[str, str]]:
    """Networks and the SHA-256 of their files, by skill. A file that serves two skills is read once."""
    loaded: dict[tuple[Path, bool], tuple[Network, str]] = {}
    for name, path in files.items():
        key = path.resolve(), LAYOUTS[name].discrete
        if key not in loaded:
            loaded[key] = load_network(name, path)
    found = {name: loaded[path.resolve(), LAYOUTS[name].discrete] for name, path in files.items()}
    return {name: network for name, (network, _) in found.items()}, {name: sha for name, (_, sha) in found.items()}

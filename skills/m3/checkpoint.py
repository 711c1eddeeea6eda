"""M3's checkpoint files: their tensors, and loading them into networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn

from skills.checkpoints import CheckpointFormat, TensorLayout, load_strict, read_checkpoint, require, shapes_of
from skills.checkpoints.writing import random_tensors
from skills.m3.layout import LAYOUTS, MANIPULATION, NAVIGATION, Layout
from skills.m3.network import Network


def _wrapped(network: Network) -> nn.Module:
    """Wrap a network under the names that it has in a file."""
    return nn.ModuleDict({"actor_critic": network})


def _layout(kind: Layout) -> TensorLayout:
    return TensorLayout(shapes_of(lambda: _wrapped(Network(kind))))


def _kind(tensors: Mapping[str, torch.Tensor]) -> str:
    # Navigation has one layer that chooses an action, manipulation has means and deviations.
    return "m3-navigation" if any("actor.linear" in name for name in tensors) else "m3-manipulation"


def _write(folder: Path, seed: int) -> None:
    """Write a folder with a file for every skill."""
    folder.mkdir()
    for number, (name, kind) in enumerate(LAYOUTS.items()):
        state = random_tensors(_layout(kind), seed + number)
        torch.save({"config": {}, "state_dict": state, "num_steps_done": 0}, folder / f"{name}.pth")


CHECKPOINT = CheckpointFormat(
    policy="m3",
    prefixes=("actor_critic.net.", "actor_critic.actor."),
    layouts={"m3-navigation": lambda: _layout(NAVIGATION), "m3-manipulation": lambda: _layout(MANIPULATION)},
    kind=_kind,
    writers={"m3": _write},
    use="put it into a folder as NAME.pth (navigate, pick, place, ...), then --skills m3:FOLDER",
)


def load_network(name: str, path: Path) -> tuple[Network, str]:
    """Load the network of a skill and return it with the SHA-256 of its file. Raises BadInput if the checkpoint does
    not fit."""
    checkpoint = read_checkpoint(path, CHECKPOINT)
    require(checkpoint, CHECKPOINT)
    network = Network(LAYOUTS[name])
    load_strict(_wrapped(network), checkpoint.tensors, policy=f"m3 {name}", path=path)
    return network.eval(), checkpoint.sha256


def network_content(network: Network, steps: int) -> dict[str, object]:
    """Return the content of a network's file in the format of the authors' trainer."""
    return {"config": {}, "state_dict": _wrapped(network).state_dict(), "num_steps_done": steps}


def load_networks(files: Mapping[str, Path]) -> tuple[dict[str, Network], dict[str, str]]:
    """Load networks and the SHA-256 of their files, by skill. A file that serves two skills is read once."""
    loaded: dict[tuple[Path, bool], tuple[Network, str]] = {}
    for name, path in files.items():
        key = path.resolve(), LAYOUTS[name].discrete
        if key not in loaded:
            loaded[key] = load_network(name, path)
    networks = {name: loaded[path.resolve(), LAYOUTS[name].discrete] for name, path in files.items()}
    return {name: network for name, (network, _) in networks.items()}, {
        name: sha for name, (_, sha) in networks.items()
    }

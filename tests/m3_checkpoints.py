"""Checkpoint files in M3's layout with generated weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from golden_policies import FOLDER, tensors

if TYPE_CHECKING:
    import torch

NAVIGATION, MANIPULATION = "m3_nav", "m3_manip"
SEEDS = {NAVIGATION: 501, MANIPULATION: 601}


@cache
def state_dict(kind: str) -> dict[str, torch.Tensor]:
    """The weights of one kind of network, for the first of its golden seeds."""
    return tensors(FOLDER / kind, SEEDS[kind])


def save(path: Path, kind: str, **changes: torch.Tensor) -> Path:
    """A file as the authors' trainer writes it; `changes` replaces tensors, with `__` for the dots of their names."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    state = {**state_dict(kind), **{name.replace("__", "."): tensor for name, tensor in changes.items()}}
    torch.save({"config": {"generated": True}, "state_dict": state, "num_steps_done": 1000}, path)
    return path


def stubborn(path: Path, kind: str, action: int | list[float]) -> Path:
    """A checkpoint whose network always chooses the same action (for manipulation: ten numbers in -1..1)."""
    import torch

    if isinstance(action, int):
        favoured = torch.zeros(20)
        favoured[action] = 50.0
        return save(path, kind, actor_critic__actor__linear__bias=favoured)
    means = torch.atanh(torch.tensor(action).clamp(-0.999, 0.999))
    still = torch.zeros(10, 512)
    return save(path, kind, actor_critic__actor__mu__bias=means, actor_critic__actor__mu__weight=still)

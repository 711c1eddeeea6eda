"""A PixNav checkpoint: its tensors, and loading them into the network."""

from __future__ import annotations

from pathlib import Path

from skills.checkpoints import CheckpointFormat, TensorLayout, load_frozen, shapes_of
from skills.checkpoints.writing import random_tensors, write_torch
from skills.pixnav.network import PixNavNetwork


def _layout() -> TensorLayout:
    return TensorLayout(shapes_of(PixNavNetwork))


CHECKPOINT = CheckpointFormat(
    policy="pixnav",
    prefixes=("history_backbone.", "goal_backbone.", "dt_policy."),
    layouts={"pixnav": _layout},
    writers={"pixnav": lambda path, seed: write_torch(path, random_tensors(_layout(), seed))},
    use="--skills pixnav:{path}",
)


def load_network(path: Path) -> tuple[PixNavNetwork, str]:
    """Return the network with the weights of a checkpoint, and the file's SHA-256. Raises BadInput, MissingPart."""
    return load_frozen(PixNavNetwork(), path, CHECKPOINT)

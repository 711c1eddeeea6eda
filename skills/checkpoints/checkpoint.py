"""One checkpoint, whatever its form: what was read, and from which file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The weights in a file and what else the file says.

    Attributes:
        path: The file that was read.
        form: `torch zip`, `torch legacy`, `safetensors` or `flax msgpack`.
        sha256: Of that file, hex.
        tensors: By flat name, on the CPU, with the file's own types; names of flax trees are joined by "/".
        step: The training step, if the file or the folder's name says.
        config: The configuration inside the file (M3).
        extras: Parsed JSON files of the same release by file name (Octo).
        notes: Which part of the file was read, and what was taken away from its names.
    """

    path: Path
    form: str
    sha256: str
    tensors: Mapping[str, torch.Tensor] = field(repr=False)
    step: int | None = None
    config: Mapping[str, object] = field(default_factory=dict, repr=False)
    extras: Mapping[str, object] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def parameters(self) -> int:
        """How many numbers were learned, as papers count them: without running statistics and fixed tables."""
        return sum(tensor.numel() for name, tensor in self.tensors.items() if not _is_buffer(name))


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader finds in a file; see Checkpoint."""

    tensors: Mapping[str, torch.Tensor]
    step: int | None = None
    config: Mapping[str, object] = field(default_factory=dict)
    note: str = ""


def _is_buffer(name: str) -> bool:
    return name.startswith("batch_stats/") or name.endswith(
        (".running_mean", ".running_var", ".num_batches_tracked", ".pos_enc")
    )

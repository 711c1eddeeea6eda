"""A checkpoint of any file format: its content, and the file that it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The weights and metadata of a file.

    Attributes:
        path: The file that was read.
        form: `torch zip`, `torch legacy`, `safetensors` or `flax msgpack`.
        sha256: Checksum of that file, hex.
        tensors: Tensors by flat name, on the CPU, with the file's own types; names of flax trees are joined by "/".
        step: The training step, if the file or the folder's name gives it.
        config: The configuration inside the file (M3).
        extras: Parsed JSON files of the same release by file name (Octo).
        notes: Part of the file that was read, and the prefixes removed from its names.
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
        """Number of learned parameters, as papers count them: without running statistics and fixed tables."""
        return sum(tensor.numel() for name, tensor in self.tensors.items() if not _is_buffer(name))


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a file as a reader returns it; see Checkpoint."""

    tensors: Mapping[str, torch.Tensor]
    step: int | None = None
    config: Mapping[str, object] = field(default_factory=dict)
    note: str = ""


def _is_buffer(name: str) -> bool:
    return name.startswith("batch_stats/") or name.endswith(
        (".running_mean", ".running_var", ".num_batches_tracked", ".pos_enc")
    )

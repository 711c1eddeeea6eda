"""Random weights in the official layouts, and writers of files in the authors' formats."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgpack
import torch

from skills.checkpoints.flax_files import ARRAY
from skills.checkpoints.formats import TensorLayout


def random_tensors(layout: TensorLayout, seed: int) -> dict[str, torch.Tensor]:
    """Return random values for every tensor of a layout: norms near one, small biases, kernels that keep the scale."""
    return {name: _tensor(name, template, seed) for name, template in {**layout.needed, **layout.spare}.items()}


def _tensor(name: str, template: torch.Tensor, seed: int) -> torch.Tensor:
    source = torch.Generator().manual_seed(zlib.crc32(f"{seed} {name}".encode()))
    leaf = name.replace("/", ".").rpartition(".")[2]
    if not template.is_floating_point():
        return torch.zeros(template.shape, dtype=template.dtype)
    if leaf in ("running_var", "var"):
        return torch.rand(template.shape, generator=source) + 0.5
    values = torch.randn(template.shape, generator=source)
    if leaf == "scale" or (leaf == "weight" and template.ndim == 1):
        return 1 + 0.1 * values
    if template.ndim < 2:
        return 0.05 * values
    # Flax has the outputs of a kernel last, torch first.
    inputs = template.shape[:-1] if "/" in name else template.shape[1:]
    return values / math.sqrt(math.prod(inputs))


def write_torch(path: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a new file of `torch.save`. Raises OSError."""
    with path.open("xb") as file:
        torch.save(dict(tensors), file)


def write_flax(path: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a file as `flax.serialization` does. Raises OSError."""
    tree: dict[str, Any] = {}
    for name, tensor in tensors.items():
        *folders, leaf = name.split("/")
        branch = tree
        for folder in folders:
            branch = branch.setdefault(folder, {})
        array = tensor.numpy()
        branch[leaf] = msgpack.ExtType(ARRAY, msgpack.packb((array.shape, array.dtype.name, array.tobytes())))
    path.write_bytes(msgpack.packb(tree))

"""Random numbers in the official layouts, and files of them as the authors write theirs."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgpack
import torch

from skills.checkpoints.flax_files import ARRAY
from skills.checkpoints.layouts import layout
from skills.m3.layout import LAYOUTS

DATA_SETS = ("bridge_dataset", "fractal20220817_data")
"""Of whose statistics a release has some."""


def generated(kind: str, seed: int) -> dict[str, torch.Tensor]:
    """Random numbers for every tensor of a layout: norms near one, small biases, kernels that keep the scale."""
    wanted = layout(kind)
    return {name: _tensor(name, like, seed) for name, like in {**wanted.needed, **wanted.spare}.items()}


def _tensor(name: str, like: torch.Tensor, seed: int) -> torch.Tensor:
    source = torch.Generator().manual_seed(zlib.crc32(f"{seed} {name}".encode()))
    leaf = name.replace("/", ".").rpartition(".")[2]
    if not like.is_floating_point():
        return torch.zeros(like.shape, dtype=like.dtype)
    if leaf in ("running_var", "var"):
        return torch.rand(like.shape, generator=source) + 0.5
    values = torch.randn(like.shape, generator=source)
    if leaf == "scale" or (leaf == "weight" and like.ndim == 1):
        return 1 + 0.1 * values
    if like.ndim < 2:
        return 0.05 * values
    # Flax has the outputs of a kernel last, torch first.
    inputs = like.shape[:-1] if "/" in name else like.shape[1:]
    return values / math.sqrt(math.prod(inputs))


def _torch_file(kind: str) -> Callable[[Path, int], None]:
    def write(path: Path, seed: int) -> None:
        with path.open("xb") as file:
            torch.save(generated(kind, seed), file)

    return write


def _write_rt1x(path: Path, seed: int) -> None:
    path.write_bytes(_flax(generated("rt1x", seed)))


def _write_m3(folder: Path, seed: int) -> None:
    folder.mkdir()
    for number, (name, one) in enumerate(LAYOUTS.items()):
        state = generated("m3-navigation" if one.discrete else "m3-manipulation", seed + number)
        torch.save({"config": {}, "state_dict": state, "num_steps_done": 0}, folder / f"{name}.pth")


def _octo_release(size: str) -> Callable[[Path, int], None]:
    """The folder of a release, but for T5, which never saw training: texts come from a table."""

    def write(folder: Path, seed: int) -> None:
        place = folder / "0/default"
        place.mkdir(parents=True)
        (place / "checkpoint").write_bytes(_flax(generated(f"octo-{size}", seed)))
        model = {"repeat_task_tokens": True, "use_correct_attention": True}
        action = {"mean": [0.0] * 7, "std": [0.01] * 6 + [1.0], "mask": [True] * 6 + [False]}
        for name, said in (
            ("config.json", {"model": model, "generated": f"random weights, seed {seed}"}),
            ("dataset_statistics.json", {name: {"action": action} for name in DATA_SETS}),
        ):
            (folder / name).write_text(json.dumps(said, indent=1), encoding="utf-8")

    return write


def _flax(tensors: Mapping[str, torch.Tensor]) -> bytes:
    """A tree as `flax.serialization` writes it."""
    tree: dict[str, Any] = {}
    for name, tensor in tensors.items():
        *folders, leaf = name.split("/")
        branch = tree
        for folder in folders:
            branch = branch.setdefault(folder, {})
        array = tensor.numpy()
        branch[leaf] = msgpack.ExtType(ARRAY, msgpack.packb((array.shape, array.dtype.name, array.tobytes())))
    packed: bytes = msgpack.packb(tree)
    return packed


WRITERS: Mapping[str, Callable[[Path, int], None]] = {
    "nomad": _torch_file("nomad"),
    "pixnav": _torch_file("pixnav"),
    "rt1x": _write_rt1x,
    "octo": _octo_release("small"),
    "octo-base": _octo_release("base"),
    "m3": _write_m3,
}
"""What can be written, and by what."""

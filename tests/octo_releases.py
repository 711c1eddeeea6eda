"""Folders in the layout of a release of Octo, with generated weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import msgpack
import numpy as np
from golden_policies import FOLDER, tensors

STATISTICS = {
    "bridge_dataset": {
        "action": {
            "mean": [0.0] * 6 + [0.5],
            "std": [0.004] * 3 + [0.01] * 3 + [0.5],
            "mask": [True] * 6 + [False],
        }
    },
    "fractal20220817_data": {"action": {"mean": [0.01] * 7, "std": [0.02] * 7}},
}
CONFIG = {"model": {"repeat_task_tokens": True, "use_correct_attention": True}, "generated": True}


def pack_tree(tree: object) -> bytes:
    """As flax writes a tree of arrays."""

    def extension(value: object) -> msgpack.ExtType:
        array = np.asarray(value)
        return msgpack.ExtType(1, msgpack.packb((array.shape, array.dtype.name, array.tobytes())))

    return msgpack.packb(tree, default=extension)


def nest(flat: Mapping[str, object]) -> dict[str, object]:
    """A tree from names joined by slashes."""
    tree: dict[str, object] = {}
    for name, value in flat.items():
        *folders, leaf = name.split("/")
        branch = tree
        for folder in folders:
            branch = branch.setdefault(folder, {})  # type: ignore[assignment]
        branch[leaf] = value
    return tree


TINY = {"octo_transformer/a": np.zeros(1, np.float32), "heads_action/a": np.zeros(1, np.float32)}
"""Enough to be taken for Octo's, until it is loaded."""


def write(folder: Path, *, config: object = CONFIG, statistics: object = STATISTICS, whole: bool = True) -> Path:
    """A release of octo-small with the golden weights of seed 401; not whole: with hardly any."""
    (folder / "300000/default").mkdir(parents=True)
    flat = {name: tensor.numpy() for name, tensor in tensors(FOLDER / "octo_small", 401).items()} if whole else TINY
    (folder / "300000/default/checkpoint").write_bytes(pack_tree(nest(flat)))
    for name, content in (("config.json", config), ("dataset_statistics.json", statistics)):
        if content is not None:
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def table(path: Path, *texts: str) -> Path:
    """A table of generated embeddings for texts."""
    embeddings = np.random.default_rng(0).normal(0, 0.2, (len(texts), 16, 768)).astype(np.float32)
    np.savez(path, texts=np.array(texts), embeddings=embeddings)
    return path

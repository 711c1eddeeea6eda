"""The golden vectors of policies: official outputs for weights and inputs that a generator makes from seeds."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

FOLDER = Path(__file__).parent / "golden/policies"


@cache
def generator() -> ModuleType:
    """`weights.py` of the golden vectors."""
    spec = importlib.util.spec_from_file_location("golden_policy_weights", FOLDER / "weights.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors(folder: Path, seed: int) -> dict[str, torch.Tensor]:
    """Generated weights for every entry of a policy's manifest, in the order of the file."""
    import torch

    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    source = generator()
    return {
        parameter["name"]: torch.from_numpy(source.tensor(parameter["name"], parameter["shape"], seed))
        for parameter in manifest["params"]
    }


def load(module: torch.nn.Module, folder: Path, seed: int, unused: Collection[str] = ()) -> None:
    """Generated weights into a network, strictly."""
    from skills.checkpoints import load_strict

    load_strict(module, tensors(folder, seed), policy=folder.name, path=folder, unused=unused)

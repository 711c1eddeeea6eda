"""Merge two LoRA adapters, one trained on top of the other, into one."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from planners.llm.local.adapters import ADAPTER_WEIGHTS

CONFIG = "adapter_config.json"
_A, _B = ".lora_A.weight", ".lora_B.weight"


def joined(first: Path, second: Path, out: Path) -> None:
    """Write an adapter equivalent to two, the second of which was trained with the first merged into the model.

    B1 A1 s1 + B2 A2 s2 is one matrix product: A1 stacked on A2, and B1 s1 next to B2 s2. Its rank is the sum of theirs.

    Raises:
        BadInput: They are for different layers, or of a kind that cannot be joined.
    """
    configs = [load_json(folder / CONFIG, lax=True) for folder in (first, second)]
    weights = [load_file(folder / ADAPTER_WEIGHTS) for folder in (first, second)]
    for folder, config, tensors in zip((first, second), configs, weights, strict=True):
        only_lora = all(name.endswith((_A, _B)) for name in tensors)
        if config["peft_type"] != "LORA" or config.get("use_rslora") or config.get("use_dora") or not only_lora:
            raise BadInput(
                f"The adapter {folder} is not a plain LoRA, so nothing can be joined to it: merge it instead."
            )
    if set(weights[0]) != set(weights[1]):
        raise BadInput(
            f"The adapters {first} and {second} are for other layers: begin with an adapter of `homie train`."
        )
    scales = [config["lora_alpha"] / config["r"] for config in configs]
    joined_weights = {}
    for name in weights[0]:
        first_weight, other = weights[0][name], weights[1][name].to(weights[0][name].dtype)
        if name.endswith(_A):
            joined_weights[name] = torch.cat([first_weight, other])
        else:
            joined_weights[name] = torch.cat([first_weight * scales[0], other * scales[1]], dim=1).contiguous()
    rank = configs[0]["r"] + configs[1]["r"]
    config = {**configs[0], "r": rank, "lora_alpha": rank, "rank_pattern": {}, "alpha_pattern": {}}
    save_file(joined_weights, out / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (out / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")

"""LoRA adapters: where they go, and two of them, one learnt on top of the other, as one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import peft
import torch
from safetensors.torch import load_file, save_file

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from planners.llm.local.adapters import ADAPTER_WEIGHTS

CONFIG = "adapter_config.json"
_EYES = re.compile(r"vision|visual|image_tower|video_tower|projector|connector|lm_head")
"""Parts of models that see; as in EMMOE, only the language model is trained."""
_A, _B = ".lora_A.weight", ".lora_B.weight"


def new_adapter(model: Any, rank: int, alpha: int) -> peft.LoraConfig:
    """The configuration of an adapter on the language model of a model."""
    return peft.LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets_of(model), task_type="CAUSAL_LM")


def targets_of(model: Any) -> list[str]:
    """The names of the layers of a model's language model that get an adapter: all that are linear."""
    return [
        name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear) and not _EYES.search(name)
    ]


class _Product(torch.autograd.Function):  # type: ignore[misc]
    """x W' + x A' B' s in the precision of W."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, a: torch.Tensor, b: torch.Tensor, scale: float
    ) -> torch.Tensor:
        a, b = a.to(weight.dtype), (b * scale).to(weight.dtype)
        rows = x.reshape(-1, x.shape[-1])
        inner = rows @ a.T
        ctx.save_for_backward(rows, weight, a, b, inner)
        ctx.scale, ctx.shape = scale, x.shape
        return torch.addmm(rows @ weight.T, inner, b.T).reshape(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        rows, weight, a, b, inner = ctx.saved_tensors
        gradient = gradients[0].reshape(-1, gradients[0].shape[-1])
        through = gradient @ b
        to_x = torch.addmm(gradient @ weight, through, a).reshape(ctx.shape)
        return to_x, None, (through.T @ rows).float(), (gradient.T @ inner).float() * ctx.scale, None


def in_low_precision(model: Any) -> None:
    """Let the adapter of a bfloat16 model multiply in bfloat16 while it is trained.

    PEFT keeps its matrices in float32 and converts every activation to that, which on a CPU takes longer than the
    products. Here the matrices are converted; the optimiser still works on float32. The effect on the result is the
    rounding of bfloat16.

    Args:
        model: With a LoRA adapter named `default`, as the trainer has made it.
    """
    for layer in model.modules():
        if not isinstance(layer, peft.tuners.lora.Linear) or layer.base_layer.bias is not None:
            continue
        if layer.base_layer.weight.dtype == torch.bfloat16:
            layer.forward = _Layer(layer)


class _Layer:
    """The forward pass of a LoRA layer that has no bias and no dropout; plain where PEFT disables the adapter."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._weight = layer.base_layer.weight
        self._a, self._b = layer.lora_A["default"].weight, layer.lora_B["default"].weight
        self._scale = layer.scaling["default"]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if self._layer.disable_adapters:  # as DPO does for its reference
            return torch.nn.functional.linear(x, self._weight)
        result: torch.Tensor = _Product.apply(x, self._weight, self._a, self._b, self._scale)
        return result


def joined(first: Path, second: Path, out: Path) -> None:
    """Write one adapter that does what two do, the second of which was learnt with the first merged into the model.

    B1 A1 s1 + B2 A2 s2 is one product of matrices: A1 above A2, and B1 s1 beside B2 s2. Its rank is the sum of theirs.

    Raises:
        BadInput: They are for other layers, or of a kind that cannot be joined.
    """
    configs = [load_json(folder / CONFIG, lax=True) for folder in (first, second)]
    weights = [load_file(folder / ADAPTER_WEIGHTS) for folder in (first, second)]
    for folder, config, tensors in zip((first, second), configs, weights, strict=True):
        plain = all(name.endswith((_A, _B)) for name in tensors)
        if config["peft_type"] != "LORA" or config.get("use_rslora") or config.get("use_dora") or not plain:
            raise BadInput(
                f"The adapter {folder} is not a plain LoRA, so nothing can be joined to it: merge it instead."
            )
    if set(weights[0]) != set(weights[1]):
        raise BadInput(
            f"The adapters {first} and {second} are for other layers: begin with an adapter of `homie train`."
        )
    scales = [config["lora_alpha"] / config["r"] for config in configs]
    together = {}
    for name in weights[0]:
        ours, other = weights[0][name], weights[1][name].to(weights[0][name].dtype)
        if name.endswith(_A):
            together[name] = torch.cat([ours, other])
        else:
            together[name] = torch.cat([ours * scales[0], other * scales[1]], dim=1).contiguous()
    rank = configs[0]["r"] + configs[1]["r"]
    config = {**configs[0], "r": rank, "lora_alpha": rank, "rank_pattern": {}, "alpha_pattern": {}}
    save_file(together, out / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (out / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")

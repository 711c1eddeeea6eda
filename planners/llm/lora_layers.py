"""Target layers of LoRA adapters, and their forward pass in low precision."""

from __future__ import annotations

import re
from typing import Any

import peft
import torch

_UNTRAINED = re.compile(r"vision|visual|image_tower|video_tower|projector|connector|lm_head")
"""Names of vision modules and the output layer; as in EMMOE, only the language model is trained."""


def new_adapter(model: Any, rank: int, alpha: int) -> peft.LoraConfig:
    """Return the configuration of an adapter on the language model of a model."""
    return peft.LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets_of(model), task_type="CAUSAL_LM")


def targets_of(model: Any) -> list[str]:
    """Return the names of all linear layers of a model's language model, which get an adapter."""
    return [
        name
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and not _UNTRAINED.search(name)
    ]


class _Product(torch.autograd.Function):  # type: ignore[misc]
    """Compute x W' + x A' B' s in the precision of W."""

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
        gradient_b = gradient @ b
        to_x = torch.addmm(gradient @ weight, gradient_b, a).reshape(ctx.shape)
        return to_x, None, (gradient_b.T @ rows).float(), (gradient.T @ inner).float() * ctx.scale, None


def in_low_precision(model: Any) -> None:
    """Compute the adapter of a bfloat16 model in bfloat16 during training.

    PEFT keeps its matrices in float32 and converts every activation to float32, which on a CPU takes longer than the
    products. Here the matrices are converted instead; the optimiser still works on float32. The result differs by the
    rounding of bfloat16.

    Args:
        model: With a LoRA adapter named `default`, as created by the trainer.
    """
    for layer in model.modules():
        if not isinstance(layer, peft.tuners.lora.Linear) or layer.base_layer.bias is not None:
            continue
        if layer.base_layer.weight.dtype == torch.bfloat16:
            layer.forward = _Layer(layer)


class _Layer:
    """Forward pass of a LoRA layer without bias and dropout; without the adapter where PEFT disables it."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._weight = layer.base_layer.weight
        self._a, self._b = layer.lora_A["default"].weight, layer.lora_B["default"].weight
        self._scale = layer.scaling["default"]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if self._layer.disable_adapters:  # by DPO, for its reference model
            return torch.nn.functional.linear(x, self._weight)
        result: torch.Tensor = _Product.apply(x, self._weight, self._a, self._b, self._scale)
        return result

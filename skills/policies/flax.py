"""View of a torch module under the names and shapes of a flax checkpoint.

Flax stores kernels as (inputs, outputs) and (rows, columns, inputs, outputs), and splits attention into heads. A
`FlaxView` is filled by naming pairs of layers, ours and theirs. It holds views of our tensors in their shapes, so that
values are copied from the file only once; `skills.checkpoints.load_strict` loads it like a module.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn


class FlaxView:
    """The tensors of a module, by their names in the file."""

    def __init__(self, module: nn.Module) -> None:
        self._torch_tensors: Mapping[str, torch.Tensor] = module.state_dict()
        self._flax_tensors: dict[str, torch.Tensor] = {}

    def tensor(self, torch_name: str, flax_name: str, shape: tuple[int, ...] | None = None) -> None:
        """Add a tensor without permutation.

        Args:
            shape: Shape in the file, if it splits dimensions or adds dimensions of 1.
        """
        value = self._torch_tensors[torch_name]
        self._flax_tensors[flax_name] = value if shape is None else value.view(shape)

    def linear(
        self,
        torch_name: str,
        flax_name: str,
        *,
        bias: bool = True,
        inputs: tuple[int, ...] = (-1,),
        outputs: tuple[int, ...] = (-1,),
    ) -> None:
        """Add an nn.Linear.

        Args:
            inputs, outputs: The dimensions into which the file splits its sides, e.g. (heads, width).
        """
        kernel = self._torch_tensors[f"{torch_name}.weight"].mT
        self._flax_tensors[f"{flax_name}/kernel"] = kernel.unflatten(-1, outputs).unflatten(0, inputs)
        if bias:
            self.tensor(f"{torch_name}.bias", f"{flax_name}/bias", outputs)

    def conv(self, torch_name: str, flax_name: str, *, bias: bool = False) -> None:
        """Add an nn.Conv2d."""
        self._flax_tensors[f"{flax_name}/kernel"] = self._torch_tensors[f"{torch_name}.weight"].permute(2, 3, 1, 0)
        if bias:
            self.tensor(f"{torch_name}.bias", f"{flax_name}/bias")

    def depthwise(self, torch_name: str, flax_name: str) -> None:
        """Add a depthwise nn.Conv2d (as many groups as channels), without bias."""
        self._flax_tensors[f"{flax_name}/depthwise_kernel"] = self._torch_tensors[f"{torch_name}.weight"].permute(
            2, 3, 0, 1
        )

    def norm(self, torch_name: str, flax_name: str) -> None:
        """Add a layer or group normalisation."""
        self.tensor(f"{torch_name}.weight", f"{flax_name}/scale")
        self.tensor(f"{torch_name}.bias", f"{flax_name}/bias")

    def batch_norm(self, torch_name: str, flax_name: str, statistics: str) -> None:
        """Add a batch normalisation, whose running statistics are in another tree of the file."""
        self.norm(torch_name, flax_name)
        self.tensor(f"{torch_name}.running_mean", f"{statistics}/mean")
        self.tensor(f"{torch_name}.running_var", f"{statistics}/var")

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return views of the module's tensors, with the names and shapes of the file."""
        return dict(self._flax_tensors)

    def load_state_dict(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Copy tensors into the module. Names and shapes are those of `state_dict`."""
        for name, view in self._flax_tensors.items():
            view.copy_(tensors[name])

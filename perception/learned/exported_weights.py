"""Initial weights from an exported file, so that the shipped detector can be trained further.

In the file the convolutions have taken in their batch norms. Here each batch norm gets back the statistics of its
inputs on some pictures, with a scale and an offset that leave the outputs as they are.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import numpy_helper
from torch import nn

from perception.learned.network import Network

GROWN = 2.5
"""Norm of a kernel before a batch norm, relative to that of a new network. Its scale does not change the outputs, but
the size of a training step relative to it; kernels grow in training, and the exported ones lack that scale."""

READ = ("names", "calibration")
"""Metadata of the file that are used."""


def read_export(path: Path, pictures: Callable[[], torch.Tensor]) -> tuple[list[str], dict[str, torch.Tensor]]:
    """Return the classes of an exported file, and the state of a network with the same outputs before calibration.

    Args:
        path: `detector.onnx` of a training, or the shipped file.
        pictures: Returns some pictures (n, 3, H, W) of the kind that the network will see, in 0..1.

    Raises:
        ValueError, TypeError: The file is not one that `export` writes.
        OSError: It cannot be read.
    """
    try:
        model = onnx.load_model_from_string(path.read_bytes())
    except DecodeError as error:
        raise ValueError("it is no ONNX file") from error
    metadata = {entry.key: json.loads(entry.value) for entry in model.metadata_props if entry.key in READ}
    names, calibration = metadata.get("names"), metadata.get("calibration", [1.0, 0.0])
    if not isinstance(names, dict) or not names:
        raise ValueError("it names no classes")
    if not isinstance(calibration, list) or len(calibration) != 2 or not float(calibration[0]) > 0.0:
        raise ValueError(f"its calibration is {calibration}, and a positive slope and an offset are needed")
    slope, logit_offset = map(float, calibration)
    classes = [name for _, name in sorted((int(number), name) for number, name in names.items())]
    network = Network(classes).eval()
    modules = _convolutions(network)
    weights = _folded_weights(model.graph)
    shapes = [tuple(module.weight.shape) for module in modules]
    if shapes != [tuple(kernel.shape) for kernel, _ in weights]:
        raise ValueError("it has other layers")
    norms = _norms(network)
    for module, (kernel, offset) in zip(modules, weights, strict=True):
        norm = norms.get(module)
        if norm is not None:
            new_norm = module.weight.detach().flatten(1).norm(dim=1).mean()
            scale = GROWN * new_norm / kernel.flatten(1).norm(dim=1).clamp(min=1e-6)
            kernel = kernel * scale[:, None, None, None]
            norm.register_forward_pre_hook(_statistics_setter(scale, offset))
        elif module.bias is not None:
            module.bias.data.copy_(offset)
        module.weight.data.copy_(kernel)
    with torch.no_grad():
        network(pictures())
    network.calibrate(1.0 / slope, -logit_offset / slope)
    return classes, network.state_dict()


def _statistics_setter(scale: torch.Tensor, offset: torch.Tensor) -> Callable[[nn.Module, tuple[torch.Tensor]], None]:
    """Return a hook that sets a batch norm to undo the scale of its kernels and to add their offset."""

    def set_statistics(norm: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        mean, variance = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3), unbiased=False)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_((variance + norm.eps).sqrt() / scale)
        norm.bias.data.copy_(offset + mean / scale)

    return set_statistics


def _convolutions(network: Network) -> list[nn.Conv2d]:
    """Return the convolutions in the order of their execution, which is that of the exported nodes."""
    order: list[nn.Conv2d] = []
    handles = [
        module.register_forward_hook(lambda module, inputs, output: order.append(module))
        for module in network.modules()
        if isinstance(module, nn.Conv2d)
    ]
    with torch.no_grad():
        network(torch.zeros(1, 3, 64, 64))
    for handle in handles:
        handle.remove()
    return order


def _norms(network: Network) -> dict[nn.Conv2d, nn.BatchNorm2d]:
    """Return the batch norm after each convolution that has one."""
    layers = [module for module in network.modules() if isinstance(module, nn.Conv2d | nn.BatchNorm2d)]
    return {
        layer: following
        for layer, following in itertools.pairwise(layers)
        if isinstance(layer, nn.Conv2d) and isinstance(following, nn.BatchNorm2d)
    }


def _folded_weights(graph: onnx.GraphProto) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return kernel and offset of each convolution, stored in single or half precision."""
    arrays = {tensor.name: numpy_helper.to_array(tensor).astype(np.float32) for tensor in graph.initializer}
    tensors = {name: torch.tensor(array) for name, array in arrays.items()}
    casts = [node for node in graph.node if node.op_type == "Cast" and node.input[0] in tensors]
    tensors |= {node.output[0]: tensors[node.input[0]] for node in casts}
    nodes = [node for node in graph.node if node.op_type == "Conv"]
    if any(len(node.input) < 3 or not {*node.input[1:]} <= tensors.keys() for node in nodes):
        raise ValueError("a convolution has no weights of its own")
    return [(tensors[node.input[1]], tensors[node.input[2]]) for node in nodes]

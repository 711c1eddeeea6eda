"""Export of a trained network to ONNX, in a YOLO layout that `yolo-onnx` reads, with the filled cells as well.

    boxes    (n, 4 + classes, candidates)   centre, size in pixels and a score per class; 0 for all but the peaks
    filled   (n, H/4, W/4) int32            the class of each fine cell, the number of classes for none

Weights are stored in half precision, at half the size; they are used in single precision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from perception.learned.network import Network, boxes_of, peaks_of

OPSET = 18
LEAST_STORED = 1024
"""Smallest number of elements of a tensor that is stored in half precision."""


class Exported(nn.Module):
    """Network with the outputs of the exported file."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        number = max(network.groups) + 1
        groups = torch.tensor(network.groups)
        self.register_buffer("of_group", torch.stack([groups == group for group in range(number)]).float())

    def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = self.network(pictures)
        x0, y0, x1, y1 = boxes_of(outputs.sides).unbind(2)
        boxes = torch.stack(((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0), dim=1).flatten(2)
        scores = peaks_of(outputs.scores).unsqueeze(2) * self.of_group.t()[None, :, :, None, None]
        return torch.cat((boxes, scores.flatten(2)), dim=1), outputs.filled.argmax(1).int()


def export(
    network: Network, classes: Sequence[str], size: tuple[int, int], path: Path, facts: Mapping[str, str]
) -> None:
    """Write the network to a file, for any number and size of pictures with sides that are multiples of 32.

    Args:
        size: Width and height of the training pictures, the default input size.
        facts: More metadata.
    """
    exported = Exported(network).eval()
    names = ("boxes", "filled")
    axes = {"images": {0: "n", 2: "height", 3: "width"}, "boxes": {0: "n", 2: "m"}, "filled": {0: "n", 1: "h", 2: "w"}}
    example = torch.zeros(1, 3, size[1], size[0])
    torch.onnx.export(
        exported,
        (example,),
        path,
        input_names=["images"],
        output_names=list(names),
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(path)
    _halve(model.graph)
    metadata = {
        "task": "detect",
        "names": json.dumps(dict(enumerate(classes))),
        "imgsz": json.dumps([size[1], size[0]]),
        "filled": "1",
        **facts,
    }
    onnx.helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _halve(graph: onnx.GraphProto) -> None:
    """Store large tensors in half precision, with a cast to single precision before their use."""
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < LEAST_STORED:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}/half"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}/half"], [name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.node.insert(0, cast)

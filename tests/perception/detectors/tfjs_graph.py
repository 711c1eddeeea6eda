"""A detector that is published as a graph of TensorFlow.js, as the ONNX network that an exporter of YOLO would write.

It takes pictures of 1 x 3 x H x W from 0 to 1 and gives its end-to-end table. Only the operations of the networks that
the tests use are here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NHWC, NCHW = [0, 2, 3, 1], [0, 3, 1, 2]
ALIKE = {"Add": "Add", "Sub": "Sub", "Mul": "Mul", "FloorDiv": "Div", "FloorMod": "Mod", "Relu": "Relu"}
ALIKE |= {"Sigmoid": "Sigmoid", "Equal": "Equal", "Identity": "Identity", "GatherV2": "Gather", "Reshape": "Reshape"}


class Graph:
    """The nodes of the ONNX network while they are written; tensors keep the names of TensorFlow."""

    def __init__(self, constants: Mapping[str, np.ndarray]) -> None:
        self.constants = constants
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, np.ndarray] = dict(constants)

    def put(self, operation: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operation, inputs, [name], **attributes))
        return name

    def constant(self, name: str, value: np.ndarray) -> str:
        self.weights[name] = value
        return name

    def turned(self, name: str, permutation: list[int], to: str) -> str:
        return self.put("Transpose", [name], to, perm=permutation)

    def convolution(self, name: str, inputs: list[str], attributes: dict[str, Any], deep: bool) -> None:
        kernel = self.constants[inputs[1]]  # height, width, in, out; of a depthwise one: height, width, in, times
        kernel = (
            kernel.transpose(2, 3, 0, 1).reshape(-1, 1, *kernel.shape[:2]) if deep else kernel.transpose(3, 2, 0, 1)
        )
        groups = self.constants[inputs[1]].shape[2] if deep else 1
        names = [self.turned(inputs[0], NCHW, f"{name}/in"), self.constant(f"{name}/kernel", kernel), *inputs[2:]]
        padding = {"SAME": "SAME_UPPER", "VALID": "VALID"}[text(attributes["padding"])]
        strides = [int(step) for step in attributes["strides"]["list"]["i"][1:3]]
        out = self.put("Conv", names, f"{name}/conv", auto_pad=padding, strides=strides, group=groups)
        fused = [
            base64.b64decode(item).decode() for item in attributes.get("fused_ops", {"list": {}})["list"].get("s", [])
        ]
        if "Relu" in fused:
            out = self.put("Relu", [out], f"{name}/relu")
        assert set(fused) <= {"BiasAdd", "Relu"}
        self.turned(out, NHWC, name)


def text(attribute: Mapping[str, str]) -> str:
    return base64.b64decode(attribute["s"]).decode()


def numbers(graph: Graph, name: str) -> list[int]:
    return [int(number) for number in graph.constants[name].ravel()]


def add_resize(graph: Graph, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
    assert not attributes["align_corners"]["b"] and not attributes["half_pixel_centers"]["b"]
    inside = graph.turned(inputs[0], NCHW, f"{name}/in")
    scales = graph.constant(f"{name}/scales", np.array([1, 1, 2, 2], np.float32))
    way = {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}
    graph.turned(graph.put("Resize", [inside, "", scales], f"{name}/out", **way), NHWC, name)


def add_pool(graph: Graph, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
    inside = graph.turned(inputs[0], NCHW, f"{name}/in")
    window = [int(side) for side in attributes["ksize"]["list"]["i"][1:3]]
    graph.turned(graph.put("MaxPool", [inside], f"{name}/out", kernel_shape=window, auto_pad="SAME_UPPER"), NHWC, name)


def add_slice(graph: Graph, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
    assert attributes["begin_mask"]["i"] == attributes["end_mask"]["i"] == "3"  # all of the first two axes
    start, stop = (graph.constant(f"{name}/{k}", graph.constants[inputs[k]][2:].astype(np.int64)) for k in (1, 2))
    graph.put("Slice", [inputs[0], start, stop, graph.constant(f"{name}/axis", np.array([2]))], name)


WRITERS: dict[str, Callable[[Graph, str, list[str], dict[str, Any]], None]] = {
    "_FusedConv2D": lambda graph, *node: graph.convolution(*node, deep=False),
    "Conv2D": lambda graph, *node: graph.convolution(*node, deep=False),
    "FusedDepthwiseConv2dNative": lambda graph, *node: graph.convolution(*node, deep=True),
    "DepthwiseConv2dNative": lambda graph, *node: graph.convolution(*node, deep=True),
    "ResizeBilinear": add_resize,
    "MaxPool": add_pool,
    "StridedSlice": add_slice,
    "Relu6": lambda graph, name, inputs, _: graph.put(
        "Clip",
        [*inputs, graph.constant("zero", np.array(0, np.float32)), graph.constant("six", np.array(6, np.float32))],
        name,
    ),
    "Mean": lambda graph, name, inputs, _: graph.put("ReduceMean", inputs[:1], name, axes=numbers(graph, inputs[1])),
    "ConcatV2": lambda graph, name, inputs, _: graph.put(
        "Concat", inputs[:-1], name, axis=numbers(graph, inputs[-1])[0]
    ),
    "ExpandDims": lambda graph, name, inputs, _: graph.put(
        "Unsqueeze", [inputs[0], graph.constant(f"{name}/axes", graph.constants[inputs[1]].reshape(1))], name
    ),
    "Cast": lambda graph, name, inputs, _: graph.put("Cast", inputs, name, to=TensorProto.FLOAT),
}


def detector_of(model: Path, output: str, to: Path) -> Path:
    """Save the graph of a `model.json` and the weights beside it, up to one of its outputs."""
    description = json.loads(model.read_text())
    nodes = {node["name"]: node for node in description["modelTopology"]["node"]}
    graph = Graph(_constants(model, description))
    (source,) = (node for node in nodes.values() if node["op"] == "Placeholder")
    height, width = (int(side["size"]) for side in source["attr"]["shape"]["shape"]["dim"][1:3])
    bright = graph.put("Mul", ["images", graph.constant("white", np.array(255, np.float32))], "bright")
    graph.turned(bright, NHWC, source["name"])
    visited = {source["name"]}

    def write(name: str) -> None:
        node = nodes[name]
        if node["op"] == "Const" or name in visited:
            return
        visited.add(name)
        inputs = [part for part in node.get("input", []) if not part.startswith("^")]
        for part in inputs:
            write(part.partition(":")[0])
        if node["op"] == "TopKV2":
            k = graph.constant(f"{name}/k", np.array(numbers(graph, inputs[1])))
            graph.nodes.append(helper.make_node("TopK", [inputs[0], k], [name, f"{name}:1"]))
        elif node["op"] in WRITERS:
            WRITERS[node["op"]](graph, name, inputs, node.get("attr", {}))
        else:
            axis = {"axis": numbers(graph, inputs[2])[0]} if node["op"] == "GatherV2" else {}
            graph.put(ALIKE[node["op"]], inputs[: 2 if axis else None], name, **axis)

    write(output)
    return _save(graph, output, (height, width), to)


def _constants(model: Path, description: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The weights by name: float32 that is kept in 16 bits, and whole numbers, which ONNX wants in 64."""
    constants = {}
    for group in description["weightsManifest"]:
        content, start = b"".join((model.parent / path).read_bytes() for path in group["paths"]), 0
        for weight in group["weights"]:
            stored = np.dtype(weight.get("quantization", weight)["dtype"])
            count = int(np.prod(weight["shape"], dtype=int))
            values = np.frombuffer(content, stored, count, start).reshape(weight["shape"])
            start += count * stored.itemsize
            constants[weight["name"]] = values.astype(np.float32 if weight["dtype"] == "float32" else np.int64)
    return constants


def _save(graph: Graph, output: str, size: tuple[int, int], to: Path) -> Path:
    used = {name for node in graph.nodes for name in node.input}
    graph_proto = helper.make_graph(
        graph.nodes,
        "detector",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, *size])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, "rows", "columns"])],
        [numpy_helper.from_array(value, name) for name, value in graph.weights.items() if name in used],
    )
    model = helper.make_model(graph_proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, to)
    return to

"""Small real ONNX networks with known answers: they find red, green and blue, in each layout that YOLO exporters write.

A convolution of 8 x 8 pixels with a stride of 8 says how red, green and blue a cell is; the box of a candidate is its
cell. So what such a network must find in a picture can be counted by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CELL = 8
Layout = Literal["v5", "v8", "v8 turned", "end to end", "yolox", "yolox raw", "rt-detr", "rt-detr scores"]
SCALED: tuple[Layout, ...] = ("v5", "v8", "v8 turned", "end to end", "yolox", "yolox raw")
LAYOUTS: tuple[Layout, ...] = (*SCALED, "rt-detr", "rt-detr scores")
HALVED: tuple[Layout, ...] = ("v5", "yolox", "yolox raw")
"""Layouts with an objectness, which is 0.5 here."""
NAMES = "{0: 'red thing', 1: 'green thing', 2: 'blue thing'}"


def finder(
    path: Path,
    layout: Layout = "v8",
    size: tuple[int, int] = (256, 256),
    batch: int | str = 1,
    *,
    half: bool = False,
    open_size: bool = False,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Save the network for pictures of (width, height). Scores: colour less 0.7 of the two others; half if HALVED.

    batch: pictures at once, a name for any number. half: 16 bits. open_size: the file does not say the size.
    """
    kind, number = (TensorProto.FLOAT16, np.float16) if half else (TensorProto.FLOAT, np.float32)
    columns, rows = size[0] // CELL, size[1] // CELL
    y, x = np.mgrid[:rows, :columns].reshape(2, -1) * CELL + CELL / 2
    side = np.full_like(x, CELL)
    weights = np.full((3, 3, CELL, CELL), -0.7 / CELL**2)
    weights[range(3), range(3)] = 1.0 / CELL**2
    cells = columns * rows
    coarse = sum(-(-size[0] // stride) * -(-size[1] // stride) for stride in (16, 32))
    corners = np.stack([x - 4, y - 4, x + 4, y + 4])
    boxes = np.stack([x, y, side, side])
    if layout.startswith("rt-detr"):
        boxes /= np.array([*size, *size])[:, None]
    if layout.startswith("yolox"):  # it wants blue first, 0 to 255
        weights = weights[:, ::-1] / 255
    if layout == "yolox raw":
        boxes = np.stack([0.5 + 0 * x, 0.5 + 0 * x, 0 * x, 0 * x])
    constants = {
        "weights": weights.astype(number),
        "boxes": boxes[None].astype(number),
        "corners": corners[None].astype(number),
        "half": np.full((1, 1, cells), 0.5, number),
        "zero": np.array(0, number),
        "one": np.array(1, number),
        "shape": np.array([0, 3, cells]),
        "minus": np.array([-1]),
        "coarse": np.array([0, 0, 0, 0, 0, coarse if layout.startswith("yolox") else 0]),
    }
    nodes = [
        helper.make_node("Conv", ["images", "weights"], ["cells"], strides=[CELL, CELL]),
        helper.make_node("Clip", ["cells", "zero", "one"], ["clipped"]),
        helper.make_node("Reshape", ["clipped", "shape"], ["scores"]),
        # A constant for each picture of the batch.
        helper.make_node("Shape", ["scores"], ["all"], end=1),
        helper.make_node("Concat", ["all", "minus", "minus"], ["wide"], axis=0),
        helper.make_node("Abs", ["wide"], ["each"]),
        helper.make_node("Expand", ["corners" if layout == "end to end" else "boxes", "each"], ["places"]),
    ]
    if layout in ("end to end", "rt-detr"):
        nodes += [
            helper.make_node("ReduceMax", ["scores"], ["best"], axes=[1], keepdims=1),
            helper.make_node("ArgMax", ["scores"], ["index"], axis=1, keepdims=1),
            helper.make_node("Cast", ["index"], ["class"], to=kind),
            helper.make_node("Concat", ["places", "best", "class"], ["table"], axis=1),
        ]
    elif layout in HALVED:
        nodes += [
            helper.make_node("Expand", ["half", "each"], ["there"]),
            helper.make_node("Concat", ["places", "there", "scores"], ["fine"], axis=1),
            helper.make_node("Pad", ["fine", "coarse", "zero"], ["table"]),
        ]
    else:
        nodes.append(helper.make_node("Concat", ["places", "scores"], ["table"], axis=1))
    if layout == "v8":
        nodes.append(helper.make_node("Identity", ["table"], ["output0"]))
    else:
        nodes.append(helper.make_node("Transpose", ["table"], ["output0"], perm=[0, 2, 1]))
    sides: Sequence[int | str] = ("height", "width") if open_size else (size[1], size[0])
    graph = helper.make_graph(
        nodes,
        "finder",
        [helper.make_tensor_value_info("images", kind, [batch, 3, *sides])],
        [helper.make_tensor_value_info("output0", kind, ["pictures", "rows", "columns"])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return _save(graph, path, {"task": "detect", "names": NAMES} if metadata is None else metadata)


def constant(
    path: Path,
    answer: np.ndarray | Sequence[np.ndarray],
    size: tuple[int, int],
    names: str = NAMES,
    outputs: Sequence[str] = ("output0", "output1", "output2"),
) -> Path:
    """Save a network that finds the same in every picture: its output (1, a, b), or all of its named outputs."""
    answers = [answer] if isinstance(answer, np.ndarray) else answer
    graph = helper.make_graph(
        [
            helper.make_node("ReduceMax", ["images"], ["bright"], keepdims=0),
            helper.make_node("Mul", ["bright", "nothing"], ["zero"]),
            *(helper.make_node("Add", [f"answer{n}", "zero"], [outputs[n]]) for n in range(len(answers))),
        ],
        "constant",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, size[1], size[0]])],
        [
            helper.make_tensor_value_info(outputs[n], TensorProto.FLOAT, list(each.shape))
            for n, each in enumerate(answers)
        ],
        [
            *(numpy_helper.from_array(each.astype(np.float32), f"answer{n}") for n, each in enumerate(answers)),
            numpy_helper.from_array(np.array(0, np.float32), "nothing"),
        ],
    )
    return _save(graph, path, {"names": names})


def _save(graph: onnx.GraphProto, path: Path, metadata: dict[str, str]) -> Path:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path

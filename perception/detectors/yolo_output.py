"""Decoding of exported YOLO outputs. The layouts are distinguished by their shape, and where that fits two, by values.

| layout | shape for 640 x 640 and 80 classes | a candidate |
|---|---|---|
| YOLOv5, v7; v6 | (25200, 85); (8400, 85) with objectness 1 | centre, size, objectness, a score per class |
| YOLOv8 and later | (84, 8400), rarely (8400, 84) | centre, size, a score per class |
| end to end | (300, 6) | corners, score, class; already suppressed |
| YOLOX | (8400, 85) | as YOLOv5; without decoding, centre and logarithm of the size in strides from its cell |
| RT-DETR of Ultralytics | (300, 6), once (300, 84) | centre, size as shares of the picture; score, class or scores |
| RT-DETR of transformers | (300, 4) with (300, 80) | centre, size as shares; a logit per class |
| YOLO-NAS | (8400, 4) with (8400, 80) | corners, a score per class |

Networks for segmentation have 32 coefficients of a mask behind that of each candidate, and a second output for them.

Source: the exporters of `ultralytics/yolov5`, `ultralytics/ultralytics`, `meituan/YOLOv6` and
`Megvii-BaseDetection/YOLOX` (`tools/export_onnx.py`; `yolox/utils/demo_utils.py`, demo_postprocess), and of
transformers and modern-yolonas. Other boxes are in pixels of the network's input.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from homie.kernel.types import Array

Layout = Literal[
    "yolov5",
    "yolov8",
    "yolov8 rows",
    "end to end",
    "yolox",
    "yolox raw",
    "rt-detr",
    "rt-detr scores",
    "rt-detr logits",
    "corners",
]
STRIDES = (8, 16, 32)
"""Distance (pixels) between the candidates of each head."""
FOURTH_STRIDE = 64
"""Distance (pixels) between the candidates of the fourth head of large networks."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Boxes (n, 4) as (x0, y0, x1, y1), scores (n,), class indices (n,)."""

    boxes: Array
    scores: Array
    classes: NDArray[np.intp]


def table_of(outputs: Sequence[NDArray[np.floating]], classes: int) -> NDArray[np.floating]:
    """Select the candidates in a network's outputs for one picture: boxes with their scores, without masks.

    Args:
        outputs: The first one 2-D.
        classes: number of classes.

    Example:
        >>> table_of([np.zeros((300, 80)), np.zeros((300, 4))], classes=80).shape  # scores and boxes
        (300, 84)
        >>> table_of([np.zeros((39, 8400)), np.zeros((32, 160, 160))], classes=3).shape  # for segmentation
        (7, 8400)
    """
    first = outputs[0]
    if _are_boxes_and_scores(outputs):
        return np.concatenate(sorted(outputs, key=lambda output: output.shape[1] != 4), axis=1)
    if len(outputs) == 2 and outputs[1].ndim == 3:
        rows, columns = (side - len(outputs[1]) for side in first.shape)
        if rows == 4 + classes:
            return first[:rows]
        if columns in (4 + classes, 5 + classes, 6):
            return first[:, :columns]
    return first


def layout_of(outputs: Sequence[NDArray[np.floating]], size: tuple[int, int], classes: int) -> Layout:
    """Recognise the layout of a network's outputs for one picture of any content.

    Args:
        outputs: The first one 2-D.
        size: (width, height) of the network's input in pixels.
        classes: number of classes.

    Raises:
        BadInput: the outputs fit none of the layouts with this number of classes.

    Example:
        >>> layout_of([np.array([[10.0, 20.0, 30.0, 60.0, 0.9, 1.0]])], (640, 640), classes=2)
        'end to end'
    """
    cells = _cells(size)
    output = table_of(outputs, classes)
    rows, columns = output.shape
    if _are_boxes_and_scores(outputs):
        if columns != 4 + classes:
            raise BadInput(
                f"The network has {columns - 4} scores for each box and there are {classes} names of classes: give the "
                "names that fit; DETR and YOLOS, with a score for nothing, run as rtdetr:MODEL only."
            )
        if _are_shares(output) != bool(output[:, 4:].min() >= 0 and output[:, 4:].max() <= 1):
            return "rt-detr logits" if _are_shares(output) else "corners"
    if _are_boxes_and_scores(outputs) or any(other.shape == (rows,) for other in outputs[1:]):
        shapes = ", ".join(" x ".join(map(str, each.shape)) for each in outputs)
        raise BadInput(
            f"The network's outputs of {shapes} are in no layout that is read: export it with one table as a YOLO, or "
            "with boxes in pixels and a score from 0 to 1 for each class."
        )
    if columns == 6 and rows not in (*cells, *(3 * n for n in cells)) and not (output[:, 5] % 1).any():
        return "rt-detr" if _are_shares(output) else "end to end"
    if columns == 5 + classes:
        if rows not in cells or (output[:, 4] == 1).all():
            return "yolov5"
        return "yolox raw" if _are_offsets(output, size) else "yolox"
    if rows == 4 + classes:
        return "yolov8"
    if columns == 4 + classes:
        return "rt-detr scores" if rows not in cells and _are_shares(output) else "yolov8 rows"
    raise BadInput(
        f"The network's output of {rows} x {columns} is not a YOLO output for {classes} classes: are the names right, "
        "and was it exported for detection?"
    )


def candidates(output: NDArray[np.floating], layout: Layout, size: tuple[int, int], classes: int) -> Candidates:
    """Decode the candidates of a network for one picture.

    Args:
        output: Result of `table_of`.
        layout: Result of `layout_of`.
        size: (width, height) of the network's input in pixels.
        classes: number of classes.

    Returns:
        All candidates, with boxes in pixels of the network's input.

    Raises:
        BadInput: the network reports a class beyond these.

    Example:
        >>> output = np.array([[10.0, 20.0, 30.0, 60.0, 0.9, 1.0]])  # end to end: corners, score, class
        >>> decoded = candidates(output, "end to end", (640, 640), classes=2)
        >>> decoded.boxes.tolist(), decoded.classes.tolist()
        ([[10.0, 20.0, 30.0, 60.0]], [1])
    """
    table = output.astype(np.float64)
    match layout:
        case "end to end":
            return _suppressed(table[:, :4], table, classes)
        case "rt-detr":
            return _suppressed(_corners(table[:, :4] * (size * 2)), table, classes)
        case "rt-detr scores":
            return _best(_corners(table[:, :4] * (size * 2)), table[:, 4:])
        case "rt-detr logits":
            return _best(_corners(table[:, :4] * (size * 2)), 1 / (1 + np.exp(-table[:, 4:])))
        case "corners":
            return _best(table[:, :4], table[:, 4:])
        case "yolov8":
            return _best(_corners(table[:4].T), table[4:].T)
        case "yolov8 rows":
            return _best(_corners(table[:, :4]), table[:, 4:])
        case "yolox raw":
            corners, strides = _grid(size, len(table))
            middles = np.concatenate([(table[:, :2] + corners) * strides, np.exp(table[:, 2:4]) * strides], axis=1)
            return _best(_corners(middles), table[:, 5:] * table[:, 4:5])
        case _:
            return _best(_corners(table[:, :4]), table[:, 5:] * table[:, 4:5])


def _are_boxes_and_scores(outputs: Sequence[NDArray[np.floating]]) -> bool:
    """Whether there are two outputs with a row per candidate, one of them with the boxes."""
    shapes = [output.shape for output in outputs]
    two = len(shapes) == 2 and all(len(shape) == 2 for shape in shapes)
    return two and shapes[0][0] == shapes[1][0] and 4 in (shapes[0][1], shapes[1][1])


def _cells(size: tuple[int, int]) -> tuple[int, int]:
    """Return the number of candidates of a network without anchors, with three heads and with four."""
    three = sum(math.ceil(size[0] / stride) * math.ceil(size[1] / stride) for stride in STRIDES)
    return three, three + math.ceil(size[0] / FOURTH_STRIDE) * math.ceil(size[1] / FOURTH_STRIDE)


def _grid(size: tuple[int, int], rows: int) -> tuple[Array, Array]:
    """Return the cell (x, y) of each candidate, in strides, and its stride (rows, 1)."""
    strides = STRIDES if rows == _cells(size)[0] else (*STRIDES, FOURTH_STRIDE)
    sides = [(math.ceil(size[0] / stride), math.ceil(size[1] / stride)) for stride in strides]
    corners = [np.mgrid[:down, :across][::-1].reshape(2, -1).T for across, down in sides]
    each = np.repeat(strides, [across * down for across, down in sides])[:, None]
    return np.concatenate(corners).astype(np.float64), each.astype(np.float64)


def _are_offsets(output: NDArray[np.floating], size: tuple[int, int]) -> bool:
    """Whether centres are offsets from their cells: as pixels they would be far from these."""
    corners, strides = _grid(size, len(output))
    as_pixels = np.abs(output[:, :2] / strides - corners - 0.5)
    return bool(np.median(np.abs(output[:, :2] - 0.5)) < np.median(as_pixels))


def _are_shares(output: NDArray[np.floating]) -> bool:
    """Whether boxes are shares of the picture: in pixels, all would be below one. Unused rows are zeros."""
    return bool(0 < output[:, :4].max(initial=0) <= 1)


def _corners(middles: Array) -> Array:
    half = middles[:, 2:] / 2
    return np.concatenate([middles[:, :2] - half, middles[:, :2] + half], axis=1)


def _best(boxes: Array, scores: Array) -> Candidates:
    """Return the candidates with their best class, from a score per class."""
    best = np.argmax(scores, axis=1)
    return Candidates(boxes, scores[np.arange(len(scores)), best], best)


def _suppressed(boxes: Array, table: Array, classes: int) -> Candidates:
    """Return the candidates with the score and the class in their row."""
    used = table[:, 4] > 0  # unused rows are zeros
    index = table[used, 5].astype(np.intp)
    if len(index) and not 0 <= index.min() <= index.max() < classes:
        raise BadInput(f"The network reports class {int(index.max())}, but there are names of {classes} classes only.")
    return Candidates(boxes[used], table[used, 4], index)

"""Decoding of exported YOLO outputs. There are three layouts, distinguished by their shape.

| layout | shape for 640 x 640 and 80 classes | a candidate |
|---|---|---|
| YOLOv5 | (25200, 85) | centre, size, objectness, a score per class |
| YOLOv8 and later | (84, 8400), rarely (8400, 84) | centre, size, a score per class |
| end to end | (300, 6) | corners, score, class; already suppressed |

Source: the exporters of `ultralytics/yolov5` and `ultralytics/ultralytics`. Boxes are in pixels of the network's input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from homie.kernel.types import Array

STRIDES = (8, 16, 32)
"""Pixels between the candidates of each head."""
FOURTH_STRIDE = 64
"""Pixels between the candidates of the fourth head that large networks have."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Boxes (n, 4) as (x0, y0, x1, y1), scores (n,), class indices (n,)."""

    boxes: Array
    scores: Array
    classes: NDArray[np.intp]


def candidates(output: NDArray[np.floating], size: tuple[int, int], classes: int) -> Candidates:
    """Decode the output of a network for one picture.

    Args:
        output: 2-D, in one of the three layouts.
        size: (width, height) of the network's input in pixels.
        classes: number of classes.

    Returns:
        All candidates, with boxes in pixels of the network's input.

    Raises:
        BadInput: the shape fits none of the layouts with this number of classes.

    Example:
        >>> output = np.array([[10.0, 20.0, 30.0, 60.0, 0.9, 1.0]])  # end to end: corners, score, class
        >>> decoded = candidates(output, (640, 640), classes=2)
        >>> decoded.boxes.tolist(), decoded.classes.tolist()
        ([[10.0, 20.0, 30.0, 60.0]], [1])
    """
    cells = _cells(size)
    rows, columns = output.shape
    if columns == 6 and rows not in (*cells, *(3 * n for n in cells)):
        return _end_to_end(output, classes)
    table = output.astype(np.float64)
    if columns == 5 + classes:
        return _best(table[:, :4], table[:, 5:] * table[:, 4:5])
    if rows == 4 + classes:
        return _best(table[:4].T, table[4:].T)
    if columns == 4 + classes:
        return _best(table[:, :4], table[:, 4:])
    raise BadInput(
        f"The network's output of {rows} x {columns} is not a YOLO output for {classes} classes: are the names right, "
        "and was it exported for detection?"
    )


def _cells(size: tuple[int, int]) -> tuple[int, int]:
    """Number of candidates of a network without anchors, with three heads and with four."""
    three = sum(math.ceil(size[0] / stride) * math.ceil(size[1] / stride) for stride in STRIDES)
    return three, three + math.ceil(size[0] / FOURTH_STRIDE) * math.ceil(size[1] / FOURTH_STRIDE)


def _best(middles: Array, scores: Array) -> Candidates:
    """Candidates with their best class, from (x, y, width, height) and a score per class."""
    best = np.argmax(scores, axis=1)
    half = middles[:, 2:] / 2
    boxes = np.concatenate([middles[:, :2] - half, middles[:, :2] + half], axis=1)
    return Candidates(boxes, scores[np.arange(len(scores)), best], best)


def _end_to_end(output: NDArray[np.floating], classes: int) -> Candidates:
    table = output[output[:, 4] > 0].astype(np.float64)  # unused rows are zeros
    index = table[:, 5].astype(np.intp)
    if len(index) and not 0 <= index.min() <= index.max() < classes:
        raise BadInput(f"The network reports class {int(index.max())}, but there are names of {classes} classes only.")
    return Candidates(table[:, :4], table[:, 4], index)

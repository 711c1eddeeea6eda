"""Non-maximum suppression: of overlapping boxes of a class, the one with the highest score remains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array


def overlaps(box: Array, others: Array) -> Array:
    """Return the intersection over union of a box (4,) with others (n, 4), each (x0, y0, x1, y1); 0 if both are empty.

    The result is (n,).
    """
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    common = np.prod(np.maximum(high - low, 0.0), axis=1)
    area = np.prod(np.maximum(box[2:] - box[:2], 0.0))
    union = area + np.prod(np.maximum(others[:, 2:] - others[:, :2], 0.0), axis=1) - common
    shares: Array = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return shares


def suppress(boxes: Array, scores: Array, classes: NDArray[np.intp], overlap: float) -> NDArray[np.intp]:
    """Return the indices of the remaining boxes, best score first, equal scores in the order given.

    Args:
        boxes: (n, 4).
        scores, classes: (n,).
        overlap: A box is removed if a remaining one of its class with a better score overlaps it by more than this
            (intersection over union).
    """
    remaining = np.argsort(-scores, kind="stable")
    chosen = []
    while len(remaining):
        best, remaining = remaining[0], remaining[1:]
        chosen.append(best)
        is_duplicate = (overlaps(boxes[best], boxes[remaining]) > overlap) & (classes[remaining] == classes[best])
        remaining = remaining[~is_duplicate]
    return np.array(chosen, dtype=np.intp)

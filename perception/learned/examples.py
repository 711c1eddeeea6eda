"""From labelled pictures to training examples: augmented pictures, and the target outputs of each cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from homie.kernel.types import Array, Image
from perception.learned.coco import Labelled
from perception.learned.network import CELL, FINE_CELL

ZOOMED, ZOOM = 0.6, (0.6, 2.0)
"""Share of the pictures that are scaled and shifted, and the range of the factors."""
LEAST_LEFT = 0.35
"""Smallest share of a box inside the picture for its use in training."""
BRIGHTER, TINTED = 0.15, 0.05
"""Standard deviations of the brightness factor of all channels and of each channel."""
SPREAD = 0.16
"""Standard deviation of a peak, in sides of the box; `LEAST_SPREAD` in cells."""
LEAST_SPREAD = 0.6
NEAR = 0.3
"""Value of the peak from which a cell is trained on the sides of the box."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Batch of n examples.

    Attributes:
        pictures: (n, 3, H, W) in 0..1.
        peaks: (n, classes, H/8, W/8), 1 in the middle of a box.
        boxes: (n, groups, 4, H/8, W/8) as (x0, y0, x1, y1) in pixels.
        weights: (n, groups, H/8, W/8), weights of the boxes, which sum to one for each box.
        filled: (n, H/4, W/4), class indices; the number of classes for cells without a class.
        labels: Number of boxes.
    """

    pictures: torch.Tensor
    peaks: torch.Tensor
    boxes: torch.Tensor
    weights: torch.Tensor
    filled: torch.Tensor
    labels: int


def examples_of(
    labelled: Sequence[Labelled], groups: Sequence[int], size: tuple[int, int], rng: np.random.Generator | None
) -> Examples:
    """Make the examples of some pictures.

    Args:
        groups: Group of each class.
        size: Width and height of the examples in pixels; multiples of 32.
        rng: Generator for augmentation; None for no augmentation.

    Raises:
        BadInput: A file is missing or not a picture.
    """
    width, height = size
    rows, columns = height // CELL, width // CELL
    count, classes = len(labelled), len(groups)
    pictures = np.zeros((count, height, width, 3), dtype=np.uint8)
    peaks = np.zeros((count, classes, rows, columns), dtype=np.float32)
    boxes = np.zeros((count, max(groups) + 1, 4, rows, columns), dtype=np.float32)
    weights = np.zeros((count, max(groups) + 1, rows, columns), dtype=np.float32)
    class_maps = np.full((count, height // FINE_CELL, width // FINE_CELL), classes, dtype=np.int64)
    labels = 0
    for place, item in enumerate(labelled):
        transform = _transform(item.size, size, rng)
        pictures[place] = _warp_picture(item.picture(), transform, size, rng)
        class_maps[place] = _warp_classes(item, transform, size, classes)
        warped = _warp_boxes(item.boxes, transform, size)
        areas = (warped[:, 2] - warped[:, 0]) * (warped[:, 3] - warped[:, 1])
        for index in np.argsort(-areas):  # small objects occlude large ones
            if areas[index] > 0.0:
                labels += 1
                number = int(item.classes[index])
                _write_targets(
                    warped[index], peaks[place, number], boxes[place, groups[number]], weights[place, groups[number]]
                )
    tensor = torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div_(255.0)
    return Examples(
        tensor.contiguous(memory_format=torch.channels_last),
        torch.from_numpy(peaks),
        torch.from_numpy(boxes),
        torch.from_numpy(weights),
        torch.from_numpy(class_maps),
        labels,
    )


def _transform(of: tuple[int, int], size: tuple[int, int], rng: np.random.Generator | None) -> Array:
    """Return the affine matrix (2, 3) from a picture to its example: fitted, and randomly mirrored, scaled, shifted."""
    scale = min(size[0] / of[0], size[1] / of[1])
    middle, at = np.array(of) / 2, np.array(size) / 2
    mirror = 1.0
    if rng is not None:
        mirror = -1.0 if rng.random() < 0.5 else 1.0
        if rng.random() < ZOOMED:
            factor = math.exp(rng.uniform(*np.log(ZOOM)))
            scale *= factor
            slack = abs(factor - 1.0) * np.array(size) / 2
            at = at + rng.uniform(-slack, slack)
    linear = scale * np.array([[mirror, 0.0], [0.0, 1.0]])
    return np.column_stack([linear, at - linear @ middle])


def _warp_picture(picture: Image, transform: Array, size: tuple[int, int], rng: np.random.Generator | None) -> Image:
    grey = (114, 114, 114)
    warped = cv2.warpAffine(picture, _pixel_matrix(transform), size, flags=cv2.INTER_LINEAR, borderValue=grey)
    factors = np.ones(3) if rng is None else rng.normal(1.0, BRIGHTER) * rng.normal(1.0, TINTED, 3)
    tinted: Image = np.clip(warped * factors.astype(np.float32), 0, 255).astype(np.uint8)
    return tinted


def _warp_classes(labelled: Labelled, transform: Array, size: tuple[int, int], nothing: int) -> NDArray[np.int64]:
    """Return the class of each fine cell, of the smallest outline at its middle, since parts lie on their parent."""
    width, height = labelled.size
    classes = np.full((height, width), nothing, dtype=np.int16)
    boxes = labelled.boxes
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    for index in np.argsort(-areas):
        classes[labelled.mask(int(index))] = labelled.classes[index]
    fine = (size[0] // FINE_CELL, size[1] // FINE_CELL)
    cells = _pixel_matrix(transform / FINE_CELL)
    warped = cv2.warpAffine(classes, cells, fine, flags=cv2.INTER_NEAREST, borderValue=nothing)
    return warped.astype(np.int64)


def _pixel_matrix(transform: Array) -> Array:
    """Convert a matrix for points to one for pixel indices, whose centres are offset by half a pixel."""
    shift = transform[:, :2].sum(axis=1) / 2 - 0.5
    return np.column_stack([transform[:, :2], transform[:, 2] + shift])


def _warp_boxes(boxes: Array, transform: Array, size: tuple[int, int]) -> Array:
    """Transform boxes (n, 4) to the example and clip them to it; zeros for those of which too little remains."""
    if not len(boxes):
        return boxes
    corners = boxes.reshape(-1, 2, 2) @ transform[:, :2].T + transform[:, 2]
    full_boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    clipped = np.clip(full_boxes, 0.0, [*size, *size])
    shares = np.prod(clipped[:, 2:] - clipped[:, :2], axis=1) / np.prod(full_boxes[:, 2:] - full_boxes[:, :2], axis=1)
    small = (clipped[:, 2:] - clipped[:, :2]).min(axis=1) < 3.0
    remaining: Array = np.where(((shares < LEAST_LEFT) | small)[:, None], 0.0, clipped)
    return remaining


def _write_targets(
    box: Array, peaks: NDArray[np.float32], boxes: NDArray[np.float32], weights: NDArray[np.float32]
) -> None:
    """Write the targets of a box into the cells around its middle."""
    x, y = (box[0] + box[2]) / 2 / CELL, (box[1] + box[3]) / 2 / CELL
    rows, columns = peaks.shape
    row, column = min(int(y), rows - 1), min(int(x), columns - 1)
    spread = np.maximum(SPREAD * (box[2:] - box[:2]) / CELL, LEAST_SPREAD)
    reach = np.ceil(2.5 * spread).astype(int)
    columns_in_reach = np.arange(max(0, column - reach[0]), min(columns, column + reach[0] + 1))
    rows_in_reach = np.arange(max(0, row - reach[1]), min(rows, row + reach[1] + 1))
    value = np.exp(
        -((columns_in_reach[None, :] - column) ** 2) / (2 * spread[0] ** 2)
        - ((rows_in_reach[:, None] - row) ** 2) / (2 * spread[1] ** 2)
    ).astype(np.float32)
    window = np.ix_(rows_in_reach, columns_in_reach)
    peaks[window] = np.maximum(peaks[window], value)
    is_positive = value > NEAR
    cells = (
        rows_in_reach[:, None].repeat(len(columns_in_reach), 1)[is_positive],
        columns_in_reach[None, :].repeat(len(rows_in_reach), 0)[is_positive],
    )
    boxes[:, cells[0], cells[1]] = box[:, None]
    weights[cells] = value[is_positive] / value[is_positive].sum()

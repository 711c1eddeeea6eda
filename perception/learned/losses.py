"""Training losses of the network."""

from __future__ import annotations

import torch
from torch.nn import functional

from perception.learned.examples import Examples
from perception.learned.network import Outputs, boxes_of

BOXES, FILLED = 2.0, 1.0
"""Weights of the losses of boxes and filled cells, relative to that of scores."""
FAR = 4.0
"""Exponent that reduces the weight of negative cells near a peak (CenterNet)."""


def loss_of(outputs: Outputs, examples: Examples, balance: torch.Tensor) -> torch.Tensor:
    """Return the loss of some examples.

    Args:
        balance: Weight of a fine cell of each class, (classes + 1,).
    """
    number = max(1, examples.labels)
    boxes = (examples.weights * _giou_loss(boxes_of(outputs.sides), examples.boxes)).sum() / number
    class_loss = functional.cross_entropy(outputs.filled.float(), examples.filled, balance)
    return _peaks(outputs.scores.float(), examples.peaks) / number + BOXES * boxes + FILLED * class_loss


def _peaks(logits: torch.Tensor, peaks: torch.Tensor) -> torch.Tensor:
    """Return the focal loss of the scores, summed; the weight of cells decreases towards the middle of a box."""
    scores = logits.sigmoid()
    hit = functional.logsigmoid(logits) * (1.0 - scores) ** 2
    miss = functional.logsigmoid(-logits) * scores**2 * (1.0 - peaks) ** FAR
    return -torch.where(peaks >= 0.999, hit, miss).sum()


def _giou_loss(boxes: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Return 1 - generalised IoU (arXiv 1902.09630) of boxes (n, groups, 4, h, w), as (n, groups, h, w)."""
    low = torch.maximum(boxes[:, :, :2], others[:, :, :2])
    high = torch.minimum(boxes[:, :, 2:], others[:, :, 2:])
    enclosing = torch.maximum(boxes[:, :, 2:], others[:, :, 2:]) - torch.minimum(boxes[:, :, :2], others[:, :, :2])
    shared = (high - low).clamp(min=0.0).prod(2)
    union = _area(boxes) + _area(others) - shared
    hull = enclosing.prod(2)
    return 1.0 - shared / union.clamp(min=1e-6) + (hull - union) / hull.clamp(min=1e-6)


def _area(boxes: torch.Tensor) -> torch.Tensor:
    return (boxes[:, :, 2:] - boxes[:, :, :2]).prod(2)

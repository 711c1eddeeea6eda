"""The network: a residual backbone, features at several scales merged from coarse to fine, and three outputs.

Every cell of 8 x 8 pixels has a score for each class, which peaks in the middle of a box (CenterNet, arXiv
1904.07850), and the distances from its middle to the sides of a box (FCOS, arXiv 1904.01355). Classes of parts, such as
`fridge/door`, have separate boxes: a fridge and its door have the same centre. Every cell of 4 x 4 pixels has the class
that fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

CELL, FINE_CELL = 8, 4
"""Side (pixels) of the cells of boxes, and of classes."""
COARSEST = 32
"""Side (pixels) of the largest cell: sides of pictures are multiples of it."""
WIDTHS = (24, 32, 64, 128, 192)
"""Channels at 1/2, 1/4, 1/8, 1/16 and 1/32 of the picture."""
HEAD, FINE_HEAD = 96, 48
RARE = 0.02
"""Initial score of cells before training: most are empty."""


class Outputs(NamedTuple):
    """Outputs of the network for n pictures (n, 3, H, W).

    Attributes:
        scores: Logits (n, classes, H/8, W/8).
        sides: (n, groups, 4, H/8, W/8): logarithms of the distances in cells to the left, upper, right and lower side.
        filled: Logits (n, classes + 1, H/4, W/4); the last is for no class.
    """

    scores: torch.Tensor
    sides: torch.Tensor
    filled: torch.Tensor


def groups_of(classes: Sequence[str]) -> list[int]:
    """Return the group of each class: classes of the same part share the boxes of a cell."""
    parts = sorted({name.partition("/")[2] for name in classes})
    return [parts.index(name.partition("/")[2]) for name in classes]


class Block(nn.Module):
    """Residual block of two convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _conv_block(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(self.first(features)))


class Network(nn.Module):
    """See the module's docstring. Pictures are RGB in 0..1, with sides that are multiples of 32."""

    def __init__(self, classes: Sequence[str]) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth, coarsest = WIDTHS
        self.groups = groups_of(classes)
        self.stem = nn.Sequential(_conv_block(3, half, stride=2), _conv_block(half, quarter, stride=2))
        self.at_4 = Block(quarter)
        self.at_8 = _stage(quarter, eighth)
        self.at_16 = _stage(eighth, sixteenth)
        self.at_32 = _stage(sixteenth, coarsest)
        self.from_32, self.from_16 = _conv_block(coarsest, sixteenth, 1), _conv_block(sixteenth, eighth, 1)
        self.joined_8 = _conv_block(eighth, eighth)
        self.from_8, self.from_4 = _conv_block(eighth, quarter, 1), _conv_block(quarter, quarter, 1)
        self.joined_4 = _conv_block(quarter, FINE_HEAD)
        self.head = _conv_block(eighth, HEAD)
        self.scores = nn.Conv2d(HEAD, len(classes), 1)
        self.sides = nn.Conv2d(HEAD, 4 * (max(self.groups) + 1), 1)
        self.filled = nn.Conv2d(FINE_HEAD, len(classes) + 1, 1)
        nn.init.constant_(self.scores.bias, float(torch.logit(torch.tensor(RARE))))

    def forward(self, pictures: torch.Tensor) -> Outputs:
        at_4 = self.at_4(self.stem(pictures))
        at_8 = self.at_8(at_4)
        at_16 = self.at_16(at_8)
        at_16 = at_16 + _upsample(self.from_32(self.at_32(at_16)))
        at_8 = self.joined_8(at_8 + _upsample(self.from_16(at_16)))
        at_4 = self.joined_4(self.from_4(at_4) + _upsample(self.from_8(at_8)))
        head = self.head(at_8)
        sides = torch.stack(self.sides(head).split(4, dim=1), dim=1)
        return Outputs(self.scores(head), sides, self.filled(at_4))

    def calibrate(self, slope: float, offset: float) -> None:
        """Multiply the logits of all scores by a slope and add an offset."""
        with torch.no_grad():
            self.scores.weight.mul_(slope)
            bias = self.scores.bias
            if bias is not None:
                bias.mul_(slope).add_(offset)


def boxes_of(sides: torch.Tensor) -> torch.Tensor:
    """Return the boxes (n, groups, 4, h, w) of cells as (x0, y0, x1, y1) in pixels."""
    ones = torch.ones_like(sides[:1, :1, 0], dtype=torch.float32)  # so that an exported file adapts to the picture size
    rows, columns = ones.cumsum(-2) - 0.5, ones.cumsum(-1) - 0.5
    left_side, top, right, bottom = sides.float().clamp(max=6.0).exp().unbind(2)
    return CELL * torch.stack((columns - left_side, rows - top, columns + right, rows + bottom), dim=2)


def peaks_of(scores: torch.Tensor) -> torch.Tensor:
    """Return scores 0..1 (n, classes, h, w) of cells that are maxima of their 3 x 3 neighbourhood, 0 elsewhere."""
    probabilities = scores.float().sigmoid()
    return probabilities * (functional.max_pool2d(probabilities, 3, stride=1, padding=1) == probabilities)


def _stage(width: int, wider: int) -> nn.Sequential:
    return nn.Sequential(_conv_block(width, wider, stride=2), Block(wider), Block(wider))


def _conv_block(width: int, other: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(width, other, size, stride, size // 2, bias=False), nn.BatchNorm2d(other), nn.ReLU(inplace=True)
    )


def _upsample(features: torch.Tensor) -> torch.Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")

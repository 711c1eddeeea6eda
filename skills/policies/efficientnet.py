"""EfficientNet (Tan and Le, 2019): B0 for NoMaD, B3 with FiLM for RT-1-X.

        image -> _conv_stem -> _blocks (MBConv) [-> FiLM by a text, after each] -> _conv_head -> map of features

Modules are named as in the efficientnet_pytorch package (Apache-2.0), whose keys are in published checkpoints. Padding
is TensorFlow's SAME, computed from the image size: an odd pixel goes to the right and to the bottom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import nn

Norm: TypeAlias = Callable[[int], nn.Module]
"""Factory of the normalisation for a number of channels."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Blocks of one width.

    Positional, because `B0` and `B3` are the tables of the paper, read by columns in the order of these fields.

    Attributes:
        stride: Stride of the first block; the others have 1.
        expansion: Ratio of hidden to incoming channels.
    """

    channels: int
    blocks: int
    kernel: int
    stride: int
    expansion: int


@dataclass(frozen=True, slots=True)
class Size:
    """Channels after the stem and after the head, and the stages between them."""

    stem: int
    stages: tuple[Stage, ...]
    head: int

    @property
    def blocks(self) -> int:
        return sum(stage.blocks for stage in self.stages)


B0 = Size(
    32,
    (
        Stage(16, 1, 3, 1, 1),
        Stage(24, 2, 3, 2, 6),
        Stage(40, 2, 5, 2, 6),
        Stage(80, 3, 3, 2, 6),
        Stage(112, 3, 5, 1, 6),
        Stage(192, 4, 5, 2, 6),
        Stage(320, 1, 3, 1, 6),
    ),
    1280,
)
B3 = Size(
    40,
    (
        Stage(24, 2, 3, 1, 1),
        Stage(32, 3, 3, 2, 6),
        Stage(48, 3, 5, 2, 6),
        Stage(96, 5, 3, 2, 6),
        Stage(136, 5, 5, 1, 6),
        Stage(232, 6, 5, 2, 6),
        Stage(384, 2, 3, 1, 6),
    ),
    1536,
)


def batch_norm(channels: int) -> nn.Module:
    """The normalisation of the original network, with an epsilon of 1e-3 instead of torch's 1e-5."""
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class SameConv2d(nn.Conv2d):
    """A convolution with TensorFlow's SAME padding: ceil(size / stride) outputs along each side."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, in, h, w) -> (n, out, ceil(h / stride), ceil(w / stride))"""
        rows, columns = (self._padding(x.shape[2 + axis], axis) for axis in (0, 1))
        if rows % 2 or columns % 2:
            x = F.pad(x, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
            rows = columns = 0
        padding = (rows // 2, columns // 2)
        return F.conv2d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _padding(self, size: int, axis: int) -> int:
        """Total padding in pixels along an axis (0 rows, 1 columns)."""
        kernel, stride = int(self.kernel_size[axis]), int(self.stride[axis])
        return max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)


class Film(nn.Module):
    """Feature-wise linear modulation (Perez et al., 2018): a text scales and shifts channels, `x * (1 + mul) + add`."""

    def __init__(self, text: int, channels: int) -> None:
        super().__init__()
        self.add, self.mul = nn.Linear(text, channels), nn.Linear(text, channels)

    def forward(self, x: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """x (n, channels, h, w), text (n, text) -> as x"""
        return torch.addcmul(x + self.add(text)[..., None, None], x, self.mul(text)[..., None, None])


class MBConv(nn.Module):
    """Inverted bottleneck with squeeze-and-excitation; the squeezed width is a quarter of the incoming channels."""

    def __init__(self, *, inputs: int, outputs: int, kernel: int, stride: int, expansion: int, norm: Norm) -> None:
        super().__init__()
        hidden, squeezed = inputs * expansion, max(1, inputs // 4)
        self.expands, self.residual = expansion > 1, stride == 1 and inputs == outputs
        if self.expands:
            self._expand_conv, self._bn0 = SameConv2d(inputs, hidden, 1, bias=False), norm(hidden)
        self._depthwise_conv = SameConv2d(hidden, hidden, kernel, stride, groups=hidden, bias=False)
        self._bn1 = norm(hidden)
        self._se_reduce, self._se_expand = SameConv2d(hidden, squeezed, 1), SameConv2d(squeezed, hidden, 1)
        self._project_conv, self._bn2 = SameConv2d(hidden, outputs, 1, bias=False), norm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs, h, w) -> (n, outputs, ceil(h / stride), ceil(w / stride))"""
        y = F.silu(self._bn0(self._expand_conv(x))) if self.expands else x
        y = F.silu(self._bn1(self._depthwise_conv(y)))
        gate = self._se_expand(F.silu(self._se_reduce(y.mean((2, 3), keepdim=True))))
        y = self._bn2(self._project_conv(y * gate.sigmoid()))
        return x + y if self.residual else y


class EfficientNet(nn.Module):
    """The convolutional part of EfficientNet; pooling is left to the caller.

    Args:
        size: channels and stages.
        channels: channels of the image.
        norm: creates every normalisation.
        classes: outputs of `_fc`, which checkpoints contain but nothing here uses; 0 for none.
        text: size of the text embedding that modulates every block (FiLM); 0 for none.
    """

    def __init__(
        self, size: Size, *, channels: int = 3, norm: Norm = batch_norm, classes: int = 0, text: int = 0
    ) -> None:
        super().__init__()
        self._conv_stem, self._bn0 = SameConv2d(channels, size.stem, 3, 2, bias=False), norm(size.stem)
        blocks, films, width = [], [], size.stem
        for stage in size.stages:
            for number in range(stage.blocks):
                stride = stage.stride if number == 0 else 1
                blocks.append(
                    MBConv(
                        inputs=width,
                        outputs=stage.channels,
                        kernel=stage.kernel,
                        stride=stride,
                        expansion=stage.expansion,
                        norm=norm,
                    )
                )
                if text:
                    films.append(Film(text, stage.channels))
                width = stage.channels
        self._blocks, self.films = nn.ModuleList(blocks), nn.ModuleList(films)
        self._conv_head, self._bn1 = SameConv2d(width, size.head, 1, bias=False), norm(size.head)
        if classes:
            self._fc = nn.Linear(size.head, classes)

    def forward(self, x: torch.Tensor, text: torch.Tensor | None = None) -> torch.Tensor:
        """x (n, channels, h, w), text (n, text) with FiLM only -> (n, head, ceil(h / 32), ceil(w / 32))"""
        x = F.silu(self._bn0(self._conv_stem(x)))
        for number, block in enumerate(self._blocks):
            x = block(x)
            if text is not None:
                x = self.films[number](x, text)
        return F.silu(self._bn1(self._conv_head(x)))

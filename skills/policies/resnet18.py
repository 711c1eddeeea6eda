"""ResNet-18 (He et al., 2016) without its classifier: maps an image to 512 features.

An nn.Sequential numbered like the children of the usual implementation: 0 convolution, 1 norm, 2 ReLU, 3 pooling, 4 to
7 stages of two blocks, 8 mean over the image, 9 flattening. Checkpoints saved from such a sequence fit.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

FEATURES = 512


class BasicBlock(nn.Module):
    """Two 3x3 convolutions with a residual connection."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample: nn.Module | None = None
        if stride > 1 or inputs != outputs:
            shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs, h, w) -> (n, outputs, h / stride, w / stride), rounded up"""
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet18(channels: int = 3) -> nn.Sequential:
    """Return the trunk for images with a number of channels: (n, channels, h, w) -> (n, FEATURES)."""
    stages, width = [], 64
    for outputs in (64, 128, 256, FEATURES):
        stages.append(nn.Sequential(BasicBlock(width, outputs, outputs // width), BasicBlock(outputs, outputs, 1)))
        width = outputs
    return nn.Sequential(
        nn.Conv2d(channels, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
        *stages,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )

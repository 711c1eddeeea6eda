"""The noise network of NoMaD: a U-net over the waypoints of a path, conditioned on the images and the goal.

        x (n, 8, 2) -> down: 64 @ 8 -> 128 @ 4 -> 256 @ 2 -> middle -> up: 128 @ 4 -> 64 @ 8 -> noise (n, 8, 2)
                        every block is shifted by (diffusion step, condition)

Architecture and names: `ConditionalUnet1D` of Diffusion Policy (Chi et al., 2023; MIT), with the sizes of NoMaD's
`train/config/nomad.yaml`: down_dims [64, 128, 256], kernel 3, 8 groups, cond_predict_scale False.
"""

from __future__ import annotations

import itertools
import math

import torch
from torch import nn

CONDITION = 256
"""Size of the condition and of the encoding of a diffusion step."""
WIDTHS = (64, 128, 256)
GROUPS = 8


class StepEncoding(nn.Module):
    """Sines and cosines of a diffusion step, (n,) -> (n, CONDITION)."""

    def forward(self, step: torch.Tensor) -> torch.Tensor:
        half = CONDITION // 2
        rates = torch.exp(torch.arange(half, device=step.device) * (-math.log(10000.0) / (half - 1)))
        angles = step[:, None] * rates[None]
        return torch.cat((angles.sin(), angles.cos()), dim=-1)


class ConvBlock(nn.Module):
    """Convolution along the path, group norm, Mish."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        conv = nn.Conv1d(inputs, outputs, 3, padding=1)
        self.block = nn.Sequential(conv, nn.GroupNorm(GROUPS, outputs), nn.Mish())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x)


class ConditionedBlock(nn.Module):
    """Two blocks with the condition added in between, and a residual connection."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([ConvBlock(inputs, outputs), ConvBlock(outputs, outputs)])
        self.cond_encoder = nn.Sequential(nn.Mish(), nn.Linear(2 * CONDITION, outputs))
        self.residual_conv = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        """x (n, inputs, length), condition (n, 2 * CONDITION) -> (n, outputs, length)"""
        y = self.blocks[0](x) + self.cond_encoder(condition)[..., None]
        return self.blocks[1](y) + self.residual_conv(x)


class Resample(nn.Module):
    """A convolution under the name `conv`: halves the length, or doubles it."""

    def __init__(self, conv: nn.Module) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class PathUnet(nn.Module):
    """Predicts the noise in noisy paths."""

    def __init__(self) -> None:
        super().__init__()
        self.diffusion_step_encoder = nn.Sequential(
            StepEncoding(), nn.Linear(CONDITION, 4 * CONDITION), nn.Mish(), nn.Linear(4 * CONDITION, CONDITION)
        )
        pairs = list(itertools.pairwise((2, *WIDTHS)))
        last = WIDTHS[-1]
        self.down_modules = nn.ModuleList(
            nn.ModuleList(
                [
                    ConditionedBlock(inputs, outputs),
                    ConditionedBlock(outputs, outputs),
                    nn.Identity() if outputs == last else Resample(nn.Conv1d(outputs, outputs, 3, 2, 1)),
                ]
            )
            for inputs, outputs in pairs
        )
        self.mid_modules = nn.ModuleList([ConditionedBlock(last, last), ConditionedBlock(last, last)])
        self.up_modules = nn.ModuleList(
            nn.ModuleList(
                [
                    ConditionedBlock(2 * outputs, inputs),
                    ConditionedBlock(inputs, inputs),
                    Resample(nn.ConvTranspose1d(inputs, inputs, 4, 2, 1)),
                ]
            )
            for inputs, outputs in reversed(pairs[1:])
        )
        self.final_conv = nn.Sequential(ConvBlock(WIDTHS[0], WIDTHS[0]), nn.Conv1d(WIDTHS[0], 2, 1))

    def forward(self, x: torch.Tensor, step: int, condition: torch.Tensor) -> torch.Tensor:
        """x (n, 8, 2) in [-1, 1], step 0..9, condition (n, CONDITION) -> noise (n, 8, 2)"""
        encoded = self.diffusion_step_encoder(torch.full((len(x),), float(step), device=x.device))
        condition = torch.cat((encoded, condition), dim=-1)
        x = x.transpose(1, 2)
        skips = []
        for first, second, half in self.down_modules:
            x = second(first(x, condition), condition)
            skips.append(x)
            x = half(x)
        for block in self.mid_modules:
            x = block(x, condition)
        for first, second, double in self.up_modules:
            x = double(second(first(torch.cat((x, skips.pop()), dim=1), condition), condition))
        return self.final_conv(x).transpose(1, 2)

"""The DDPM sampler of NoMaD (Ho et al., 2020, algorithm 2) and the units of its paths.

Ten steps with a squared cosine schedule. The network predicts the noise, the clean path is clipped to [-1, 1], and the
variance is that of the posterior. Equal to diffusers' DDPMScheduler with these settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

STEPS = 10
LENGTH = 8
"""Number of waypoints of a path."""

LOW, HIGH = (-2.5, -4.0), (5.0, 4.0)
"""Displacements between two waypoints, forward and left, that correspond to -1 and 1 (`data_config.yaml`), in
spacings."""


def _cosine(step: float) -> float:
    return math.cos((step + 0.008) / 1.008 * math.pi / 2) ** 2  # offset 0.008 of Nichol and Dhariwal (2021), eq. 17


BETAS = torch.tensor(
    [min(1.0 - _cosine((t + 1) / STEPS) / _cosine(t / STEPS), 0.999) for t in range(STEPS)], dtype=torch.float64
)
_KEPT = torch.cumprod(1.0 - BETAS, 0)


def denoise(x: torch.Tensor, noise: torch.Tensor, step: int, fresh: torch.Tensor) -> torch.Tensor:
    """Return x one step earlier, given x (n, LENGTH, 2) at `step`, its predicted noise, and fresh noise (unused at step
    0)."""
    alpha, previous_alpha = float(_KEPT[step]), float(_KEPT[step - 1]) if step else 1.0
    beta = float(BETAS[step])
    clean = ((x - math.sqrt(1.0 - alpha) * noise) / math.sqrt(alpha)).clamp(-1.0, 1.0)
    mean = (math.sqrt(previous_alpha) * beta * clean + math.sqrt(1.0 - beta) * (1.0 - previous_alpha) * x) / (
        1.0 - alpha
    )
    return mean + math.sqrt((1.0 - previous_alpha) / (1.0 - alpha) * beta) * fresh


def sample(
    predict: Callable[[torch.Tensor, int], torch.Tensor], draw: Callable[[], torch.Tensor], x: torch.Tensor
) -> torch.Tensor:
    """Denoise x (n, LENGTH, 2) from the last step to the first.

    Args:
        predict: Returns the predicted noise in x at a step.
        draw: Returns new noise.
    """
    for step in reversed(range(STEPS)):
        x = denoise(x, predict(x, step), step, draw() if step else torch.zeros_like(x))
    return x


def waypoints(x: torch.Tensor) -> torch.Tensor:
    """Convert paths in [-1, 1] to waypoints (n, LENGTH, 2) in the robot's frame, x forward, y left, in spacings."""
    low, high = torch.tensor(LOW, device=x.device), torch.tensor(HIGH, device=x.device)
    return torch.cumsum((x + 1.0) / 2.0 * (high - low) + low, dim=1)

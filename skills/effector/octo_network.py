"""The network of Octo 1.5 (Octo Model Team, 2024), after octo-models/octo `octo/model` (MIT).

    pictures --Stem--> tokens --+
    text (T5's 16 x 768) -------+--> transformer --> a readout of each step --DiffusionHead--> 4 motions of 7 numbers

The sequence: the text, then for each step its images' tokens, the text again, and the readout. A token attends to the
text and to its own and earlier steps; only readouts attend to readouts. No token attends to padding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

CAMERAS = {"primary": 256, "wrist": 128}
"""Side length in pixels of each camera's images, in the order of the sequence. A token is 16 x 16 pixels."""
PATCH = 16
TEXT_TOKENS, TEXT_WIDTH = 16, 768
WINDOW = 2
"""Number of steps in training; the network has positions for HORIZON steps."""
HORIZON = 10
CHUNK, ACTION = 4, 7
"""Motions per readout, and numbers per motion."""
DIFFUSION = 20
"""Number of denoising steps."""
LARGEST = 5.0
"""Bound to which normalised actions are clipped during sampling."""


@dataclass(frozen=True, slots=True)
class Size:
    """The transformer's token width, number of layers, hidden width of its MLPs, and number of attention heads."""

    width: int
    layers: int
    hidden: int
    heads: int


SMALL = Size(384, 12, 1536, 6)
BASE = Size(768, 12, 3072, 12)


class StandardConv2d(nn.Conv2d):
    """A convolution with weights standardised per output: (weight - mean) / (deviation + 1e-5)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance, mean = torch.var_mean(self.weight, dim=(1, 2, 3), correction=0, keepdim=True)
        weight = (self.weight - mean) / (variance.sqrt() + 1e-5)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding)


class Stem(nn.Module):
    """An image and a goal image, their channels stacked -> a token for every 16 x 16 pixels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 6
        for outputs in (32, 96, 192, 384):
            layers += [StandardConv2d(channels, outputs, 3, 2, 1), nn.GroupNorm(32, outputs, eps=1e-6), nn.ReLU()]
            channels = outputs
        self.convs, self.embed = nn.Sequential(*layers), nn.Conv2d(channels, 512, 1)
        self.project = nn.Linear(512, width)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """pictures (n, 6, h, w) in 0..255 -> (n, h / 16 * w / 16, width)"""
        return self.project(self.embed(self.convs(pictures / 127.5 - 1.0)).flatten(2).mT)


class Block(nn.Module):
    """Pre-norm attention, then a multilayer perceptron. Its GELU is the tanh form."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width, self.heads = size.width, size.heads
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.mlp = nn.Sequential(
            nn.Linear(width, size.hidden), nn.GELU(approximate="tanh"), nn.Linear(size.hidden, width)
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor, rows: torch.Tensor | None = None) -> torch.Tensor:
        """x (n, tokens, width), mask (n, 1, tokens, tokens) True where a row sees a column -> as x, or its `rows`"""
        y = self.norm1(x)
        key, value = self._heads(self.key(y)), self._heads(self.value(y))
        if rows is not None:
            x, y, mask = x[:, rows], y[:, rows], mask[:, :, rows]
        heads = F.scaled_dot_product_attention(self._heads(self.query(y)), key, value, mask)
        x = x + self.out(heads.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class ResidualMlp(nn.Module):
    """A layer of the diffusion head."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.silu(self.up(self.norm(x))))


def cosine_betas(steps: int, offset: float = 0.008) -> torch.Tensor:
    """Return the share of noise added at each step, such that the remaining signal falls as a squared cosine:
    (steps,)."""
    part = (torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64) + offset) / (1.0 + offset)
    signal = torch.cos(part * math.pi / 2) ** 2
    return (1.0 - signal[1:] / signal[:-1]).clamp(max=0.999).float()


class DiffusionHead(nn.Module):
    """Denoises a chunk of motions in 20 steps, given a readout (DDPM, Ho et al., 2020)."""

    def __init__(self, width: int, time: int = 32, hidden: int = 256) -> None:
        super().__init__()
        self.frequencies = nn.Linear(1, time // 2, bias=False)
        self.time = nn.Sequential(nn.Linear(time, 2 * time), nn.SiLU(), nn.Linear(2 * time, time))
        self.enter = nn.Linear(time + width + CHUNK * ACTION, hidden)
        self.blocks = nn.Sequential(*(ResidualMlp(hidden) for _ in range(3)))
        self.leave = nn.Linear(hidden, CHUNK * ACTION)
        betas = cosine_betas(DIFFUSION)
        self.register_buffer("betas", betas, persistent=False)
        self.register_buffer("kept", torch.cumprod(1.0 - betas, 0), persistent=False)

    def noise(self, readout: torch.Tensor, noisy: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        """readout (..., width), noisy (..., 28), step (..., 1) -> the noise in it (..., 28)"""
        angle = 2.0 * math.pi * self.frequencies(step)
        time_embedding = self.time(torch.cat([angle.cos(), angle.sin()], -1))
        return self.leave(F.silu(self.blocks(self.enter(torch.cat([time_embedding, readout, noisy], -1)))))

    def sample(self, readout: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """readout (n, width), noise (21, n, 28): the start, then that of each step -> normalised actions (n, 4, 7)"""
        x = noise[0]
        for number, step in enumerate(reversed(range(DIFFUSION)), 1):
            beta = self.betas[step]
            predicted = self.noise(readout, x, torch.full_like(x[:, :1], float(step)))
            x = (x - beta / (1.0 - self.kept[step]).sqrt() * predicted) / (1.0 - beta).sqrt()
            if step:
                x = x + beta.sqrt() * noise[number]
            x = x.clamp(-LARGEST, LARGEST)
        return x.unflatten(-1, (CHUNK, ACTION))


class OctoNetwork(nn.Module):
    """Stems, transformer and head."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.stems = nn.ModuleDict({name: Stem(size.width) for name in CAMERAS})
        self.text = nn.Linear(TEXT_WIDTH, size.width)
        tokens = {name: (side // PATCH) ** 2 for name, side in CAMERAS.items()}
        shapes = {name: (HORIZON, number) for name, number in tokens.items()}
        self.positions = nn.ParameterDict(
            {
                name: nn.Parameter(torch.zeros(*shape, size.width))
                for name, shape in {**shapes, "text": (TEXT_TOKENS,), "readout": (HORIZON, 1)}.items()
            }
        )
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.norm, self.head = nn.LayerNorm(size.width, eps=1e-6), DiffusionHead(size.width)

    def encode(self, camera: str, pictures: torch.Tensor, goals: torch.Tensor | None = None) -> torch.Tensor:
        """Return tokens (n, 256 or 64, width) of images (n, 3, side, side) in 0..255; they do not depend on the step.

        Args:
            goals: Goal images, like pictures; None for no goal image, which is zeros as in training.
        """
        pictures = pictures.float()
        goals = torch.zeros_like(pictures) if goals is None else goals.float()
        # With the channels-last memory format torch's group normalisation is ten times less exact.
        return self.stems[camera](torch.cat([pictures, goals], 1).contiguous())

    def forward(
        self,
        seen: Mapping[str, torch.Tensor],
        text: torch.Tensor,
        steps: torch.Tensor,
        pictures: Mapping[str, torch.Tensor] | None = None,
        has_text: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return readouts (n, steps, width).

        Args:
            seen: tokens of each available camera (n, steps, tokens, width), in the order of CAMERAS.
            text: (n, 16, 768).
            steps: (n, steps), False for padding.
            pictures: (n, steps) of each camera, False for a missing image; None if there are none missing.
            has_text: (n,), False for a missing text; None if there are none missing.
        """
        n, window = steps.shape
        prefix = self.text(text) + self.positions["text"]
        has_text = torch.ones(n, dtype=torch.bool, device=text.device) if has_text is None else has_text
        parts, real = [], []
        for camera, tokens in seen.items():
            is_present = steps if pictures is None else steps & pictures[camera]
            parts.append(tokens + self.positions[camera][:window])
            real.append(is_present[..., None].expand(-1, -1, tokens.shape[2]))
        parts.append(prefix[:, None].expand(-1, window, -1, -1))
        real.append(has_text[:, None, None].expand(-1, window, TEXT_TOKENS))
        parts.append(self.positions["readout"][:window].expand(n, -1, -1, -1))
        real.append(torch.ones_like(steps)[..., None])
        groups = torch.cat(parts, 2)
        mask = _mask(window, groups.shape[2], has_text, torch.cat(real, 2).flatten(1))
        x = torch.cat([prefix, groups.flatten(1, 2)], 1)
        readouts = TEXT_TOKENS - 1 + groups.shape[2] * torch.arange(1, window + 1, device=x.device)
        for block in self.blocks[:-1]:
            x = block(x, mask)
        return self.norm(self.blocks[-1](x, mask, readouts))


def _mask(window: int, group: int, has_text: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Return the attention mask (n, 1, tokens, tokens), True where a row attends to a column.

    Args:
        has_text (n,), real (n, window * group): False for padding.
    """
    place = torch.arange(window * group, device=real.device)
    step = F.pad(place // group, (TEXT_TOKENS, 0), value=-1)
    readout = F.pad((place + 1) % group == 0, (TEXT_TOKENS, 0), value=False)
    allowed = (step <= step[:, None]) & (~readout | readout[:, None])
    keys = torch.cat([has_text[:, None].expand(-1, TEXT_TOKENS), real], 1)
    return (allowed & keys[:, None, :])[:, None]

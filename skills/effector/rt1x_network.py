"""The network of RT-1-X (Open X-Embodiment, 2023), after google-deepmind/open_x_embodiment models/rt1.py (Apache-2.0).

    frame, text --FrameTokenizer--> 81 image tokens (of each of 15 frames) --Rt1xNetwork--> logits of 11 action tokens

The action slots of a frame are zeros that nothing attends to, so those of earlier frames can be left out without
changing the result: 15 * 81 image tokens and the last frame's 11 slots are 1226 positions instead of 1380. Image tokens
depend on their own frame only, so those of earlier frames can be kept from one decision to the next.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from skills.effector.rt1x_actions import TEXT
from skills.policies.efficientnet import B3, EfficientNet, Film

FRAMES = 15
"""Number of frames in the input, oldest first."""
IMAGE_TOKENS, ACTION_TOKENS = 81, 11
"""Tokens of one frame; together the positions of a frame."""
SIDE = 300
"""Side length of an image in pixels."""
BINS = 512
"""Number of logits per action token."""
WIDTH = 512
HEADS, HEAD_WIDTH, LAYERS = 8, 256, 8

_POSITIONS = IMAGE_TOKENS + ACTION_TOKENS
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of ImageNet's pixels in 0..1, red, green, blue."""


class FrameTokenizer(nn.Module):
    """EfficientNet-B3 with FiLM, then TokenLearner (Ryoo et al., 2021): 10x10 places become 81 weighted sums."""

    def __init__(self) -> None:
        super().__init__()
        self.net = EfficientNet(B3, text=TEXT)
        self.reduce, self.film = nn.Conv2d(B3.head, WIDTH, 1, bias=False), Film(TEXT, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.attend = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(approximate="tanh"), nn.Linear(64, IMAGE_TOKENS))
        self.register_buffer("mean", torch.tensor(_MEAN).view(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(_STD).view(3, 1, 1), persistent=False)

    def forward(self, frames: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """frames (n, 3, 300, 300) in 0..1, text (n, 512) -> tokens (n, 81, 512)"""
        features = self.film(self.reduce(self.net((frames - self.mean) / self.std, text)), text)
        places = features.flatten(2).mT
        weights = self.attend(self.norm(places)).softmax(dim=1)
        return weights.mT @ places


class Block(nn.Module):
    """Pre-norm attention to image tokens, then a gated layer (SwiGLU)."""

    def __init__(self) -> None:
        super().__init__()
        inner_width = HEADS * HEAD_WIDTH
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6), nn.LayerNorm(WIDTH, eps=1e-6)
        self.query, self.key, self.value = (nn.Linear(WIDTH, inner_width) for _ in range(3))
        self.out = nn.Linear(inner_width, WIDTH)
        self.up, self.gate, self.down = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x: torch.Tensor, last: bool) -> torch.Tensor:
        """Apply the block.

        Args:
            x (n, image tokens + 11, 512): Image tokens of some frames, then the slots of the last one.
            last: Whether only the last frame's output is needed; the rows before it are left out then.

        Returns:
            As `x`, or (n, 92, 512) with `last`.
        """
        y = self.norm1(x)
        images = x.shape[1] - ACTION_TOKENS
        key, value = self._heads(self.key(y[:, :images])), self._heads(self.value(y[:, :images]))
        if last:
            x = x[:, -_POSITIONS:]
            # Image tokens see those up to themselves, slots see all.
            mask = torch.ones(_POSITIONS, images, dtype=torch.bool, device=x.device).tril(images - IMAGE_TOKENS)
            heads = F.scaled_dot_product_attention(self._heads(self.query(y[:, -_POSITIONS:])), key, value, mask)
        else:
            query = self._heads(self.query(y))
            seen = F.scaled_dot_product_attention(query[:, :, :images], key, value, is_causal=True)
            heads = torch.cat([seen, F.scaled_dot_product_attention(query[:, :, images:], key, value)], 2)
        x = x + self.out(heads.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(F.silu(self.up(y)) * self.gate(y))

    @staticmethod
    def _heads(x: torch.Tensor) -> torch.Tensor:
        """(n, positions, heads * width) -> (n, heads, positions, width)"""
        return x.unflatten(-1, (HEADS, HEAD_WIDTH)).transpose(1, 2)


class Rt1xNetwork(nn.Module):
    """Tokenizer and transformer; there is no normalisation before the output."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = FrameTokenizer()
        self.input, self.position = nn.Linear(WIDTH, WIDTH), nn.Linear(FRAMES * _POSITIONS, WIDTH)
        self.blocks, self.output = nn.ModuleList(Block() for _ in range(LAYERS)), nn.Linear(WIDTH, BINS)

    def forward(self, image_tokens: torch.Tensor) -> torch.Tensor:
        """image_tokens (n, frames, 81, 512) of frames 0, 1, ... -> logits (n, 92, 512) at the last frame's positions

        Frames are placed from the first one on; the policy gives all 15.
        """
        frames = image_tokens.shape[1]
        place = torch.arange(frames * _POSITIONS, device=image_tokens.device).view(frames, _POSITIONS)
        place = torch.cat([place[:, :IMAGE_TOKENS].flatten(), place[-1, IMAGE_TOKENS:]])
        x = self.input(F.pad(image_tokens.flatten(1, 2), (0, 0, 0, ACTION_TOKENS)))
        x = x + (self.position.weight.mT[place] + self.position.bias)
        for block in self.blocks:
            x = block(x, block is self.blocks[-1])
        return self.output(x)

    def action_logits(self, image_tokens: torch.Tensor) -> torch.Tensor:
        """As forward, but only (n, 11, 512): each action token is read one position before its slot."""
        return self(image_tokens)[:, IMAGE_TOKENS - 1 : -1]

"""The networks of NoMaD (Sridhar et al., 2023; official code MIT): distance to a goal, and noise in a path to it.

    4 frames -> EfficientNet-B0 each -> 4 tokens \
                                                   transformer -> mean of tokens -> condition -> distance, noise
    newest frame + goal -> EfficientNet-B0 -> token /

Modules are named as in `nomad.pth`, so that its tensors load unchanged. The file holds 16 more that are unused, see
`UNUSED`.
"""

from __future__ import annotations

import torch
from torch import nn

from skills.nomad.unet import CONDITION, PathUnet
from skills.policies.efficientnet import B0, EfficientNet

FRAMES = 4
"""Frames in the input: the newest and a context of three."""

_LAYER = (
    *(f"self_attn.{name}" for name in ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")),
    *(f"{name}.{kind}" for name in ("linear1", "linear2", "norm1", "norm2") for kind in ("weight", "bias")),
)
UNUSED = frozenset(
    [
        *(
            f"vision_encoder.{encoder}._fc.{kind}"
            for encoder in ("obs_encoder", "goal_encoder")
            for kind in ("weight", "bias")
        ),
        *(f"vision_encoder.sa_layer.{name}" for name in _LAYER),
    ]
)
"""Tensors of `nomad.pth` without effect: the classifiers of both EfficientNets, and the layer from which the others
were copied."""


def group_norm(channels: int) -> nn.Module:
    """The replacement for every batch norm: groups of 16 channels."""
    return nn.GroupNorm(channels // 16, channels)


class Positions(nn.Module):
    """Adds a fixed position code to every token; the table is in the checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pos_enc", torch.zeros(1, FRAMES + 1, CONDITION))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return tokens + self.pos_enc


class VisionEncoder(nn.Module):
    """Encodes frames and a goal image into one vector."""

    def __init__(self) -> None:
        super().__init__()
        self.obs_encoder = EfficientNet(B0, channels=3, norm=group_norm)
        self.goal_encoder = EfficientNet(B0, channels=6, norm=group_norm)
        self.compress_obs_enc = nn.Linear(B0.head, CONDITION)
        self.compress_goal_enc = nn.Linear(B0.head, CONDITION)
        self.positional_encoding = Positions()
        layer = nn.TransformerEncoderLayer(
            CONDITION, 4, 4 * CONDITION, activation="gelu", batch_first=True, norm_first=True
        )
        self.sa_encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)

    def frame_tokens(self, frames: torch.Tensor) -> torch.Tensor:
        """frames (n, 3, 96, 96), normalised -> (n, CONDITION). Tokens depend on their own frame only, so they can be
        cached."""
        return self.compress_obs_enc(self.obs_encoder(frames).mean((2, 3)))

    def goal_tokens(self, newest: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
        """newest frame (3, 96, 96), goals (n, 3, 96, 96) -> (n, CONDITION)"""
        pairs = torch.cat((newest.expand_as(goals), goals), dim=1)
        return self.compress_goal_enc(self.goal_encoder(pairs).mean((2, 3)))

    def fuse(self, frames: torch.Tensor, goals: torch.Tensor | None) -> torch.Tensor:
        """Frame tokens (FRAMES, CONDITION), oldest first, goal tokens (n, CONDITION) or None -> (n or 1, CONDITION).

        Without a goal its token is hidden from the others and left out of the mean.
        """
        if goals is None:
            tokens = torch.cat((frames, torch.zeros_like(frames[:1])))[None]
            hidden = torch.tensor([[False] * FRAMES + [True]], device=frames.device)
            seen = self.sa_encoder(self.positional_encoding(tokens), src_key_padding_mask=hidden)
            return seen[:, :FRAMES].mean(1)
        tokens = torch.cat((frames.expand(len(goals), -1, -1), goals[:, None]), dim=1)
        return self.sa_encoder(self.positional_encoding(tokens)).mean(1)


class Distance(nn.Module):
    """Predicts the distance to the goal, in steps of the training data."""

    def __init__(self) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(CONDITION, CONDITION // 4),
            nn.ReLU(),
            nn.Linear(CONDITION // 4, CONDITION // 16),
            nn.ReLU(),
            nn.Linear(CONDITION // 16, 1),
        )

    def forward(self, condition: torch.Tensor) -> torch.Tensor:
        """(n, CONDITION) -> (n,)"""
        return self.network(condition)[:, 0]


class NomadNetwork(nn.Module):
    """All of `nomad.pth`."""

    def __init__(self) -> None:
        super().__init__()
        self.vision_encoder = VisionEncoder()
        self.noise_pred_net = PathUnet()
        self.dist_pred_net = Distance()

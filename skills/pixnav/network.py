"""The network of PixNav (Cai et al., 2024): from a goal marked in the first image and all images to an action.

    goal picture + mask -> ResNet-18 -> memory -----------------+
                                  \\-> 256 numbers               v
    each picture since -> ResNet-18 -> 512 numbers -> token -> decoder -> action, distance, goal
                                              + its number     (causal)

Written from a description of the architecture; the module names are those of the published checkpoints. Attention is
causal, so that tokens, keys and values of older images can be cached: see `Decoding`.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from skills.policies.resnet18 import FEATURES, resnet18

WINDOW = 64
"""Maximum number of images of an attempt."""
WIDTH, HEADS, LAYERS, HIDDEN = 768, 4, 4, 2048
ACTIONS = 6


class PixNavNetwork(nn.Module):
    """All of a PixNav checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.history_backbone = resnet18(3)
        self.goal_backbone = resnet18(4)
        self.goal_concat_proj = nn.Linear(FEATURES, WIDTH - FEATURES)
        self.goal_input_proj = nn.Linear(FEATURES, WIDTH)
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, activation="relu", batch_first=True)
        self.dt_policy = nn.TransformerDecoder(layer, LAYERS)
        self.po_embedding = nn.Embedding(WINDOW, WIDTH)
        self.action_head = nn.Linear(WIDTH, ACTIONS)
        self.distance_head = nn.Linear(WIDTH, 1)
        self.goal_head = nn.Linear(WIDTH, 2)

    def forward(self, goal: torch.Tensor, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Process a whole window at once, as in training. `Decoding` gives the same results image by image, faster.

        Args:
            goal (4, 224, 224): Picture and mask. pictures (t, 3, 224, 224), t up to WINDOW. All in 0..1, see
                `skills.pixnav.preprocessing`. Returns for each picture: actions (t, 6), unscaled; distance (t, 1);
                goal (t, 2).
        """
        features = self.goal_backbone(goal[None])
        seen = torch.cat(
            (self.history_backbone(pictures), self.goal_concat_proj(features).expand(len(pictures), -1)), 1
        )
        tokens = seen + self.po_embedding.weight[: len(pictures)]
        causal = nn.Transformer.generate_square_subsequent_mask(len(tokens), device=tokens.device)
        return self.heads(self.dt_policy(tokens[None], self.goal_input_proj(features)[None], tgt_mask=causal)[0])

    def heads(self, decoded: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(t, WIDTH) -> action (t, 6), distance (t, 1), goal (t, 2)"""
        return self.action_head(decoded), self.distance_head(decoded), self.goal_head(decoded)


class Decoding:
    """One attempt with cached keys and values: the cost of an image does not depend on the number of earlier ones.

    The memory is a single token, so attention to it is that token's value for every query: a constant per layer.
    """

    def __init__(self, network: PixNavNetwork, goal: torch.Tensor) -> None:
        """Prepare the network for a goal.

        Args:
            goal (4, 224, 224): Image and mask.
        """
        self.network = network
        features = network.goal_backbone(goal[None])[0]
        self.goal = network.goal_concat_proj(features)
        memory = network.goal_input_proj(features)
        self.layers = [_Layer(layer, memory) for layer in network.dt_policy.layers]
        self.length = 0

    def extend(self, picture: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """picture (3, 224, 224) -> action (6,), distance (1,), goal (2,). At most WINDOW times."""
        seen = torch.cat((self.network.history_backbone(picture[None])[0], self.goal))
        x = seen + self.network.po_embedding.weight[self.length]
        for layer in self.layers:
            x = layer.extend(x, self.length)
        self.length += 1
        action, distance, goal = self.network.heads(x[None])
        return action[0], distance[0], goal[0]


class _Layer:
    """One layer of the decoder with the keys and values of all tokens so far."""

    def __init__(self, layer: nn.TransformerDecoderLayer, memory: torch.Tensor) -> None:
        self.layer = layer
        cross_attention = layer.multihead_attn
        value = F.linear(memory, cross_attention.in_proj_weight[2 * WIDTH :], cross_attention.in_proj_bias[2 * WIDTH :])
        self.from_memory = cross_attention.out_proj(value)
        self.keys = memory.new_zeros(HEADS, WINDOW, WIDTH // HEADS)
        self.values = torch.zeros_like(self.keys)

    def extend(self, x: torch.Tensor, at: int) -> torch.Tensor:
        """Return the output (WIDTH,) of the layer for the token (WIDTH,) at an index of the window."""
        layer, attention = self.layer, self.layer.self_attn
        projected = F.linear(x, attention.in_proj_weight, attention.in_proj_bias).view(3, HEADS, WIDTH // HEADS)
        self.keys[:, at], self.values[:, at] = projected[1], projected[2]
        cached = slice(0, at + 1)
        seen = F.scaled_dot_product_attention(projected[0][:, None], self.keys[:, cached], self.values[:, cached])
        x = layer.norm1(x + attention.out_proj(seen.reshape(WIDTH)))
        x = layer.norm2(x + self.from_memory)
        return layer.norm3(x + layer.linear2(F.relu(layer.linear1(x))))

"""The network of one M3 skill: depth images and a state vector, a recurrent core, an actor and a critic.

    depth (B, C, 128, 128) --convolutions--> 512 --+
    state (B, n) ----------------------------------+--> GRU 512 --> actor: 20 classes, or 10 means
    previous action (B, a) ------------------------+            --> critic: value

Written from a description of the policy of "Multi-skill Mobile Manipulation for Object Rearrangement" (Gu et al.,
2022). Attributes have the names of the keys of its checkpoints, without the prefix `actor_critic.`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from skills.m3.layout import Layout

HIDDEN = 512


@dataclass(frozen=True, slots=True)
class Step:
    """The output of one step: the actor's (B, actions), the value (B, 1), the core's hidden state (B, 512).

    Attributes:
        actor: Logits of the classes, or the action itself: tanh of the means.
    """

    actor: torch.Tensor
    value: torch.Tensor
    hidden: torch.Tensor


class Recurrent(nn.Module):
    """One GRU layer, one step at a time."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.rnn = nn.GRU(inputs, HIDDEN)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """x (B, inputs), hidden (B, 512) -> (B, 512)"""
        next_hidden: torch.Tensor = self.rnn(x[None], hidden[None])[1][0]
        return next_hidden


class Core(nn.Module):
    """The layers before actor and critic."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.visual_encoder = nn.Sequential(
            nn.Conv2d(len(layout.cameras), 32, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 32, 3),
            nn.Flatten(),
            nn.Linear(32 * 12 * 12, HIDDEN),
            nn.ReLU(),
        )
        self.rnn_encoder = Recurrent(HIDDEN + sum(length for _, length in layout.states) + layout.actions)

    def forward(
        self, depth: torch.Tensor, state: torch.Tensor, previous: torch.Tensor, hidden: torch.Tensor
    ) -> torch.Tensor:
        seen = self.visual_encoder(depth)
        next_hidden: torch.Tensor = self.rnn_encoder(torch.cat((seen, state, previous), 1), hidden)
        return next_hidden


class Categorical(nn.Module):
    """Actor that returns the logits of the classes."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.linear = nn.Linear(HIDDEN, actions)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.linear(features)
        return logits


class Gaussian(nn.Module):
    """Actor that returns means, passed through tanh. `std` (log of the deviations, for training) is in every checkpoint
    but unused."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.mu = nn.Linear(HIDDEN, actions)
        self.std = nn.Parameter(torch.zeros(actions))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.mu(features))


class Critic(nn.Module):
    """Critic that returns the value of a state."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(HIDDEN, 1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        value: torch.Tensor = self.fc(features)
        return value


class Network(nn.Module):
    """One skill's network. It is stateless: hidden state and previous action are inputs and outputs."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout
        self.net = Core(layout)
        self.actor = Categorical(layout.actions) if layout.discrete else Gaussian(layout.actions)
        self.critic = Critic()

    def forward(self, depth: torch.Tensor, state: torch.Tensor, previous: torch.Tensor, hidden: torch.Tensor) -> Step:
        """Compute one step of a batch.

        Args:
            depth: (B, cameras, 128, 128) in 0..1, 1 is 10 m.
            state: (B, n).
            previous: The last action, one of the classes as a one-hot vector; zeros on the first step, as is hidden,
                (B, 512).
        """
        next_hidden = self.net(depth, state, previous, hidden)
        return Step(self.actor(next_hidden), self.critic(next_hidden), next_hidden)

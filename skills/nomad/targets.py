"""What NoMaD can be sent to: a node of the map, a picture, nothing in particular.

Each chooses, from what is seen now, the condition that paths are sampled for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from skills.nomad.network import NomadNetwork
from skills.policies.policy import PolicyFailed

RADIUS = 4
"""Nodes behind and ahead of the last one among which the robot looks for itself; one more ahead, as upstream has it."""
CLOSE = 3.0
"""Distance below which the next node becomes the subgoal, and a goal picture is reached, in steps of training."""
BATCH = 16
"""Goals that are encoded at once."""


@dataclass(frozen=True, slots=True)
class Choice:
    """condition: (256,). distance: to the closest node or the picture, in steps of training. node: the closest one."""

    condition: torch.Tensor
    distance: float = -1.0
    node: int = -1
    reached: bool = False


@dataclass(frozen=True, slots=True)
class Eyes:
    """What is seen now: the tokens (4, 256) of the last frames, oldest first, and the newest frame (3, 96, 96)."""

    network: NomadNetwork
    tokens: torch.Tensor
    newest: torch.Tensor

    def towards(self, goals: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """goals (n, 3, 96, 96) -> conditions (n, 256), distances (n,)"""
        encoder = self.network.vision_encoder
        made = [encoder.fuse(self.tokens, encoder.goal_tokens(self.newest, some)) for some in goals.split(BATCH)]
        conditions = torch.cat(made)
        return conditions, self.network.dist_pred_net(conditions)

    def nowhere(self) -> torch.Tensor:
        """The condition (256,) without goal."""
        return self.network.vision_encoder.fuse(self.tokens, None)[0]


class Target(Protocol):
    """May keep state: where on the map the robot is."""

    def choose(self, eyes: Eyes) -> Choice:
        """Raises PolicyFailed."""


class Anywhere:
    """Exploration: the goal is masked."""

    def choose(self, eyes: Eyes) -> Choice:
        return Choice(eyes.nowhere())


class Picture:
    """One goal picture (1, 3, 96, 96). Upstream has no stop rule for it; here it is reached when it is close."""

    def __init__(self, goal: torch.Tensor) -> None:
        self.goal = goal

    def choose(self, eyes: Eyes) -> Choice:
        conditions, distances = eyes.towards(self.goal)
        distance = float(distances[0])
        return Choice(conditions[0], distance, reached=distance < CLOSE)


class Way:
    """Nodes (n, 3, 96, 96) of a map up to one of the goals.

    Upstream the robot starts at node 0. Here it may be anywhere: at first it looks for itself on the whole map, and
    goes to the first of the goals from there on.
    """

    def __init__(self, nodes: torch.Tensor, goals: Sequence[int], loop: bool) -> None:
        self.nodes, self.goals, self.loop = nodes, goals, loop
        self.goal = self.closest = -1

    def choose(self, eyes: Eyes) -> Choice:
        window = self.window() if self.closest >= 0 else list(range(len(self.nodes)))
        conditions, distances = eyes.towards(self.nodes[window])
        best = int(distances.argmin())
        if self.closest < 0:
            self.goal = self.first_from(window[best])
        self.closest = window[best]
        distance = float(distances[best])
        subgoal = min(best + (distance < CLOSE), len(window) - 1)
        return Choice(conditions[subgoal], distance, self.closest, self.closest == self.goal)

    def window(self) -> list[int]:
        """The nodes around the last one, in order, none beyond the goal."""
        count, ahead = len(self.nodes), self.ahead(self.closest, self.goal)
        before = min(RADIUS, count - 1 - ahead if self.loop else self.closest)
        return [(self.closest + step) % count for step in range(-before, min(RADIUS + 1, ahead) + 1)]

    def ahead(self, node: int, goal: int) -> int:
        """Nodes from one to the other, forward; less than nothing where it lies behind."""
        return (goal - node) % len(self.nodes) if self.loop else goal - node

    def first_from(self, node: int) -> int:
        """The first goal that lies ahead of a node or is it."""
        ahead = [goal for goal in self.goals if self.ahead(node, goal) >= 0]
        if not ahead:
            raise PolicyFailed(f"the map passes the target before node {node}, where the robot seems to be")
        return min(ahead, key=lambda goal: self.ahead(node, goal))

"""The targets of NoMaD: a node of the map, an image, or exploration.

Each chooses, from the current images, the condition for which paths are sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from homie.kernel.types import FailureReason
from skills.nomad.network import NomadNetwork
from skills.policies.policy import PolicyFailed

RADIUS = 4
"""The robot localises itself among this many nodes behind and ahead of the last one, and one more ahead as upstream."""
CLOSE = 3.0
"""Distance in steps of the training data below which the next node becomes the subgoal, or a goal image is reached."""
BATCH = 16
"""Number of goals that are encoded at once."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The goal of the policy.

    Attributes:
        condition: Input of the sampler (256,).
        distance: Distance to the closest node or the image, in steps of the training data.
        node: The closest node.
    """

    condition: torch.Tensor
    distance: float = -1.0
    node: int = -1
    reached: bool = False


@dataclass(frozen=True, slots=True)
class CurrentImages:
    """The current images: the tokens (4, 256) of the last frames, oldest first, and the newest frame (3, 96, 96)."""

    network: NomadNetwork
    tokens: torch.Tensor
    newest: torch.Tensor

    def towards(self, goals: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """goals (n, 3, 96, 96) -> conditions (n, 256), distances (n,)"""
        encoder = self.network.vision_encoder
        fused = [encoder.fuse(self.tokens, encoder.goal_tokens(self.newest, batch)) for batch in goals.split(BATCH)]
        conditions = torch.cat(fused)
        return conditions, self.network.dist_pred_net(conditions)

    def without_goal(self) -> torch.Tensor:
        """Return the condition (256,) without a goal."""
        return self.network.vision_encoder.fuse(self.tokens, None)[0]


class Target(Protocol):
    """A target. It may keep state, such as the robot's node on the map."""

    def choose(self, observed: CurrentImages) -> Choice:
        """Return the goal for the current images. Raises PolicyFailed."""


class Exploration:
    """Exploration: the goal is masked."""

    def choose(self, observed: CurrentImages) -> Choice:
        return Choice(observed.without_goal())


class Picture:
    """One goal image (1, 3, 96, 96). Upstream has no stop rule for it; here it is reached when it is close."""

    def __init__(self, goal: torch.Tensor) -> None:
        self.goal = goal

    def choose(self, observed: CurrentImages) -> Choice:
        conditions, distances = observed.towards(self.goal)
        distance = float(distances[0])
        return Choice(conditions[0], distance, reached=distance < CLOSE)


class MapRoute:
    """Nodes (n, 3, 96, 96) of a map up to one of the goals.

    Upstream the robot starts at node 0. Here it may be anywhere: it first localises itself on the whole map and then
    goes to the first goal ahead.
    """

    def __init__(self, nodes: torch.Tensor, goals: Sequence[int], loop: bool) -> None:
        self.nodes, self.goals, self.loop = nodes, goals, loop
        self.goal = self.closest = -1

    def choose(self, observed: CurrentImages) -> Choice:
        window = self.window() if self.closest >= 0 else list(range(len(self.nodes)))
        conditions, distances = observed.towards(self.nodes[window])
        best = int(distances.argmin())
        if self.closest < 0:
            self.goal = self.first_from(window[best])
        self.closest = window[best]
        distance = float(distances[best])
        subgoal = min(best + (distance < CLOSE), len(window) - 1)
        return Choice(conditions[subgoal], distance, self.closest, self.closest == self.goal)

    def window(self) -> list[int]:
        """Return the nodes around the last one, in order, up to the goal."""
        count, nodes_ahead = len(self.nodes), self.ahead(self.closest, self.goal)
        nodes_behind = min(RADIUS, count - 1 - nodes_ahead if self.loop else self.closest)
        return [(self.closest + step) % count for step in range(-nodes_behind, min(RADIUS + 1, nodes_ahead) + 1)]

    def ahead(self, node: int, goal: int) -> int:
        """Return the number of nodes from one to the other in forward direction, negative if it lies behind."""
        return (goal - node) % len(self.nodes) if self.loop else goal - node

    def first_from(self, node: int) -> int:
        """Return the first goal at or ahead of a node. Raises PolicyFailed if there is none."""
        goals_ahead = [goal for goal in self.goals if self.ahead(node, goal) >= 0]
        if not goals_ahead:
            raise PolicyFailed(
                FailureReason.MODEL_CANNOT_GO_ON,
                why=f"the map passes the target before node {node}, where the robot seems to be",
            )
        return min(goals_ahead, key=lambda goal: self.ahead(node, goal))

"""The inference loop of NoMaD (`deployment/src/navigate.py` and `explore.py`, MIT): an image in, a waypoint out.

image -> queue of 4 -> conditions for the goals in question -> distances -> subgoal -> 8 paths -> a waypoint
"""

from __future__ import annotations

import json
from collections import deque

import numpy as np
import torch

from homie.kernel.types import Array
from skills.nomad.network import FRAMES, NomadNetwork
from skills.nomad.preprocessing import prepare
from skills.nomad.sampler import LENGTH, sample, waypoints
from skills.nomad.steering import RATE, SPACING
from skills.nomad.targets import CurrentImages, Exploration, MapRoute, Picture, Target
from skills.nomad.topomap import TopoMap
from skills.policies.policy import Named, cannot_go_on

PATHS, CHOSEN, WAYPOINT = 8, 0, 2
"""Number of sampled paths, index of the one that is used, and index of the waypoint on it, as upstream."""


class NomadPolicy:
    """NoMaD without a robot; see `skills.policies.policy.Policy`.

    `reset` takes `nodes` (integers, of the map), or `picture` (h, w, 3) uint8 of the goal, or neither for exploration.
    `step` takes `picture` (h, w, 3) uint8, RATE times per second. It returns `ready`, which is false until there are
    four images; then `waypoint` (2,) in metres, x forward, y left; `reached`; `distance` to the subgoal in steps of the
    training data; and `node`, the robot's node on the map. The last two are -1 if there are none.
    """

    def __init__(
        self, network: NomadNetwork, chart: TopoMap | None = None, *, explore_seconds: float = 0.0, seed: int = 0
    ) -> None:
        """Load the policy.

        Args:
            explore_seconds: How long a skill may explore, 0 for never.
            seed: Seed of the noise from which paths are sampled.
        """
        self.network = network
        self.chart = chart
        self._nodes = prepare(chart.nodes) if chart is not None else None
        self._rng = torch.Generator().manual_seed(seed)
        self._tokens: deque[torch.Tensor] = deque(maxlen=FRAMES)
        self._target: Target = Exploration()
        names = {} if chart is None else {name: list(numbers) for name, numbers in chart.names.items()}
        self.facts: Named = {"rate": RATE, "names": json.dumps(names), "explore_seconds": explore_seconds}

    def reset(self, goal: Named) -> None:
        self._tokens.clear()
        if "nodes" in goal:
            if self.chart is None or self._nodes is None:
                raise cannot_go_on("NoMaD has no map")
            numbers = [int(number) for number in np.asarray(goal["nodes"])]
            if not numbers or not all(0 <= number < len(self._nodes) for number in numbers):
                raise cannot_go_on(f"the map has no nodes {numbers}")
            self._target = MapRoute(self._nodes, numbers, self.chart.loop)
        elif "picture" in goal:
            self._target = Picture(prepare([np.asarray(goal["picture"])]))
        else:
            self._target = Exploration()

    def step(self, inputs: Named) -> Named:
        with torch.inference_mode():
            newest = prepare([np.asarray(inputs["picture"])])
            self._tokens.append(self.network.vision_encoder.frame_tokens(newest)[0])
            if len(self._tokens) < FRAMES:
                return {"ready": False}
            choice = self._target.choose(CurrentImages(self.network, torch.stack(list(self._tokens)), newest[0]))
            waypoint = self._waypoint(choice.condition)
        return {
            "ready": True,
            "waypoint": waypoint,
            "distance": choice.distance,
            "node": choice.node,
            "reached": choice.reached,
        }

    def _waypoint(self, condition: torch.Tensor) -> Array:
        """Return the waypoint (2,) in metres for a condition (256,)."""
        repeated = condition.expand(PATHS, -1)
        x = sample(lambda x, step: self.network.noise_pred_net(x, step, repeated), self._noise, self._noise())
        point: Array = SPACING * waypoints(x)[CHOSEN, WAYPOINT].numpy().astype(np.float64)
        return point

    def _noise(self) -> torch.Tensor:
        return torch.randn((PATHS, LENGTH, 2), generator=self._rng)

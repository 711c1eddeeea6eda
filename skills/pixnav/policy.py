"""The inference loop of PixNav, written from its description: an image in, one of six actions out."""

from __future__ import annotations

import numpy as np
import torch

from homie.kernel.types import FailureReason
from skills.pixnav.actions import FORWARD, STOP
from skills.pixnav.network import WINDOW, Decoding, PixNavNetwork
from skills.pixnav.preprocessing import HEIGHT, WIDTH, prepare, prepare_goal
from skills.policies.policy import Named, PolicyFailed, cannot_go_on

EARLY_STOP = 33
"""The decision from which the action is `stop`, whatever the network's output, as in the original."""
BLOCKED = -1.0
"""The value of `forward` after a collision, which rules the action out."""


class PixNavPolicy:
    """PixNav without a robot; see `skills.policies.policy.Policy`.

    `reset` takes `picture` (h, w, 3) uint8, the first image, and `pixel` (2,), the goal in it: x, y as fractions of
    width and height. `step` takes `picture` (h, w, 3) uint8 and `collided`, whether the last action was cut short. It
    returns `action` (0 stop, 1 forward, 2 left, 3 right, 4 look up, 5 look down); `forced`, whether the stop is the
    forced one; `values` (6,) float32 of the network; `distance`, its estimate in units of 10 m; `goal` (2,), its
    estimate of the goal in the image: y, x as fractions.
    """

    def __init__(self, network: PixNavNetwork) -> None:
        self.network = network
        self.facts: Named = {"calls": EARLY_STOP}
        self._decoding: Decoding | None = None

    def reset(self, goal: Named) -> None:
        picture, (x, y) = np.asarray(goal["picture"]), np.asarray(goal["pixel"], dtype=np.float64).tolist()
        if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
            raise PolicyFailed(FailureReason.GOAL_NOT_IN_PICTURE)
        at = min(int(x * WIDTH), WIDTH - 1), min(int(y * HEIGHT), HEIGHT - 1)
        with torch.inference_mode():
            self._decoding = Decoding(self.network, prepare_goal(picture, at))

    def step(self, inputs: Named) -> Named:
        if self._decoding is None:
            raise cannot_go_on("PixNav was asked for an action before an attempt began")
        if self._decoding.length == WINDOW:
            raise cannot_go_on(f"PixNav sees no more than {WINDOW} pictures")
        with torch.inference_mode():
            heads = self._decoding.extend(prepare(np.asarray(inputs["picture"])))
        values, distance, goal = (head.numpy() for head in heads)
        choice = values.copy()
        if inputs["collided"]:
            choice[FORWARD] = BLOCKED
        forced = self._decoding.length >= EARLY_STOP
        return {
            "action": STOP if forced else int(choice.argmax()),
            "forced": forced,
            "values": values,
            "distance": float(distance[0]),
            "goal": goal,
        }

"""The M3 networks with their authors' inference loop: recurrent, with the last action as input, always the most likely
action of the allowed ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from homie.kernel.types import FailureReason
from skills.m3.layout import DEPTH_RANGE, SIZE
from skills.m3.network import HIDDEN, Network
from skills.policies.policy import Named, PolicyFailed, cannot_go_on, input_numbers


class M3Policy:
    """M3 without a robot, with one network per skill; see `skills.policies.policy.Policy`.

    facts: `skills`, the names of `LAYOUTS` that have a network, joined by blanks.
    reset: takes `skill`, one of them.
    step, for `navigate`: takes head_depth (128, 128) float32 in metres (0: no return), goal_at_base (3,), and allowed
    (20,), which actions it may choose (left out: all). Returns `action`, 0..19; see `layout.LINEAR`. For the others:
    takes head_depth, arm_depth, arm_joint_pos (7,) rad, is_grasped (0 or 1), gripper_pos_at_base, goal_at_gripper,
    goal_at_base (3,) in m. Returns `action`, (10,) float32 in -1..1: base linear and angular, seven joints, gripper.
    Frames: `skills.m3.frames`.
    """

    def __init__(self, networks: Mapping[str, Network]) -> None:
        self._networks = networks
        self._network: Network | None = None
        self._hidden = self._previous = torch.zeros(0)

    @property
    def facts(self) -> Named:
        return {"skills": " ".join(self._networks)}

    def reset(self, goal: Named) -> None:
        skill = str(goal["skill"])
        if skill not in self._networks:
            raise PolicyFailed(FailureReason.NO_CHECKPOINT, skill=skill)
        self._network = self._networks[skill]
        self._hidden = torch.zeros(1, HIDDEN)
        self._previous = torch.zeros(1, self._network.layout.actions)

    def step(self, inputs: Named) -> Named:
        if self._network is None:
            raise cannot_go_on("M3 was asked for an action before an attempt began")
        layout = self._network.layout
        depth = np.stack([_picture(inputs, name) for name in layout.cameras])
        state = np.concatenate([_numbers(inputs, name, length) for name, length in layout.states])
        with torch.inference_mode():
            output = self._network(_batch(depth), _batch(state), self._previous, self._hidden)
            self._hidden = output.hidden
            if layout.discrete:
                logits = output.actor[0]
                if "allowed" in inputs:
                    allowed = torch.from_numpy(_numbers(inputs, "allowed", layout.actions) > 0)
                    logits = logits.masked_fill(~allowed, -torch.inf)
                index = int(logits.argmax())
                self._previous = torch.nn.functional.one_hot(torch.tensor([index]), layout.actions).float()
                return {"action": index}
            self._previous = output.actor
            return {"action": output.actor[0].numpy()}


def _picture(inputs: Named, name: str) -> np.ndarray:
    """Return an image (128, 128) float32 in 0..1 from metres."""
    metres = _numbers(inputs, name, SIZE * SIZE).reshape(SIZE, SIZE)
    return np.clip(metres / np.float32(DEPTH_RANGE), 0.0, 1.0)


def _numbers(inputs: Named, name: str, length: int) -> np.ndarray:
    return input_numbers("M3", inputs, name, length, np.float32)


def _batch(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values)[None]

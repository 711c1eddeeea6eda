"""Octo's inference loop: pictures in, one motion out.

    pictures --resize--> the last two steps' --stems, transformer--> readout --20 steps of diffusion--> chunk --> action

A picture is encoded once, and only if the network runs at its step or the one after. The text is encoded once.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray

from homie.kernel.types import Array, Image
from skills.networks.resize import lanczos3
from skills.octo.actions import Gripper, Statistics, motion
from skills.octo.chunks import Chunks
from skills.octo.network import ACTION, CAMERAS, CHUNK, DIFFUSION, WINDOW, OctoNetwork
from skills.policies.policy import Named


class Texts(Protocol):
    """Embeddings (16, 768) by text, or by another wording if the text has none. May raise PolicyFailed."""

    def first(self, text: str, other: str) -> NDArray[np.float32]: ...


class OctoPolicy:
    """Octo without a robot; see `skills.policies.policy.Policy`.

    `reset` takes `text`, `listed` (the same instruction with the listed names, used if a table lacks the text) and
    `gripper` (its opening now, 0..1). `step` takes `primary` (h, w, 3) uint8, and `wrist` if the network should see it.
    It returns the fields of `skills.policies.motions.Motion`, and `action` (7,) in the units of the data set.

    Args:
        network: with loaded weights.
        texts: embeddings of instructions.
        statistics: of the data set whose units actions have.
        chunks: chooses the actions of chunks to execute.
        gripper: converts the gripper's number.
        facts: what the skills need to know of the policy.
        seed: of the noise from which chunks are sampled; every attempt has noise of its own.
    """

    def __init__(
        self,
        *,
        network: OctoNetwork,
        texts: Texts,
        statistics: Statistics,
        chunks: Chunks,
        gripper: Gripper,
        facts: Named,
        seed: int = 0,
    ) -> None:
        self.network = network.eval()
        self.texts = texts
        self.statistics = statistics
        self.chunks = chunks
        self.gripper = gripper
        self.seed = seed
        self._facts = facts
        self._device = network.text.weight.device
        self._attempts = 0
        self._noise = torch.Generator()
        self._text = torch.zeros(1)
        self._pictures: deque[dict[str, Image]] = deque(maxlen=WINDOW)
        self._tokens: deque[dict[str, torch.Tensor] | None] = deque(maxlen=WINDOW)

    @property
    def facts(self) -> Named:
        return self._facts

    def reset(self, goal: Named) -> None:
        text = str(goal["text"])
        embedding = self.texts.first(text, str(goal.get("listed", text)))
        self._text = torch.from_numpy(np.array(embedding))[None].to(self._device)
        self._noise.manual_seed(int(np.random.SeedSequence((self.seed, self._attempts)).generate_state(1)[0]))
        self._attempts += 1
        self._pictures.clear()
        self._tokens.clear()
        self.chunks.reset()
        self.gripper.reset(float(cast(float, goal["gripper"])))

    def step(self, inputs: Named) -> Named:
        self._pictures.append({name: cast(Image, inputs[name]) for name in CAMERAS if name in inputs})
        self._tokens.append(None)
        action = self.chunks.step(self.predict)
        return {**motion(action, self.gripper).named(), "action": action}

    def predict(self) -> Array:
        """The chunk (4, 7) for the pictures so far, in the units of the data set. At the first step that step is
        repeated as padding."""
        with torch.inference_mode():
            steps = [self._encoded(number) for number in range(len(self._pictures))]
            padded = [steps[0]] * (WINDOW - len(steps)) + steps
            real = torch.tensor([[False] * (WINDOW - len(steps)) + [True] * len(steps)], device=self._device)
            seen = {name: torch.stack([step[name] for step in padded], 1) for name in steps[-1]}
            readout = self.network(seen, self._text, real)[:, -1]
            noise = torch.randn(DIFFUSION + 1, 1, CHUNK * ACTION, generator=self._noise).to(self._device)
            chunk = self.network.head.sample(readout, noise)[0].cpu().numpy()
        return self.statistics.actions(chunk.astype(np.float64))

    def _encoded(self, number: int) -> dict[str, torch.Tensor]:
        """Tokens (1, n, width) of a step's pictures, cached for the next step."""
        kept = self._tokens[number]
        if kept is not None:
            return kept
        tokens = {name: self.network.encode(name, self._pixels(name, number)) for name in self._pictures[number]}
        self._tokens[number] = tokens
        return tokens

    def _pixels(self, name: str, number: int) -> torch.Tensor:
        resized = lanczos3(self._pictures[number][name], CAMERAS[name], CAMERAS[name])
        return torch.from_numpy(np.ascontiguousarray(resized.transpose(2, 0, 1)))[None].to(self._device)

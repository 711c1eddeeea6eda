"""Octo's inference loop: images in, one motion out.

    pictures --resize--> the last two steps' --stems, transformer--> readout --20 steps of diffusion--> chunk --> action

An image is encoded once, and only if the network runs at its step or the one after. The text is encoded once.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray

from homie.kernel.types import Array, Image
from skills.effector.octo_actions import Gripper, Statistics, motion
from skills.effector.octo_chunks import Chunks
from skills.effector.octo_network import ACTION, CAMERAS, CHUNK, DIFFUSION, WINDOW, OctoNetwork
from skills.policies.motions import Motion
from skills.policies.policy import Named
from skills.policies.resize import lanczos3


class Texts(Protocol):
    """Embeddings (16, 768) by text, or by another wording if the text has none. May raise PolicyFailed."""

    def first(self, text: str, other: str) -> NDArray[np.float32]: ...


class ChunkPredictor:
    """Octo's network with its text, its window of images and its noise: all of a policy but `step`.

    `reset` takes `text`, `listed` (the same instruction with the listed names, used if a table lacks the text) and
    `gripper` (its current opening, 0..1).

    Args:
        network: with loaded weights.
        texts: embeddings of instructions.
        statistics: of the data set whose units actions have.
        gripper: converts the gripper's number.
        facts: facts of the policy for the skills.
        seed: of the noise from which chunks are sampled; every attempt has noise of its own.
    """

    def __init__(
        self,
        *,
        network: OctoNetwork,
        texts: Texts,
        statistics: Statistics,
        gripper: Gripper,
        facts: Named,
        seed: int = 0,
    ) -> None:
        self.network = network.eval()
        self.texts = texts
        self.statistics = statistics
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
        self.forget_pictures()
        self.gripper.reset(float(cast(float, goal["gripper"])))

    def see(self, inputs: Named) -> None:
        """Add images to the window: `primary` (h, w, 3) uint8, and `wrist` if the network should use it."""
        self._pictures.append({name: cast(Image, inputs[name]) for name in CAMERAS if name in inputs})
        self._tokens.append(None)

    def forget_pictures(self) -> None:
        """Clear the window of images."""
        self._pictures.clear()
        self._tokens.clear()

    def predict(self) -> Array:
        """Return the chunk (4, 7) for the images so far, in the units of the data set. At the first step that step is
        repeated as padding."""
        with torch.inference_mode():
            steps = [self._encode_step(number) for number in range(len(self._pictures))]
            padded = [steps[0]] * (WINDOW - len(steps)) + steps
            real = torch.tensor([[False] * (WINDOW - len(steps)) + [True] * len(steps)], device=self._device)
            seen = {name: torch.stack([step[name] for step in padded], 1) for name in steps[-1]}
            readout = self.network(seen, self._text, real)[:, -1]
            noise = torch.randn(DIFFUSION + 1, 1, CHUNK * ACTION, generator=self._noise).to(self._device)
            chunk = self.network.head.sample(readout, noise)[0].cpu().numpy()
        return self.statistics.actions(chunk.astype(np.float64))

    def _encode_step(self, number: int) -> dict[str, torch.Tensor]:
        """Return the tokens (1, n, width) of a step's images, cached for the next step."""
        step_tokens = self._tokens[number]
        if step_tokens is not None:
            return step_tokens
        tokens = {name: self.network.encode(name, self._pixels(name, number)) for name in self._pictures[number]}
        self._tokens[number] = tokens
        return tokens

    def _pixels(self, name: str, number: int) -> torch.Tensor:
        resized = lanczos3(self._pictures[number][name], CAMERAS[name], CAMERAS[name])
        return torch.from_numpy(np.ascontiguousarray(resized.transpose(2, 0, 1)))[None].to(self._device)


class OctoPolicy(ChunkPredictor):
    """Octo without a robot, one motion at a time; see `skills.policies.policy.Policy`.

    `step` takes images as `see` does and returns the fields of `skills.policies.motions.Motion`, and `action` (7,) in
    the units of the data set.

    Args:
        chunks: Chooses the actions of chunks to execute; the rest is `ChunkPredictor`'s.
    """

    def __init__(self, *, chunks: Chunks, **options: Any) -> None:
        super().__init__(**options)
        self.chunks = chunks

    def reset(self, goal: Named) -> None:
        super().reset(goal)
        self.chunks.reset()

    def step(self, inputs: Named) -> Named:
        self.see(inputs)
        action = self.chunks.step(self.predict)
        return {**motion(action, self.gripper).to_dict(), "action": action}


class OctoAhead(ChunkPredictor):
    """Octo queried for a whole chunk while motions of the last one are carried out (`skills.policies.pacing`).

    `step` takes `number`, that of the first motion of its answer, and images as `see` does. It returns the chunk as
    `skills.policies.motions.Motion.several`, and `action` (4, 7). The network gets only the current images, as at the
    first step of an episode: the previous image is several motions old, and training used one from a single motion ago.
    """

    def reset(self, goal: Named) -> None:
        super().reset(goal)
        self._last: tuple[int, Array] = (0, np.zeros((0, ACTION)))

    def step(self, inputs: Named) -> Named:
        number = int(cast(int, inputs["number"]))
        first, chunk = self._last
        for action in chunk[: number - first]:  # carried out meanwhile: a sticky gripper counts its steps
            motion(action, self.gripper)
        self.forget_pictures()
        self.see(inputs)
        actions = self.predict()
        self._last = number, actions
        gripper = copy(self.gripper)
        return {**Motion.stack([motion(action, gripper) for action in actions]), "action": actions}

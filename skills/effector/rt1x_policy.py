"""RT-1-X's inference loop: one new frame in, one action out.

    frame --resize--> tokenizer --81 tokens--> the last 15 frames' tokens --transformer--> 11 tokens --> motion

Only the new frame is encoded; tokens of older frames are kept.
"""

from __future__ import annotations

from collections import deque
from typing import Literal, cast

import numpy as np
import torch

from homie.kernel.types import Image
from skills.effector.rt1x_actions import Embodiment
from skills.effector.rt1x_network import FRAMES, SIDE, Rt1xNetwork
from skills.policies.policy import Named
from skills.policies.resize import bilinear
from skills.policies.text_table import TextTable
from skills.policies.tokens import Tokens


class Rt1xPolicy:
    """RT-1-X without a robot; see `skills.policies.policy.Policy`.

    `reset` takes `text`, `listed` (the same instruction with the listed names, used if the table lacks the text) and
    `gripper` (its current opening, 0..1). `step` takes `primary` (h, w, 3) uint8. It returns the fields of
    `skills.policies.motions.Motion`, and `tokens` (11,).

    Args:
        network: with loaded weights.
        texts: embeddings of instructions.
        embodiment: decodes tokens into motions.
        facts: facts of the policy for the skills.
        history: the frames before the first. `repeat`: the first frame, 15 times. `grow`: none; frames are placed from
            the first position on, as in the TensorFlow policy.
    """

    def __init__(
        self,
        *,
        network: Rt1xNetwork,
        texts: TextTable,
        embodiment: Embodiment,
        facts: Named,
        history: Literal["repeat", "grow"] = "repeat",
    ) -> None:
        self.network = network.eval()
        self.texts = texts
        self.embodiment = embodiment
        self.history = history
        self._facts = facts
        self._device = network.output.weight.device
        self._tokens: deque[torch.Tensor] = deque(maxlen=FRAMES)
        self._text = torch.zeros(1)

    @property
    def facts(self) -> Named:
        return self._facts

    def reset(self, goal: Named) -> None:
        text = str(goal["text"])
        embedding = self.texts.first(text, str(goal.get("listed", text)))
        self._text = torch.from_numpy(embedding)[None].to(self._device)
        self._tokens.clear()
        self.embodiment.reset(float(cast(float, goal["gripper"])))

    def step(self, inputs: Named) -> Named:
        tokens = self.action_tokens(cast(Image, inputs["primary"]))
        return {**self.embodiment.motion(tokens).to_dict(), "tokens": tokens}

    def action_tokens(self, picture: Image) -> Tokens:
        """Return the 11 tokens of the action after the next image (h, w, 3) uint8."""
        with torch.inference_mode():
            frame = bilinear(picture, SIDE, SIDE).to(self._device) / 255.0
            self._tokens.append(self.network.tokenizer(frame, self._text))
            if self.history == "repeat":
                while len(self._tokens) < FRAMES:
                    self._tokens.append(self._tokens[-1])
            logits = self.network.action_logits(torch.stack(tuple(self._tokens), dim=1))
            return np.asarray(logits[0].argmax(-1).cpu().numpy())

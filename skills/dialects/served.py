"""A policy of ours for clients of other toolkits: the code shared by the sessions of each dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from skills.dialects.layouts import LAYOUTS
from skills.policies.motions import CONVENTIONS, Motion
from skills.policies.policy import Policy
from skills.policy_codec import CodecError

FINGER = 0.04
"""Travel (m) of one finger of an open hand, as in LIBERO's state."""


class ServedMotions:
    """Queries a policy for chunks of actions in a layout.

    Args:
        name: Name of the skill set, for the error message.
        policy: A policy that moves a hand.
        dialect: Name of the dialect, for the error message.

    Raises:
        BadInput: The policy does not move a hand.
    """

    def __init__(self, name: str, policy: Policy, dialect: str) -> None:
        facts = policy.facts
        try:
            CONVENTIONS.check(name, facts)
        except BadInput as error:
            raise BadInput(
                f"The policy of {name} gives no motions of a hand, and the dialect of {dialect} carries nothing else:"
                " leave out --dialect."
            ) from error
        self.policy = policy
        self.sees_wrist = bool(facts.get("wrist"))
        self._is_chunked = "ahead" in facts
        self._next_number = 0
        self.layout = replace(LAYOUTS["libero"], rate=float(np.asarray(facts["rate"])), pictures="upright")

    def begin(self, text: str, state: object) -> None:
        """Begin an episode. Raises PolicyFailed."""
        opening = 1.0
        if isinstance(state, np.ndarray) and state.shape == (8,):
            opening = float(np.clip(state[6] / FINGER, 0.0, 1.0))
        self._next_number = 0
        self.policy.reset({"text": text, "listed": text, "gripper": opening})

    def actions(self, pictures: Mapping[str, object]) -> NDArray[np.float32]:
        """Return the chunk (H, 7) for images by the client's names. Raises CodecError, PolicyFailed."""
        inputs: dict[str, Any] = {}
        for name, (key, picture) in zip(("primary", "wrist"), pictures.items(), strict=False):
            if name == "wrist" and not self.sees_wrist:
                continue
            if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.shape[2:] != (3,):
                raise CodecError(f"The observation has no picture '{key}' (H, W, 3) of uint8.")
            inputs[name] = picture[..., ::-1].copy() if self.layout.channels == "bgr" else picture
        if not self._is_chunked:
            return self.layout.actions([Motion.of(self.policy.step(inputs))])
        motions = Motion.several(self.policy.step({**inputs, "number": self._next_number}))
        self._next_number += len(motions)
        return self.layout.actions(motions)

"""The dialect of openpi: metadata first, then observations and their actions.

server: {metadata} --> client: {"observation/image", ..., "prompt"} --> server: {"actions": (H, 7), "server_timing"}

A server that fails sends its traceback as a text and closes. There is no reset, and messages have no number: a client
whose request timed out closes its session.

Servers of BEHAVIOR's challenge have a reset without answer, and return one action if no chunk is requested:

client: {"reset": True}, {..., "__action_chunk_size__": K} --> server: {"action": (D,), "action_chunk": (K, D)}
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from homie.kernel.support.version import __version__
from skills.dialects.client import DialectPolicy, DialectSettings, received
from skills.dialects.codec import pack, unpack
from skills.dialects.hand import Hand
from skills.dialects.served import ServedMotions
from skills.policies.policy import Named, Policy, cannot_go_on
from skills.policy_codec import CodecError
from skills.policy_wire import ServerUnreachable, Wire

CHUNK_SIZE = "__action_chunk_size__"
BATCHED = 3
"""Number of dimensions of the chunks of several robots."""
IMAGE, WRIST_IMAGE, STATE = "observation/image", "observation/wrist_image", "observation/state"


class OpenPiSettings(DialectSettings):
    """Settings of the skill set `openpi`."""

    dialect: Literal["openpi", "behavior"] = Field(default="openpi", description="Of openpi, or of BEHAVIOR's servers.")
    image_key: str = Field(default=IMAGE, description="The picture's name in an observation.")
    wrist_key: str = Field(default=WRIST_IMAGE, description="The name of the picture of the hand's camera.")
    state_key: str = Field(default=STATE, description="The name of the state.")


class OpenPiPolicy(DialectPolicy):
    """A policy on a server of openpi."""

    dialect = "openpi"
    settings: OpenPiSettings

    def conventions(self) -> Mapping[str, Any]:
        declared = self.welcome.get("conventions")
        return declared if isinstance(declared, dict) else {}

    def _greet(self, wire: Wire, seconds: float) -> Mapping[str, Any]:
        return received(wire.receive(seconds))

    def _begin(self, wire: Wire, goal: Named) -> None:
        self._text = str(goal["text"])
        if self.settings.dialect == "behavior":
            self._send(wire, {"reset": True})

    def _ask(self, wire: Wire, pictures: Mapping[str, np.ndarray], hand: Hand) -> object:
        keys = {"primary": self.settings.image_key, "wrist": self.settings.wrist_key}
        images = {keys[name]: picture for name, picture in pictures.items()}
        chunk_fields = {CHUNK_SIZE: self._chunk} if self.settings.dialect == "behavior" and self._chunk > 1 else {}
        self._send(wire, {**images, self.settings.state_key: hand.libero(), "prompt": self._text, **chunk_fields})
        reply = wire.receive(self._deadlines.reply)
        if isinstance(reply, str):
            self._drop()  # the server closes after a traceback
            raise self._server_failure(reply)
        answer = received(reply)
        name = "action" if self.settings.dialect == "behavior" else "actions"
        if name not in answer:
            raise ServerUnreachable(f"its answer has no '{name}' but {', '.join(map(str, answer)) or 'nothing'}")
        return _chunk_of(answer) if "action_chunk" in answer else answer[name]

    @property
    def _chunk(self) -> int:
        """Number of actions requested per answer: twice the number left at which the next request is sent."""
        threshold = self.settings.ahead
        return self.settings.execute if threshold is None else 2 * threshold


def _chunk_of(answer: Mapping[str, Any]) -> np.ndarray:
    """Return the chunk (K, D) of one robot. Raises PolicyFailed if its first action is not the one beside it."""
    first, chunk = np.asarray(answer.get("action")), np.asarray(answer["action_chunk"])
    if chunk.ndim == BATCHED and len(chunk) == 1:
        chunk = chunk[0]
    if chunk.ndim != BATCHED - 1 or not len(chunk) or not np.array_equal(chunk[0], first.reshape(-1)):
        raise cannot_go_on("the first of its 'action_chunk' is not its 'action'")
    return chunk


class OpenPiSession:
    """A client of openpi at a server of ours. A new prompt begins an episode, and so does `{"reset": true}`, which has
    no answer.

    Args:
        name: Name of the skill set.
        policy: Policy for this client alone.
    """

    health: Mapping[str, str] = {"/healthz": "OK\n"}
    closes = True

    def __init__(self, name: str, policy: Policy) -> None:
        self._motions = ServedMotions(name, policy, "openpi")
        self._text: str | None = None
        self._previous_ms: float | None = None
        keys = [IMAGE, WRIST_IMAGE] if self._motions.sees_wrist else [IMAGE]
        self.greeting: bytes | None = pack(
            {
                "policy": name,
                "homie": __version__,
                "observation": [*keys, STATE, "prompt"],
                "conventions": self._motions.layout.to_dict(),
            },
            "openpi",
        )

    def answer(self, frame: bytes | str) -> bytes | None:
        """Return the reply to a frame. Raises CodecError, PolicyFailed."""
        start = time.perf_counter()
        seen = unpack(frame)
        if not isinstance(seen, dict):
            raise CodecError("An observation is a mapping.")
        if seen.get("reset") is True:
            self._text = None
            return None
        text = seen.get("prompt")
        if not isinstance(text, str):
            raise CodecError("The observation has no 'prompt'.")
        if text != self._text:
            self._motions.begin(text, seen.get(STATE))
            self._text = text
        actions = self._motions.actions({key: seen.get(key) for key in (IMAGE, WRIST_IMAGE)})
        elapsed_ms = (time.perf_counter() - start) * 1000
        timing = {"infer_ms": elapsed_ms, **({} if self._previous_ms is None else {"prev_total_ms": self._previous_ms})}
        self._previous_ms = elapsed_ms
        return pack({"actions": actions, "server_timing": timing}, "openpi")

    def problem(self, frame: bytes | str, reason: str) -> bytes | str:
        return reason

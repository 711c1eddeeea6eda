"""The dialect of Isaac GR00T N1.6 and later: endpoints over ZeroMQ.

client: {"endpoint": "get_modality_config"}, "reset", "get_action" --> server: what it returns, or {"error"}

Observations are {"video": {name: (1, 1, H, W, 3)}, "state": {name: (1, 1, D)}, "language": {name: [[text]]}}, actions
{name: (1, H, D)}. Which names there are is the server's modality configuration; those of LIBERO are taken. `kill`,
which ends a server, is never sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import Field

from homie.kernel.errors import BadInput
from skills.dialects.client import DialectPolicy, DialectSettings
from skills.dialects.codec import unpack
from skills.dialects.hand import Hand
from skills.dialects.zmq_wire import ZmqWire
from skills.policies.policy import Named, PolicyFailed, cannot_go_on
from skills.policy_access import read_token
from skills.policy_codec import CodecError
from skills.policy_wire import ServerUnreachable, Wire

STATE: Mapping[str, slice] = {
    **{name: slice(place, place + 1) for place, name in enumerate(("x", "y", "z", "roll", "pitch", "yaw"))},
    "gripper": slice(6, 8),
}
"""Slices of LIBERO's state by GR00T's names; roll, pitch and yaw are its rotation vector."""
ACTION = ("x", "y", "z", "roll", "pitch", "yaw", "gripper")
MODALITIES = ("video", "state", "action", "language")


class Gr00tSettings(DialectSettings):
    """Settings of the skill set `gr00t`."""

    image_key: str = Field(default="image", description="The picture's name in `video`.")
    wrist_key: str = Field(default="wrist_image", description="The name of the picture of the hand's camera.")


class Gr00tPolicy(DialectPolicy):
    """A policy on a server of Isaac GR00T."""

    dialect = "gr00t"
    schemes = ("tcp",)
    settings: Gr00tSettings

    def conventions(self) -> Mapping[str, Any]:
        """Raises BadInput for a robot other than LIBERO's."""
        pictures = {self.settings.image_key, *([self.settings.wrist_key] if self.settings.wrist else [])}
        expected = {"video": pictures, "state": set(STATE), "action": set(ACTION)}
        for modality, allowed in expected.items():
            if other := [name for name in self._names(modality) if name not in allowed]:
                raise BadInput(
                    f"The policy server at {self.url} has a '{other[0]}' in '{modality}', and Homie"
                    f" {'takes' if modality == 'action' else 'gives'} {', '.join(sorted(allowed))}: serve a checkpoint"
                    " for LIBERO's robot, or name its pictures (`gr00t.image_key`, `gr00t.wrist_key`)."
                )
        if missing := [name for name in ACTION if name not in self._names("action")]:
            raise BadInput(f"The policy server at {self.url} gives no '{missing[0]}', which Homie needs.")
        for modality in ("video", "state"):
            if self._modality(modality).get("delta_indices", [0]) != [0]:
                raise BadInput(
                    f"The policy server at {self.url} wants a history in '{modality}', and Homie keeps none."
                )
        return {}  # it does not declare the conventions of its values

    def _open(self, seconds: float) -> Wire:
        return ZmqWire(self.url)

    def _greet(self, wire: Wire, seconds: float) -> Mapping[str, Any]:
        try:
            answer = self._call(wire, "get_modality_config", None, seconds)
        except PolicyFailed as error:
            raise ServerUnreachable(str(error)) from error
        if not isinstance(answer, dict) or not all(isinstance(answer.get(name), dict) for name in MODALITIES):
            raise ServerUnreachable("it tells no modalities")
        return answer

    def _begin(self, wire: Wire, goal: Named) -> None:
        self._text = str(goal["text"])
        self._call(wire, "reset", {"options": None}, self._deadlines.reply)

    def _ask(self, wire: Wire, pictures: Mapping[str, np.ndarray], hand: Hand) -> object:
        keys, state = {"primary": self.settings.image_key, "wrist": self.settings.wrist_key}, hand.libero()
        seen = {keys[name]: picture[None, None] for name, picture in pictures.items()}
        observation = {
            "video": {name: seen[name] for name in self._names("video")},
            "state": {name: state[None, None, STATE[name]] for name in self._names("state")},
            "language": {name: [[self._text]] for name in self._names("language")},
        }
        answer = self._call(wire, "get_action", {"observation": observation, "options": None}, self._deadlines.reply)
        action = answer[0] if isinstance(answer, list) and answer else None
        columns = [action.get(name) for name in ACTION] if isinstance(action, dict) else [None]
        try:
            return np.concatenate([column[0] for column in columns if isinstance(column, np.ndarray)], axis=-1)
        except (IndexError, ValueError) as error:
            raise cannot_go_on(f"its actions are no arrays {', '.join(ACTION)}") from error

    def _call(self, wire: Wire, endpoint: str, data: Mapping[str, Any] | None, seconds: float) -> Any:
        """Call an endpoint and return its result. Raises Unreachable, PolicyFailed; BadInput for a wrong token."""
        token = read_token(self.settings.token_env)
        request = {"endpoint": endpoint, **({} if data is None else {"data": data})}
        self._send(wire, {**request, **({"api_token": token} if token else {})})
        try:
            answer = unpack(wire.receive(seconds))
        except CodecError as error:
            raise ServerUnreachable(f"its answer cannot be read: {error}") from error
        if isinstance(answer, dict) and "error" in answer:
            if str(answer["error"]).startswith("Unauthorized"):
                raise BadInput(
                    "The policy server wants another token: put its token in the environment variable that"
                    " the setting `token_env` names."
                )
            raise self._server_failure(answer["error"])
        return answer

    def _modality(self, name: str) -> Mapping[str, Any]:
        """Return the configuration of one modality, as JSON."""
        inside = self.welcome[name].get("as_json", self.welcome[name])
        return inside if isinstance(inside, dict) else {}

    def _names(self, modality: str) -> list[str]:
        names = self._modality(modality).get("modality_keys")
        return [str(name) for name in names] if isinstance(names, list) else []

"""The dialect of vla-eval: numbered messages with a type and a payload, a hello from both sides, episodes.

client: hello --> server: hello with its conventions; client: episode_start (no answer), observation --> server: action,
with the number of the observation, or error; client: episode_end (no answer)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import Field

from homie.kernel.errors import BadInput
from homie.kernel.support.version import __version__
from skills.dialects.client import DialectPolicy, DialectSettings, received
from skills.dialects.codec import pack, unpack
from skills.dialects.hand import Hand
from skills.dialects.served import ServedMotions
from skills.policies.policy import Named, Policy
from skills.policy_codec import CodecError
from skills.policy_wire import ServerUnreachable, Wire

PROTOCOL = 1
FORMATS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "position": {"delta_xyz": ("position", "delta"), "absolute_xyz": ("position", "absolute")},
    "rotation": {
        "axis_angle": ("rotation", "rotation-vector"),
        "euler_xyz": ("rotation", "euler-xyz"),
        "quaternion_xyzw": ("rotation", "quaternion-xyzw"),
    },
    "gripper": {
        "binary_close_positive": ("gripper", "close-is-1"),
        "binary_close_negative": ("gripper", "close-is-minus-1"),
        "continuous_01": ("gripper", "open-is-1"),
        "binary_close_01": ("gripper", "open-is-0"),
    },
}
"""Formats of vla-eval's `DimSpec`, with the convention and value of a layout."""
STATE_FORMAT = "eef_pos3_axisangle3_gripper2"


def message(kind: str, payload: Mapping[str, Any], seq: int, timestamp: float | None = None) -> dict[str, Any]:
    """Build a message for packing; the default timestamp is now."""
    return {
        "type": kind,
        "payload": dict(payload),
        "seq": seq,
        "timestamp": time.time() if timestamp is None else timestamp,
    }


class VlaEvalSettings(DialectSettings):
    """Settings of the skill set `vla-eval`."""

    image_key: str = Field(default="agentview", description="The picture's name among `images`.")
    wrist_key: str = Field(default="wrist", description="The name of the picture of the hand's camera.")
    state_key: str = Field(default="states", description="The name of the state.")


class VlaEvalPolicy(DialectPolicy):
    """A policy on a model server of vla-eval."""

    dialect = "vla-eval"
    settings: VlaEvalSettings
    _number = 0
    _in_episode = False

    def conventions(self) -> Mapping[str, Any]:
        """Raises BadInput for an unknown state or format."""
        declared: dict[str, Any] = {}
        for name, spec in _specs(self.welcome.get("action_spec")).items():
            form = str(spec.get("format"))
            if name not in FORMATS or form not in FORMATS[name]:
                raise BadInput(
                    f"The policy server at {self.url} gives a '{name}' as '{form}', which Homie does not take."
                )
            convention, value = FORMATS[name][form]
            declared[convention] = value
        state = _specs(self.welcome.get("observation_spec")).get("state", {}).get("format", STATE_FORMAT)
        if state != STATE_FORMAT:
            raise BadInput(f"The policy server at {self.url} takes a state '{state}', and Homie has '{STATE_FORMAT}'.")
        conventions_of_server = self.welcome.get("conventions")
        return {**(conventions_of_server if isinstance(conventions_of_server, dict) else {}), **declared}

    def close(self) -> None:
        if self._wire is not None and self._in_episode:
            try:
                self._send_message(self._wire, "episode_end", {})
            except ServerUnreachable:
                self._drop()
        super().close()

    def _greet(self, wire: Wire, seconds: float) -> Mapping[str, Any]:
        self._in_episode = False
        hello = {"harness_version": f"homie {__version__}", "protocol_version": PROTOCOL}
        self._send_message(wire, "hello", hello)
        kind, payload, _ = self._receive(wire, seconds)
        if kind != "hello":
            raise ServerUnreachable(f"it answers a hello with '{kind}'")
        if payload.get("protocol_version") != PROTOCOL:
            raise ServerUnreachable(
                f"it speaks version {payload.get('protocol_version')} of the protocol, not {PROTOCOL}"
            )
        return payload

    def _begin(self, wire: Wire, goal: Named) -> None:
        if self._in_episode:
            self._send_message(wire, "episode_end", {})
        self._text = str(goal["text"])
        self._send_message(wire, "episode_start", {"task": {"name": self._text}})
        self._start_number, self._in_episode = self._number, True

    def _ask(self, wire: Wire, pictures: Mapping[str, np.ndarray], hand: Hand) -> object:
        keys = {"primary": self.settings.image_key, "wrist": self.settings.wrist_key}
        images = {keys[name]: picture for name, picture in pictures.items()}
        self._send_message(
            wire,
            "observation",
            {"images": images, "task_description": self._text, self.settings.state_key: hand.libero()},
        )
        deadline = time.monotonic() + self._deadlines.reply
        while True:
            kind, payload, number = self._receive(wire, max(deadline - time.monotonic(), 0.001))
            if kind == "error" and number in (self._start_number, self._number):
                raise self._server_failure(payload.get("error"))
            if kind == "action" and number == self._number:
                return payload.get("actions")
            # Anything else is a late answer to an earlier message and is dropped.

    def _receive(self, wire: Wire, seconds: float) -> tuple[str, Mapping[str, Any], int]:
        try:
            return _parse(received(wire.receive(seconds)))
        except CodecError as error:
            raise ServerUnreachable(f"its answer cannot be read: {error}") from error

    def _send_message(self, wire: Wire, kind: str, payload: Mapping[str, Any]) -> None:
        self._number += 1
        self._send(wire, message(kind, payload, self._number))


class VlaEvalSession:
    """A client of vla-eval at a server of ours.

    name: Name of the skill set.
    """

    health: Mapping[str, str] = {"/health": '{"status": "ok"}\n', "/config": '{"applied": {}, "config": {}}\n'}
    greeting: bytes | None = None
    closes = False

    def __init__(self, name: str, policy: Policy) -> None:
        self._motions = ServedMotions(name, policy, "vla-eval")
        self._name = name
        self._text: str | None = None

    def answer(self, frame: bytes | str) -> bytes | None:
        """Return the reply to a frame. Raises CodecError, PolicyFailed."""
        kind, payload, number = _parse(unpack(frame))
        match kind:
            case "hello":
                return pack(message("hello", self._hello(), number), "vla-eval")
            case "episode_start" | "episode_end":
                self._text = None
                return None
            case "observation":
                return pack(message("action", {"actions": self._actions(payload)}, number), "vla-eval")
        raise CodecError(f"A message of the type '{kind}' has no place here.")

    def problem(self, frame: bytes | str, reason: str) -> bytes | str:
        try:
            number = _parse(unpack(frame))[2]
        except CodecError:
            number = 0
        return pack(message("error", {"error": reason}, number), "vla-eval")

    def _actions(self, payload: Mapping[str, Any]) -> object:
        text, images = payload.get("task_description"), payload.get("images")
        if not isinstance(text, str) or not isinstance(images, dict) or not images:
            raise CodecError("The observation has no 'task_description' or no 'images'.")
        if text != self._text:
            self._motions.begin(text, payload.get("states", payload.get("state")))
            self._text = text
        chunk = self._motions.actions(images)
        return chunk[0] if len(chunk) == 1 else chunk

    def _hello(self) -> dict[str, Any]:
        action = {
            "position": {"name": "position", "dims": 3, "format": "delta_xyz", "range": [-1, 1]},
            "rotation": {"name": "rotation", "dims": 3, "format": "axis_angle", "range": [-3.15, 3.15]},
            "gripper": {"name": "gripper", "dims": 1, "format": "binary_close_positive", "range": [-1, 1]},
        }
        seen = {
            "image": {"name": "image", "dims": 0, "format": "rgb_hwc_uint8"},
            "language": {"name": "language", "dims": 0, "format": "language"},
        }
        wrist = {"observation_params": {"send_wrist_image": True}} if self._motions.sees_wrist else {}
        return {
            "harness_version": f"homie {__version__}",
            "protocol_version": PROTOCOL,
            "model_server": self._name,
            "capabilities": {},
            **wrist,
            "action_spec": action,
            "observation_spec": seen,
            "conventions": self._motions.layout.to_dict(),
        }


def _parse(value: object) -> tuple[str, Mapping[str, Any], int]:
    """Return type, payload and number of a message. Raises CodecError."""
    if isinstance(value, dict):
        match (value.get("type"), value.get("payload"), value.get("seq")):
            case (str(kind), dict() as payload, int(number)):
                return kind, payload, number
    raise CodecError("A message has a type, a payload and a number (seq).")


def _specs(value: object) -> Mapping[str, Mapping[str, Any]]:
    return {key: spec for key, spec in value.items() if isinstance(spec, dict)} if isinstance(value, dict) else {}

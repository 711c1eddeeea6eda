"""The dialect of XPolicyLab: requests and answers with a shared message id, trials that begin and end.

client: hello --> server: hello_ack; reset --> reset_result; infer --> infer_result or error;
trial_end --> trial_end_ack; close (no answer)

An action is a mapping like the state of an observation; `ee_pose` and `ee_joint_state` are used. The protocol has no
version: it is that of XPolicyLab's repository in 2026.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from pydantic import Field

from skills.dialects.client import DialectPolicy, DialectSettings, received
from skills.dialects.hand import Hand
from skills.policies.policy import Named, PolicyFailed, cannot_go_on
from skills.policy_wire import ServerUnreachable, Wire

ANSWERS: Mapping[str, str] = {
    "hello": "hello_ack",
    "reset": "reset_result",
    "infer": "infer_result",
    "trial_end": "trial_end_ack",
}
POSE, GRIP = "ee_pose", "ee_joint_state"
PARTING = 2.0
"""Seconds (wall clock) for which a closing client waits for the acknowledgement of its trial's end: a server that can
no longer send the answer would not read on to `close`."""


class XPolicyLabSettings(DialectSettings):
    """Settings of the skill set `xpolicylab`."""

    image_key: str = Field(default="cam_head", description="The picture's name in `vision`.")
    wrist_key: str = Field(default="cam_wrist", description="The name of the picture of the hand's camera.")


class XPolicyLabPolicy(DialectPolicy):
    """A policy on a server of XPolicyLab."""

    dialect = "xpolicylab"
    settings: XPolicyLabSettings
    _trial: str | None = None
    _step = 0

    def conventions(self) -> Mapping[str, Any]:
        declared = self.welcome.get("conventions")
        return declared if isinstance(declared, dict) else {}

    def close(self) -> None:
        if self._wire is not None:
            try:
                if self._trial is not None:
                    seconds = min(PARTING, self._deadlines.reply)
                    self._request(self._wire, "trial_end", {"trial_id": self._trial}, seconds)
                self._send(self._wire, self._frame("close", {"reason": "the client is done"}))
            except (ServerUnreachable, PolicyFailed):
                self._drop()
        super().close()

    def _greet(self, wire: Wire, seconds: float) -> Mapping[str, Any]:
        self._trial, self._evaluation = None, f"homie-{uuid.uuid4()}"
        try:
            return self._request(wire, "hello", {}, seconds)
        except PolicyFailed as error:
            raise ServerUnreachable(str(error)) from error

    def _begin(self, wire: Wire, goal: Named) -> None:
        if self._trial is not None:
            self._request(wire, "trial_end", {"trial_id": self._trial}, self._deadlines.reply)
        self._text, self._step = str(goal["text"]), 0
        self._trial = f"trial-{uuid.uuid4()}"
        self._request(wire, "reset", {"trial_id": self._trial}, self._deadlines.reply)

    def _ask(self, wire: Wire, pictures: Mapping[str, np.ndarray], hand: Hand) -> object:
        keys = {"primary": self.settings.image_key, "wrist": self.settings.wrist_key}
        observation = {
            "data_format_version": "v1.0",
            "instruction": self._text,
            "additional_info": {"frequency": round(self.layout.rate)},
            "vision": {keys[name]: {"color": picture} for name, picture in pictures.items()},
            "state": {POSE: hand.pose(), GRIP: np.array([self.layout.grip(hand.opening)], np.float32)},
        }
        answer = self._request(wire, "infer", {"observation": observation}, self._deadlines.reply)
        self._step += 1
        return _rows(answer.get("actions"))

    def _request(self, wire: Wire, kind: str, payload: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Send a request and return the payload of its answer. Raises Unreachable, PolicyFailed."""
        frame, deadline = self._frame(kind, payload), time.monotonic() + seconds
        self._send(wire, frame)
        while True:
            answer = received(wire.receive(max(deadline - time.monotonic(), 0.001)))
            if answer.get("message_id") != frame["message_id"]:
                continue  # a late answer to an earlier request is dropped
            answer_payload = answer.get("payload")
            answer_payload = answer_payload if isinstance(answer_payload, dict) else {}
            if answer.get("message_type") == "error":
                raise self._server_failure(answer_payload.get("message"))
            if answer.get("message_type") != ANSWERS[kind]:
                raise ServerUnreachable(f"it answers '{kind}' with '{answer.get('message_type')}'")
            return answer_payload

    def _frame(self, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "message_type": kind,
            "message_id": str(uuid.uuid4()),
            "evaluation_id": self._evaluation,
            "action_case_id": None,
            "trial_id": self._trial,
            "repeat_index": None,
            "step": self._step,
            "sent_at": datetime.now(UTC).isoformat(),
            "payload": dict(payload),
        }


def _rows(actions: object) -> np.ndarray:
    """Return the chunk (H, numbers) of a list of actions, or of one. Raises PolicyFailed for joint actions, or for two
    arms."""
    chunk = [actions] if isinstance(actions, dict) else actions
    if not isinstance(chunk, list) or not chunk or not all(isinstance(action, dict) for action in chunk):
        raise cannot_go_on("its actions are no mappings")
    if missing := [name for name in (POSE, GRIP) if any(name not in action for action in chunk)]:
        keys = ", ".join(sorted(map(str, chunk[0])))
        raise cannot_go_on(f"its actions have no '{missing[0]}' but {keys}: serve a policy of one arm, action type ee")
    try:
        rows = [np.concatenate([np.ravel(action[POSE]), np.ravel(action[GRIP])]).astype(float) for action in chunk]
        return np.stack(rows)
    except (TypeError, ValueError, OverflowError) as error:
        raise cannot_go_on(f"its actions are no rows of numbers ({error})") from error

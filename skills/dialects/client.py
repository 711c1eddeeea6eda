"""A policy on another toolkit's server: settings, conventions, and the code shared by all dialects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
from pydantic import ConfigDict, Field

from homie.kernel.errors import BadInput
from homie.kernel.types import Array, FailureReason
from skills.dialects.codec import Dialect, pack, unpack
from skills.dialects.hand import Hand
from skills.dialects.layouts import Channels, Frame, Grip, Layout, Pictures, Position, Rotation, agree_layout
from skills.policies.effector import CameraName, MostMotions
from skills.policies.instructions import SentenceTemplates
from skills.policies.motions import CONVENTIONS, Motion, rotation_matrix, rotation_vector
from skills.policies.pacing import Overlap
from skills.policies.policy import Named, PolicyFailed, Value
from skills.policy_access import TOKEN_VARIABLE, read_token
from skills.policy_codec import CodecError
from skills.policy_wire import Deadlines, ServedPolicy, ServerUnreachable, Wire

CHANGES = tuple(field.name for field in fields(Layout))
"""Names of the conventions that settings can change."""


class DialectSettings(SentenceTemplates):
    """Settings of every set whose policy is on another toolkit's server. Times are seconds on the wall clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    layout: str = Field(
        default="",
        description="What the numbers mean: libero, metric, libero-gr00t, pose; empty: as the server says.",
    )
    position: Position | None = Field(default=None, description="Motions or poses, otherwise than the layout has them.")
    rotation: Rotation | None = Field(default=None, description="Rotations, likewise.")
    gripper: Grip | None = Field(default=None, description="The number of a closed or open hand, likewise.")
    metres: float | None = Field(default=None, gt=0, description="What a position of 1 stands for, likewise.")
    radians: float | None = Field(default=None, gt=0, description="What a rotation of 1 stands for, likewise.")
    rate: float | None = Field(default=None, gt=0, description="Actions per second, likewise.")
    picture_size: int | None = Field(default=None, ge=1, le=2048, description="Pixels of a side, likewise.")
    channels: Channels | None = Field(default=None, description="Order of colours, likewise.")
    pictures: Pictures | None = Field(default=None, description="Upright or mirrored pictures, likewise.")
    state: Frame | None = Field(default=None, description="Frame of the hand's pose in the state, likewise.")
    execute: int = Field(default=5, ge=1, description="Actions of an answer that are carried out before it is asked.")
    ahead: int | None = Field(
        default=None, ge=1, description="Actions left when the next answer is asked for meanwhile; empty: it waits."
    )
    overlap: Overlap = Field(default="newest", description="Where answers overlap: the newest, or the mean (ahead).")
    steps: MostMotions = 300
    camera: CameraName = ""
    wrist: str = Field(default="wrist", description="The robot's camera on the hand; empty: it sends none.")
    connect_seconds: float = Field(default=5.0, gt=0, description="How long the first connection may take.")
    reply_seconds: float = Field(default=60.0, gt=0, description="How long an answer may take; then the attempt fails.")
    reconnect_seconds: float = Field(default=120.0, ge=0, description="How long a lost server is tried.")
    token_env: str = Field(default=TOKEN_VARIABLE, description="The environment variable that holds the token.")

    def deadlines(self) -> Deadlines:
        return Deadlines(connect=self.connect_seconds, reply=self.reply_seconds, reconnect=self.reconnect_seconds)

    def changes(self) -> dict[str, Any]:
        return {name: value for name in CHANGES if (value := getattr(self, name)) is not None}


class DialectPolicy(ServedPolicy[Mapping[str, Any]]):
    """Another toolkit's policy, which returns motions of a hand, or poses (`absolute` in its facts, `Layout.motions`).

    `step` takes images and the inputs of `Hand.of`.

    Raises:
        BadInput: The address, the token or a convention is wrong; or the conventions are not declared.
        InfrastructureError: There is no such server.

    Attributes:
        layout: Conventions of its values and images.
    """

    dialect: ClassVar[Dialect]

    def __init__(self, url: str, settings: DialectSettings) -> None:
        self.settings = settings
        self._text = ""
        token = read_token(settings.token_env)
        headers = {"Authorization": f"Api-Key {token}"} if token else {}
        super().__init__(url, headers, settings.deadlines(), f"It has to speak the dialect of {self.dialect}.")
        try:
            server_name = f"The policy server at {url}"
            self.layout: Layout = agree_layout(
                server_name, self.dialect, settings.layout, settings.changes(), self.conventions()
            )
        except BaseException:
            self.close()
            raise
        pace: dict[str, Value] = {"execute": settings.execute}
        absolute = self.layout.position == "absolute"
        if absolute and settings.ahead is not None and settings.overlap == "mean":
            self.close()
            raise BadInput(
                f"Of poses no mean is taken: leave out `--skill-option {self.dialect}.overlap=mean`, or have motions."
            )
        if settings.ahead is not None:
            pace = {"ahead": settings.ahead, "overlap": settings.overlap}
        self.facts: Named = {
            "rate": self.layout.rate,
            "steps": settings.steps,
            "camera": settings.camera,
            "wrist": settings.wrist,
            "drives": False,
            "absolute": absolute,
            **pace,
            **CONVENTIONS.facts(),
            **settings.facts(),
        }

    @abstractmethod
    def conventions(self) -> Mapping[str, Any]:
        """Return the conventions that the server declares, by the names of `Layout`."""

    @abstractmethod
    def _ask(self, wire: Wire, pictures: Mapping[str, np.ndarray], hand: Hand) -> object:
        """Request the actions for the current images and hand. Raises Unreachable, PolicyFailed."""

    def _decide(self, wire: Wire, inputs: Named) -> Named:
        pictures = {
            name: self.layout.picture(np.asarray(inputs[name])) for name in ("primary", "wrist") if name in inputs
        }
        in_world = self.layout.state == "world"
        motions = self.layout.motions(self._ask(wire, pictures, Hand.of(inputs, in_world=in_world)))
        if in_world and self.layout.position == "absolute":
            motions = [_to_base_frame(pose, np.asarray(inputs["base"], dtype=float)) for pose in motions]
        return Motion.stack(motions)

    def _same(self, current: Mapping[str, Any], previous: Mapping[str, Any]) -> str:
        is_equal = pack(current, self.dialect) == pack(previous, self.dialect)
        return (
            ""
            if is_equal
            else str(current.get("policy") or current.get("model_server") or "it says something else of itself")
        )

    def _send(self, wire: Wire, message: object) -> None:
        try:
            frame = pack(message, self.dialect)
        except CodecError as error:
            raise PolicyFailed(FailureReason.MESSAGE_NOT_SENT, why=error) from error
        wire.send(frame, self._deadlines.reply)

    def _server_failure(self, error: object) -> PolicyFailed:
        """Return the failure that a server reports: the last line of its traceback."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return PolicyFailed(FailureReason.SERVER_FAILED, why=lines[-1] if lines else "no reason")


def _to_base_frame(pose: Motion, base: Array) -> Motion:
    """Transform a pose from the world frame to the frame of a base at (x, y, yaw)."""
    x, y, yaw = base
    turn = rotation_matrix(np.array([0.0, 0.0, -yaw]))
    return replace(
        pose,
        translation=turn @ (pose.translation - (x, y, 0.0)),
        rotation=rotation_vector(turn @ rotation_matrix(pose.rotation)),
    )


def received(frame: bytes | str) -> Mapping[str, Any]:
    """Decode the mapping in a frame. Raises Unreachable."""
    try:
        value = unpack(frame)
    except CodecError as error:
        raise ServerUnreachable(f"its answer cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ServerUnreachable(f"its answer is a {type(value).__name__} and no mapping")
    return value

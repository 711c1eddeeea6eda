"""What agent and guard say to each other: JSON objects, one a line, over a Unix socket of this machine.

Stamps are `time.monotonic()`, which all processes of a machine share. SI units.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from homie.kernel.support.validation_sentences import first_problem

VERSION = 6
LONGEST_LINE = 1 << 19
"""Bytes of one message: a trajectory of 2000 points of 8 joints has up to 470,000, with all digits of its numbers."""
Id: TypeAlias = Annotated[int, Field(ge=0, le=1 << 53)]
Text: TypeAlias = Annotated[str, Field(max_length=500)]


class Said(BaseModel):
    """What all messages share."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hello(Said):
    """The first message of an agent: which robot it means, and where (`ros_bridge.guard.greeting`).

    Attributes:
        digest: Of the whole profile.
        network: The variables of ROS 2 that say which network it is on.
        simulated: Whether the robot that it sees says that it is simulated; None where it has not looked.
    """

    kind: Literal["hello"] = "hello"
    version: int
    profile: Text
    digest: Text = ""
    network: dict[Text, Text] = Field(default_factory=dict, max_length=20)
    simulated: bool | None = None


class Beat(Said):
    """The agent is alive."""

    kind: Literal["beat"] = "beat"


class Velocity(Said):
    """Drive at these speeds (m/s, rad/s) in the base frame, until the next one or until this one is too old.

    Attributes:
        sideways: To the left, of a base that can.
    """

    kind: Literal["velocity"] = "velocity"
    linear: float
    angular: float
    sideways: float = 0.0
    frame: Text
    stamp: float


class Point(Said):
    """Where the joints are `time` seconds after the start of a trajectory."""

    positions: tuple[float, ...] = Field(max_length=64)
    time: float


class Trajectory(Said):
    """Move a group of joints along points."""

    kind: Literal["trajectory"] = "trajectory"
    id: Id
    group: Text
    joints: tuple[Text, ...] = Field(max_length=64)
    points: tuple[Point, ...] = Field(max_length=2000)
    stamp: float


class Aim(Said):
    """Go for these positions of a group (rad, m), in its profile's order, until others come or these are old."""

    kind: Literal["aim"] = "aim"
    group: Text
    positions: tuple[float, ...] = Field(max_length=64)
    stamp: float


class Grip(Said):
    """Bring the fingers to a gap (m), with at most this force (N)."""

    kind: Literal["grip"] = "grip"
    id: Id
    width: float
    effort: float
    stamp: float


class Navigate(Said):
    """Have the robot's own navigation drive to a place (m, rad) of a frame."""

    kind: Literal["navigate"] = "navigate"
    id: Id
    x: float
    y: float
    yaw: float
    frame: Text
    stamp: float


class Obstacle(Said):
    """An upright box in a frame: middle and half sizes along its own axes (m), and how it is turned (rad)."""

    center: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float


class Reach(Said):
    """Have the robot's own planner bring joints to positions (rad, m), around boxes that are given in a frame.

    Attributes:
        held: Balls that stand for the held object, (x, y, z, radius) in the frame of the effector, m.
    """

    kind: Literal["reach"] = "reach"
    id: Id
    joints: tuple[Text, ...] = Field(max_length=64)
    positions: tuple[float, ...] = Field(max_length=64)
    boxes: tuple[Obstacle, ...] = Field((), max_length=500)
    held: tuple[tuple[float, float, float, float], ...] = Field((), max_length=500)
    frame: Text
    stamp: float


class Cancel(Said):
    """End a trajectory, a grip, a drive or a motion of the robot's own early."""

    kind: Literal["cancel"] = "cancel"
    id: Id


class Stop(Said):
    """Stop all motion, and say when the robot stands."""

    kind: Literal["stop"] = "stop"
    id: Id


class Subtask(Said):
    """What the next commands are for: shown to the person who approves."""

    kind: Literal["subtask"] = "subtask"
    id: Id
    text: Text


FromAgent: TypeAlias = Annotated[
    Hello | Beat | Velocity | Aim | Trajectory | Grip | Navigate | Reach | Cancel | Stop | Subtask,
    Field(discriminator="kind"),
]


class Welcome(Said):
    """The guard takes this agent."""

    kind: Literal["welcome"] = "welcome"
    armed: bool
    dry_run: bool
    approval: bool


class Refused(Said):
    """A command was not sent to the robot.

    Attributes:
        id: None for a velocity, an aim, and for an emergency stop of which the agent is to know at once.
        emergency: Nothing will be sent before a person has released the emergency stop.
    """

    kind: Literal["refused"] = "refused"
    id: Id | None = None
    why: str
    emergency: bool = False


class Ended(Said):
    """How a trajectory, a grip, or what the robot's own software did has ended.

    Attributes:
        code: The error code of the action's result.
        text: What the robot said.
        position, stalled: Of a gripper, else None.
    """

    kind: Literal["ended"] = "ended"
    id: Id
    outcome: Literal["succeeded", "aborted", "cancelled", "rejected", "lost"]
    code: int = 0
    text: str = ""
    position: float | None = None
    stalled: bool | None = None


class Stopped(Said):
    """The robot stands, as measured; or not confirmed: what is known instead."""

    kind: Literal["stopped"] = "stopped"
    id: Id
    confirmed: bool
    text: str


class Decided(Said):
    """Whether a person lets a subtask begin."""

    kind: Literal["decided"] = "decided"
    id: Id
    approved: bool


FromGuard: TypeAlias = Annotated[Welcome | Refused | Ended | Stopped | Decided, Field(discriminator="kind")]
_FROM_AGENT: TypeAdapter[FromAgent] = TypeAdapter(FromAgent)
_FROM_GUARD: TypeAdapter[FromGuard] = TypeAdapter(FromGuard)


def line(message: Said) -> bytes:
    """A message as a line."""
    return message.model_dump_json().encode() + b"\n"


def from_agent(data: bytes) -> FromAgent:
    """The message in a line of an agent. Raises ValueError with one sentence."""
    try:
        return _FROM_AGENT.validate_json(data, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error, "the message")) from error


def from_guard(data: bytes) -> FromGuard:
    """The message in a line of the guard. Raises ValueError with one sentence."""
    try:
        return _FROM_GUARD.validate_json(data, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error, "the message")) from error

"""Messages between agent and guard: JSON objects, one per line, over a Unix socket of this machine.

Stamps are `time.monotonic()`, which all processes of a machine share. SI units.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from homie.kernel.support.validation_sentences import first_problem

VERSION = 6
LONGEST_LINE = 1 << 19
"""Largest message in bytes: a trajectory of 2000 points of 8 joints takes up to 470,000, with all digits."""
Id: TypeAlias = Annotated[int, Field(ge=0, le=1 << 53)]
Text: TypeAlias = Annotated[str, Field(max_length=500)]


class LinkMessage(BaseModel):
    """Base class of all messages."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hello(LinkMessage):
    """The first message of an agent: its robot and its network (`ros_bridge.guard.greeting`).

    Attributes:
        digest: Digest of the whole profile.
        network: Environment variables of ROS 2 that select the network.
        simulated: Whether the robot reports that it is simulated; None if not checked.
    """

    kind: Literal["hello"] = "hello"
    version: int
    profile: Text
    digest: Text = ""
    network: dict[Text, Text] = Field(default_factory=dict, max_length=20)
    simulated: bool | None = None


class Heartbeat(LinkMessage):
    """Heartbeat of the agent."""

    kind: Literal["beat"] = "beat"


class Velocity(LinkMessage):
    """Drive at these speeds (m/s, rad/s) in the base frame until the next message or until this one expires.

    Attributes:
        sideways: To the left, for a base that can.
    """

    kind: Literal["velocity"] = "velocity"
    linear: float
    angular: float
    sideways: float = 0.0
    frame: Text
    stamp: float


class Point(LinkMessage):
    """Joint positions `time` seconds after the start of a trajectory."""

    positions: tuple[float, ...] = Field(max_length=64)
    time: float


class Trajectory(LinkMessage):
    """Move a group of joints along points."""

    kind: Literal["trajectory"] = "trajectory"
    id: Id
    group: Text
    joints: tuple[Text, ...] = Field(max_length=64)
    points: tuple[Point, ...] = Field(max_length=2000)
    stamp: float


class Aim(LinkMessage):
    """Move a group towards these positions (rad, m), in its profile's order, until the next message or expiry."""

    kind: Literal["aim"] = "aim"
    group: Text
    positions: tuple[float, ...] = Field(max_length=64)
    stamp: float


class Grip(LinkMessage):
    """Move the fingers to an opening (m), with at most this force (N)."""

    kind: Literal["grip"] = "grip"
    id: Id
    width: float
    effort: float
    stamp: float


class Navigate(LinkMessage):
    """Drive to a pose (m, rad) in a frame with the robot's own navigation."""

    kind: Literal["navigate"] = "navigate"
    id: Id
    x: float
    y: float
    yaw: float
    frame: Text
    stamp: float


class Obstacle(LinkMessage):
    """An upright box in a frame: centre, half sizes along its own axes (m), and yaw (rad)."""

    center: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float


class Reach(LinkMessage):
    """Move joints to positions (rad, m) with the robot's own planner, around boxes given in a frame.

    Attributes:
        held: Spheres that approximate the held object, (x, y, z, radius) in the effector frame, m.
    """

    kind: Literal["reach"] = "reach"
    id: Id
    joints: tuple[Text, ...] = Field(max_length=64)
    positions: tuple[float, ...] = Field(max_length=64)
    boxes: tuple[Obstacle, ...] = Field((), max_length=500)
    held: tuple[tuple[float, float, float, float], ...] = Field((), max_length=500)
    frame: Text
    stamp: float


class Cancel(LinkMessage):
    """Cancel a trajectory, a grip, a navigation goal or a planned motion."""

    kind: Literal["cancel"] = "cancel"
    id: Id


class Stop(LinkMessage):
    """Stop all motion, and report when the robot stands."""

    kind: Literal["stop"] = "stop"
    id: Id


class Subtask(LinkMessage):
    """The subtask of the next commands, shown to the person who approves it."""

    kind: Literal["subtask"] = "subtask"
    id: Id
    text: Text


FromAgent: TypeAlias = Annotated[
    Hello | Heartbeat | Velocity | Aim | Trajectory | Grip | Navigate | Reach | Cancel | Stop | Subtask,
    Field(discriminator="kind"),
]


class Welcome(LinkMessage):
    """The guard accepts this agent."""

    kind: Literal["welcome"] = "welcome"
    armed: bool
    dry_run: bool
    approval: bool


class RefusalMessage(LinkMessage):
    """A command was not sent to the robot.

    Attributes:
        id: None for a velocity, an aim, and for an emergency stop that is reported at once.
        emergency: Nothing will be sent before a person has released the emergency stop.
    """

    kind: Literal["refused"] = "refused"
    id: Id | None = None
    why: str
    emergency: bool = False


class CommandEnded(LinkMessage):
    """The result of a trajectory, a grip, or a goal of the robot's own software.

    Attributes:
        code: The error code of the action's result.
        text: Message of the robot.
        position, stalled: Result of a gripper, else None.
    """

    kind: Literal["ended"] = "ended"
    id: Id
    outcome: Literal["succeeded", "aborted", "cancelled", "rejected", "lost"]
    code: int = 0
    text: str = ""
    position: float | None = None
    stalled: bool | None = None


class StopResult(LinkMessage):
    """The robot is measured to stand; or this is not confirmed, and `text` says why."""

    kind: Literal["stopped"] = "stopped"
    id: Id
    confirmed: bool
    text: str


class ApprovalDecision(LinkMessage):
    """Whether a person approves a subtask."""

    kind: Literal["decided"] = "decided"
    id: Id
    approved: bool


FromGuard: TypeAlias = Annotated[
    Welcome | RefusalMessage | CommandEnded | StopResult | ApprovalDecision, Field(discriminator="kind")
]
_FROM_AGENT: TypeAdapter[FromAgent] = TypeAdapter(FromAgent)
_FROM_GUARD: TypeAdapter[FromGuard] = TypeAdapter(FromGuard)


def line(message: LinkMessage) -> bytes:
    """Serialize a message as a line."""
    return message.model_dump_json().encode() + b"\n"


def from_agent(data: bytes) -> FromAgent:
    """Parse a line from an agent. Raises ValueError with one sentence."""
    try:
        return _FROM_AGENT.validate_json(data, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error, "the message")) from error


def from_guard(data: bytes) -> FromGuard:
    """Parse a line from the guard. Raises ValueError with one sentence."""
    try:
        return _FROM_GUARD.validate_json(data, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error, "the message")) from error

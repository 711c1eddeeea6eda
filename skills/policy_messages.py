"""The messages between client and server, version 2 of the protocol. One message is one binary websocket frame.

    client                                server
    Hello    protocol, homie         -->
                                     <--  Welcome  the policy, its actions and facts
    Reset    goal                    -->
                                     <--  PolicyResult
    Step     inputs of the policy    -->
                                     <--  PolicyResult  its outputs, and the seconds that it took
    anything                         -->
                                     <--  Problem  sort, message

A connection is a session: a policy with its own state, which ends with the connection.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from skills.policy_codec import CodecError, Tree, decode, encode

PROTOCOL = 2


class ProblemKind(StrEnum):
    """Kinds of problems. The connection is closed after the first two and stays open after the others."""

    VERSION = "version"
    """The other side has another version of the protocol."""
    FULL = "full"
    """The server has reached its maximum number of sessions."""
    FRAME = "frame"
    """The bytes are not a message."""
    REQUEST = "request"
    """A message at the wrong time: a step before a reset, a second hello."""
    POLICY = "policy"
    """The policy cannot continue this attempt; the message is the reason (`skills.policies.policy.PolicyFailed`)."""
    INTERNAL = "internal"
    """The policy raised an unexpected error; the server's log has it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a client.

    Attributes:
        homie: The client's version of Homie, for the record.
    """

    kind: ClassVar[str] = "hello"
    protocol: int
    homie: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The answer to a hello.

    Attributes:
        policy: The registered name of the skill set.
        facts: Facts of the policy.
        about: The description of the skill set (checkpoint, hash, settings).
        idle_seconds: Time without a request after which a session ends.
    """

    kind: ClassVar[str] = "welcome"
    protocol: int
    homie: str
    policy: str
    actions: list[Any]
    facts: dict[str, Any]
    about: dict[str, Any]
    idle_seconds: float


@dataclass(frozen=True, slots=True)
class Reset:
    """Begin an attempt.

    Attributes:
        number: Chosen by the client and repeated in the answer.
    """

    kind: ClassVar[str] = "reset"
    number: int
    goal: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Request a decision.

    Attributes:
        given: The inputs of the policy.
    """

    kind: ClassVar[str] = "step"
    number: int
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """The result of the policy, empty for a reset.

    Attributes:
        seconds: Computing time, without waiting and transfer.
    """

    kind: ClassVar[str] = "done"
    number: int
    result: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason for a missing result, in a sentence.

    Attributes:
        number: Number of the message that it refers to, -1 if unknown.
        reason: The name of a `FailureReason` of the policy, "" for none.
    """

    kind: ClassVar[str] = "problem"
    number: int
    sort: str
    message: str
    reason: str = ""


Message: TypeAlias = Hello | Welcome | Reset | Step | PolicyResult | Problem
_KINDS: dict[str, type[Message]] = {
    message.kind: message for message in (Hello, Welcome, Reset, Step, PolicyResult, Problem)
}
_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "str": (str,),
    "float": (int, float),
    "list[Any]": (list,),
    "dict[str, Any]": (dict,),
}


class WrongVersion(CodecError):
    """A hello or a welcome of another version of the protocol."""


def to_frame(message: Message) -> bytes:
    """Encode a message. Raises CodecError."""
    return encode({"kind": message.kind, **{part.name: getattr(message, part.name) for part in fields(message)}})


def from_frame(data: bytes | str) -> Message:
    """Decode the message in a frame. Raises CodecError, or its subclass WrongVersion."""
    if isinstance(data, str):
        raise CodecError("A text frame is not a message; frames are binary.")
    content: Tree = decode(data)
    if not isinstance(content, dict) or not isinstance(kind := content.pop("kind", None), str) or kind not in _KINDS:
        raise CodecError(f"The frame is not a message of this protocol: it needs a kind, one of {', '.join(_KINDS)}.")
    if "protocol" in content and content["protocol"] != PROTOCOL:
        raise WrongVersion(
            f"The other side speaks version {str(content['protocol'])[:20]} of the protocol, not {PROTOCOL}."
        )
    message = _KINDS[kind]
    parts = {part.name: _TYPES[str(part.type)] for part in fields(message)}
    if set(content) != set(parts):
        raise CodecError(f"A {kind} has the parts {', '.join(parts)}.")
    for name, types in parts.items():
        if not isinstance(content[name], types) or isinstance(content[name], bool):
            raise CodecError(f"The part {name} of a {kind} has the wrong type.")
    return message(**content)

"""What client and server say to one another, version 1 of the protocol. One message is one binary websocket frame.

    client                                server
    Hello    protocol, homie         -->
                                     <--  Welcome  the policy, its actions and facts
    Reset    goal                    -->
                                     <--  Done
    Step     what the policy is given -->
                                     <--  Done     what the policy gives, the seconds that it took
    anything                         -->
                                     <--  Problem  sort, message

A connection is a session: a policy with a state of its own, which ends with the connection.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from skills.server.codec import CodecError, Tree, decode, encode

PROTOCOL = 1


class Sort(StrEnum):
    """Sorts of problems. The connection is closed after the first two and goes on after the others."""

    VERSION = "version"
    """The other side speaks another version of the protocol."""
    FULL = "full"
    """The server has as many sessions as it wants."""
    FRAME = "frame"
    """The bytes are no message."""
    REQUEST = "request"
    """A message at the wrong time: a step before a reset, a second hello."""
    POLICY = "policy"
    """The policy cannot go on with this attempt; the message is the reason (`skills.policies.policy.PolicyFailed`)."""
    INTERNAL = "internal"
    """The policy met an error that nobody expected; the server's own log has it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a client. homie: its version, for the record."""

    kind: ClassVar[str] = "hello"
    protocol: int
    homie: str


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer: what is served.

    policy: the registered name of its skill set. facts: of the policy. about: what the set says of itself (checkpoint,
    hash, settings). idle_seconds: a session ends that asks nothing for so long.
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
    """Begin an attempt. number: chosen by the client, comes back in the answer."""

    kind: ClassVar[str] = "reset"
    number: int
    goal: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Decide."""

    kind: ClassVar[str] = "step"
    number: int
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What the policy gave; nothing for a reset. seconds: what it took, without waiting and without the wire."""

    kind: ClassVar[str] = "done"
    number: int
    result: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer, in a sentence. number: of the message that it is about, -1 where that is not known."""

    kind: ClassVar[str] = "problem"
    number: int
    sort: str
    message: str


Message: TypeAlias = Hello | Welcome | Reset | Step | Done | Problem
_KINDS: dict[str, type[Message]] = {made.kind: made for made in (Hello, Welcome, Reset, Step, Done, Problem)}
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
    """The bytes of a message. Raises CodecError."""
    return encode({"kind": message.kind, **{part.name: getattr(message, part.name) for part in fields(message)}})


def from_frame(data: bytes | str) -> Message:
    """The message in a frame. Raises CodecError, WrongVersion among it."""
    if isinstance(data, str):
        raise CodecError("A frame of text is no message; frames are binary.")
    held: Tree = decode(data)
    if not isinstance(held, dict) or not isinstance(kind := held.pop("kind", None), str) or kind not in _KINDS:
        raise CodecError(f"The frame is no message of this protocol: it needs a kind, one of {', '.join(_KINDS)}.")
    if "protocol" in held and held["protocol"] != PROTOCOL:
        raise WrongVersion(
            f"The other side speaks version {str(held['protocol'])[:20]} of the protocol, not {PROTOCOL}."
        )
    made = _KINDS[kind]
    wanted = {part.name: _TYPES[str(part.type)] for part in fields(made)}
    if set(held) != set(wanted):
        raise CodecError(f"A {kind} has the parts {', '.join(wanted)}.")
    for name, types in wanted.items():
        if not isinstance(held[name], types) or isinstance(held[name], bool):
            raise CodecError(f"The part {name} of a {kind} has the wrong type.")
    return made(**held)

"""The bridge's interface to ROS 2, as small contracts: two transports implement them, everything above is written once.

Kinds (message types) are written as in ROS 2: `geometry_msgs/msg/Twist`, `std_srvs/srv/Trigger`,
`control_msgs/action/FollowJointTrajectory`. Names are absolute (`/cmd_vel`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeAlias

Message: TypeAlias = Any
"""A message of ROS 2. Its fields are attributes; sequences of numbers are whatever `numpy.asarray` takes."""
Handler: TypeAlias = Callable[[Message], "Message | Future[Message]"]
"""Answers the request of a service: with the response, or with a future of it."""


@dataclass(frozen=True, slots=True)
class Qos:
    """Delivery of a topic. A reliable subscription does not match a best-effort publisher.

    Attributes:
        latched: Late subscribers receive the last messages (`transient local`), as for `/tf_static`.
    """

    reliable: bool = True
    depth: int = 10
    latched: bool = False


DEFAULT = Qos()
"""The default of ROS 2 for topics and services: reliable, the last ten."""
SENSOR = Qos(reliable=False, depth=5)
"""For cameras and joint states: accepts reliable and best-effort publishers, and the newest counts."""
NEWEST = Qos(depth=1)
"""For commands: an old one must not follow a new one."""
LATCHED = Qos(depth=1, latched=True)


@dataclass(frozen=True, slots=True)
class Graph:
    """The visible network. Each name has the types with which it is offered or subscribed."""

    nodes: frozenset[str] = frozenset()
    publishers: dict[str, frozenset[str]] = field(default_factory=dict)
    subscriptions: dict[str, frozenset[str]] = field(default_factory=dict)
    services: dict[str, frozenset[str]] = field(default_factory=dict)
    actions: dict[str, frozenset[str]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    """Services and actions of another middleware, whose answers do not reach this transport."""


class Publisher(Protocol):
    """Sends messages on one topic."""

    def publish(self, message: Message) -> None:
        """Send it. Waits for a subscriber for a tenth of a second at most: what it misses then is logged."""

    def subscribers(self) -> int:
        """Return the number of subscriptions that receive it."""

    def close(self) -> None:
        """Stop publishing."""


class Subscription(Protocol):
    """Receives messages of one topic until it is closed."""

    def publishers(self) -> int:
        """Return the number of publishers that it receives from."""

    def close(self) -> None:
        """Close it: no callback begins after this."""


class Client(Protocol):
    """Calls one service."""

    def ready(self) -> bool:
        """Return whether a server is available."""

    def call(self, request: Message) -> Future[Message]:
        """Send the request. The future fails with InfrastructureError if the node is closed first."""

    def close(self) -> None:
        """Stop calling."""


class Closable(Protocol):
    """A service or a timer, which runs until it is closed."""

    def close(self) -> None:
        """End it."""


class MessageSource(Protocol):
    """A source of messages: a node, or a bag."""

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with every message of a topic."""


class Node(ABC):
    """A ROS 2 node. Callbacks run one after the other in a thread of the node: they must be short and not wait.

    A callback that fails is logged, and the node continues.
    """

    name: str
    """Its full name, as `/homie`."""
    transport: str
    """Its implementation: `dds`, or `rclpy` with its middleware, as `rclpy (rmw_fastrtps_cpp)`."""

    @abstractmethod
    def message(self, kind: str, **fields: Any) -> Message:
        """Create a message of a kind with these fields, the others at their defaults.

        Args:
            kind: `pkg/msg/Name`; of a service or an action the part, as `std_srvs/srv/Trigger_Request`.
            fields: Values; for a nested message a mapping of its fields or a message.

        Raises:
            BadInput: The kind or a field is unknown, or a value does not fit.
        """

    @abstractmethod
    def publisher(self, kind: str, topic: str, qos: Qos = DEFAULT) -> Publisher:
        """Create a publisher of messages of a kind on a topic."""

    @abstractmethod
    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with every message of a topic. Unreadable messages are logged and dropped."""

    @abstractmethod
    def raw_subscription(
        self, kind: str, topic: str, callback: Callable[[bytes], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with the CDR bytes of every message of a topic, with the four bytes of encapsulation."""

    @abstractmethod
    def client(self, kind: str, name: str) -> Client:
        """Create a client of a service."""

    @abstractmethod
    def service(self, kind: str, name: str, handler: Handler, foreign: Callable[[], None] | None = None) -> Closable:
        """Answer the calls of a service.

        Args:
            kind: Its kind.
            name: Its name.
            handler: Answers a call.
            foreign: Called for each call that cannot be answered, since it came over a middleware whose calls this
                transport does not carry; perhaps also for one that `handler` answers.
        """

    @abstractmethod
    def timer(self, period: float, callback: Callable[[], None]) -> Closable:
        """Call back every `period` seconds."""

    @abstractmethod
    def graph(self) -> Graph:
        """Return the nodes, topics, services and actions known so far; the first call starts the discovery."""

    @abstractmethod
    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Return the publishers of a topic: the name of the node of each, as `/robot`, or its GID in hexadecimal digits
        where that is unknown. As with `graph`, the first call starts the discovery."""

    @abstractmethod
    def close(self) -> None:
        """Close all of its endpoints. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


BOOL = "std_msgs/msg/Bool"


def on_press(node: Node, topic: str, pressed: Callable[[], None]) -> None:
    """Call back whenever true is published on a `std_msgs/msg/Bool` topic, reliably or not: stop buttons do both."""

    def on_message(message: Message) -> None:
        if message.data:
            pressed()

    for qos in (DEFAULT, SENSOR):
        node.subscription(BOOL, topic, on_message, qos)

"""What the bridge needs of ROS 2, as small contracts: two transports implement them, everything above is written once.

Kinds are written as in ROS 2: `geometry_msgs/msg/Twist`, `std_srvs/srv/Trigger`,
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
    """How a topic is delivered. A reliable subscription does not match a publisher that is not.

    Attributes:
        latched: The last messages are kept for who comes later (`transient local`), as `/tf_static` has it.
    """

    reliable: bool = True
    depth: int = 10
    latched: bool = False


DEFAULT = Qos()
"""As ROS 2 has it for topics and services: reliable, the last ten."""
SENSOR = Qos(reliable=False, depth=5)
"""For cameras and joint states: takes reliable publishers and others, and the newest counts."""
NEWEST = Qos(depth=1)
"""For commands: an old one must not follow a new one."""
LATCHED = Qos(depth=1, latched=True)


@dataclass(frozen=True, slots=True)
class Graph:
    """What can be seen on the network. Each name has the kinds under which it is offered or asked for."""

    nodes: frozenset[str] = frozenset()
    publishers: dict[str, frozenset[str]] = field(default_factory=dict)
    subscriptions: dict[str, frozenset[str]] = field(default_factory=dict)
    services: dict[str, frozenset[str]] = field(default_factory=dict)
    actions: dict[str, frozenset[str]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    """Services and actions of another middleware, whose answers do not come over this transport."""


class Publisher(Protocol):
    """Sends messages on one topic."""

    def publish(self, message: Message) -> None:
        """Send it. Never waits for a subscriber for longer than a tenth of a second: what it misses then is logged."""

    def subscribers(self) -> int:
        """How many subscriptions take what is published."""

    def close(self) -> None:
        """No longer publish."""


class Subscription(Protocol):
    """Receives messages of one topic until it is closed."""

    def publishers(self) -> int:
        """How many publishers it takes messages from."""

    def close(self) -> None:
        """No callback begins after this."""


class Client(Protocol):
    """Calls one service."""

    def ready(self) -> bool:
        """Whether a server is there."""

    def call(self, request: Message) -> Future[Message]:
        """Send the request. The future fails with InfrastructureError where the node is closed first."""

    def close(self) -> None:
        """No longer call."""


class Closable(Protocol):
    """A service or a timer: something that runs until it is closed."""

    def close(self) -> None:
        """End it."""


class Hears(Protocol):
    """Where messages come from: a node, or a bag."""

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with every message of a topic."""


class Node(ABC):
    """A node of ROS 2. Callbacks run one after the other in a thread of the node: they must be short and not wait.

    A callback that fails is logged, and the node goes on.
    """

    name: str
    """Its full name, as `/homie`."""
    transport: str
    """What carries it: `dds`, or `rclpy` with its middleware, as `rclpy (rmw_fastrtps_cpp)`."""

    @abstractmethod
    def message(self, kind: str, **fields: Any) -> Message:
        """A message of a kind with these fields, the others at their defaults.

        Args:
            kind: `pkg/msg/Name`; of a service or an action the part, as `std_srvs/srv/Trigger_Request`.
            fields: Values; for a nested message a mapping of its fields or a message.

        Raises:
            BadInput: The kind or a field is not known, or a value does not fit.
        """

    @abstractmethod
    def publisher(self, kind: str, topic: str, qos: Qos = DEFAULT) -> Publisher:
        """Publish messages of a kind on a topic."""

    @abstractmethod
    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with every message of a topic. What cannot be read is logged and does not come."""

    @abstractmethod
    def raw_subscription(
        self, kind: str, topic: str, callback: Callable[[bytes], None], qos: Qos = DEFAULT
    ) -> Subscription:
        """Call back with the CDR bytes of every message of a topic, the four that say how it is encoded before them."""

    @abstractmethod
    def client(self, kind: str, name: str) -> Client:
        """Call a service."""

    @abstractmethod
    def service(self, kind: str, name: str, handler: Handler, foreign: Callable[[], None] | None = None) -> Closable:
        """Answer the calls of a service.

        Args:
            kind: Its kind.
            name: Its name.
            handler: Answers a call.
            foreign: Called for each call that is there and cannot be answered, since it came over a middleware whose
                calls this transport does not carry; perhaps also for one that `handler` answers.
        """

    @abstractmethod
    def timer(self, period: float, callback: Callable[[], None]) -> Closable:
        """Call back every `period` seconds."""

    @abstractmethod
    def graph(self) -> Graph:
        """The nodes, topics, services and actions that are known by now; the first call begins to look."""

    @abstractmethod
    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Who publishes a topic, an entry for each publisher: the name of its node, as `/robot`, or its GID in
        hexadecimal digits where that is not known. As with `graph`, the first call begins to look."""

    @abstractmethod
    def close(self) -> None:
        """End all that it has. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


BOOL = "std_msgs/msg/Bool"


def on_press(node: Node, topic: str, pressed: Callable[[], None]) -> None:
    """Call back whenever true is published on a `std_msgs/msg/Bool` topic, reliably or not, as stop buttons do both."""

    def heard(message: Message) -> None:
        if message.data:
            pressed()

    for qos in (DEFAULT, SENSOR):
        node.subscription(BOOL, topic, heard, qos)

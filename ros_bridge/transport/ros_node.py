"""A node of an installed ROS 2 (rclpy), with the same interface as the one over plain DDS."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future as RosFuture

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.interface import DEFAULT, Closable, Graph, Handler, Message, Node, Qos
from ros_bridge.transport.ros_messages import class_of, message

log = logging.getLogger("homie.ros_bridge")

VENDORS = {
    "rmw_fastrtps_cpp": b"\x01\x0f",
    "rmw_fastrtps_dynamic_cpp": b"\x01\x0f",
    "rmw_cyclonedds_cpp": b"\x01\x10",
    "rmw_connextdds": b"\x01\x01",
}
"""Start of the endpoint ids of DDS implementations: their numbers in the protocol."""

WAKE = 0.05
"""Seconds between two wake-up signals to a thread that is to end."""


class RclpyNode(Node):
    """A node over rclpy, spun in its own thread; it has its own context, so that programs around it keep theirs.

    Args:
        name: Full name, as `/homie`.
    """

    def __init__(self, name: str) -> None:
        namespace, _, last = name.rpartition("/")
        self.name = name
        self.transport = f"rclpy ({rclpy.get_rmw_implementation_identifier()})"
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        # Parameter services are not offered: nothing here is changed at run time.
        self._node = rclpy.create_node(
            last, namespace=namespace or "/", context=self._context, start_parameter_services=False
        )
        self._group = ReentrantCallbackGroup()
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._closed = False
        self._closing = _ClosedFuture()
        self._thread = threading.Thread(target=self._spin, name=f"ros {name}", daemon=True)
        self._thread.start()

    def message(self, kind: str, **fields: Any) -> Message:
        return message(class_of(kind), fields)

    def publisher(self, kind: str, topic: str, qos: Qos = DEFAULT) -> _Publisher:
        return _Publisher(self._node, self._node.create_publisher(class_of(kind), topic, _profile(qos)))

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> _Subscription:
        return self._subscription(kind, topic, callback, qos, raw=False)

    def raw_subscription(
        self, kind: str, topic: str, callback: Callable[[bytes], None], qos: Qos = DEFAULT
    ) -> _Subscription:
        return self._subscription(kind, topic, callback, qos, raw=True)

    def _subscription(
        self, kind: str, topic: str, callback: Callable[..., None], qos: Qos, *, raw: bool
    ) -> _Subscription:
        subscription = self._node.create_subscription(
            class_of(kind), topic, _guarded(topic, callback), _profile(qos), callback_group=self._group, raw=raw
        )
        self._executor.wake()
        return _Subscription(self._node, subscription)

    def client(self, kind: str, name: str) -> _Client:
        client = self._node.create_client(class_of(kind), name, callback_group=self._group)
        self._executor.wake()
        return _Client(self._node, client)

    def service(self, kind: str, name: str, handler: Handler, foreign: Callable[[], None] | None = None) -> Closable:
        # Requests of another middleware arrive as calls or not at all: `foreign` is never needed.
        async def answer(request: Message, response: Message) -> Message:
            try:
                reply = handler(request)
                return await _awaitable(reply, self._executor) if isinstance(reply, Future) else reply
            except Exception:
                log.exception("The service %s failed", name)
                return response

        service = self._node.create_service(class_of(kind), name, answer, callback_group=self._group)
        self._executor.wake()
        return _Closer(lambda: self._node.destroy_service(service))

    def timer(self, period: float, callback: Callable[[], None]) -> Closable:
        timer = self._node.create_timer(period, _guarded("a timer", lambda *_: callback()), callback_group=self._group)
        self._executor.wake()
        return _Closer(lambda: self._node.destroy_timer(timer))

    def graph(self) -> Graph:
        node = self._node
        named = {name: frozenset(kinds) for name, kinds in node.get_topic_names_and_types()}
        services = {name: frozenset(kinds) for name, kinds in node.get_service_names_and_types()}
        goal = "/_action/send_goal"
        actions = {
            name.removesuffix(goal): frozenset(kind.removesuffix("_SendGoal") for kind in kinds)
            for name, kinds in services.items()
            if name.endswith(goal)
        }
        return Graph(
            frozenset(f"{space.rstrip('/')}/{name}" for name, space in node.get_node_names_and_namespaces()),
            {name: kinds for name, kinds in named.items() if node.count_publishers(name)},
            {name: kinds for name, kinds in named.items() if node.count_subscribers(name)},
            {name: kinds for name, kinds in services.items() if "/_action/" not in name},
            actions,
            frozenset(name.removesuffix(goal) for name in services if self._foreign(name)),
        )

    def _foreign(self, service: str) -> bool:
        """Return whether a service is offered, but by no node with this middleware."""
        vendor = VENDORS.get(rclpy.get_rmw_implementation_identifier())
        servers = self._node.get_subscriptions_info_by_topic(f"rq{service}Request", no_mangle=True)
        return (
            vendor is not None and bool(servers) and all(bytes(server.endpoint_gid)[:2] != vendor for server in servers)
        )

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        infos = self._node.get_publishers_info_by_topic(topic)
        return tuple(sorted(f"{publisher.node_namespace.rstrip('/')}/{publisher.node_name}" for publisher in infos))

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._closing.set_result(None)
        # Executor.shutdown() destroys what would wake the thread right after its only signal, which is sometimes lost:
        # the thread ends first.
        while threading.current_thread() is not self._thread and self._thread.is_alive():
            self._executor.wake()
            self._thread.join(WAKE)
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _spin(self) -> None:
        """Run callbacks until the node is closed: an exception of one of them, or of an endpoint closed meanwhile, must
        not stop the node."""
        while not self._closed and self._context.ok():
            try:
                self._executor.spin_until_future_complete(self._closing)
            except ExternalShutdownException:
                log.info("%s was shut down", self.name)
                return
            except Exception:
                log.exception("%s goes on after a failure", self.name)


class _ClosedFuture(RosFuture):  # type: ignore[misc]
    """Marks that a node is closed. The executor adds a wake-up callback for each message that it handles, and never
    removes one: gigabytes for a day's messages. Whoever closes the node wakes the executor itself."""

    def add_done_callback(self, callback: Callable[[RosFuture], None]) -> None:
        return


class _Publisher:
    def __init__(self, node: Any, publisher: Any) -> None:
        self._node, self._publisher, self._topic = node, publisher, publisher.topic_name
        self._closed = False

    def publish(self, message: Message) -> None:
        if self._closed:
            raise InfrastructureError(f"Cannot send on {self._topic}: it is closed.")
        self._publisher.publish(message)

    def subscribers(self) -> int:
        return int(self._publisher.get_subscription_count())

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._node.destroy_publisher(self._publisher)


class _Subscription:
    def __init__(self, node: Any, subscription: Any) -> None:
        self._node, self._subscription = node, subscription

    def publishers(self) -> int:
        return int(self._node.count_publishers(self._subscription.topic_name))

    def close(self) -> None:
        self._node.destroy_subscription(self._subscription)


class _Client:
    def __init__(self, node: Any, client: Any) -> None:
        self._node, self._client = node, client
        self._waiting: set[Future[Message]] = set()

    def ready(self) -> bool:
        return bool(self._client.service_is_ready())

    def call(self, request: Message) -> Future[Message]:
        future: Future[Message] = Future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)

        def settle(response: RosFuture) -> None:
            if not future.set_running_or_notify_cancel():
                return
            error = response.exception()
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(response.result())

        self._client.call_async(request).add_done_callback(settle)
        return future

    def close(self) -> None:
        self._node.destroy_client(self._client)
        for future in tuple(self._waiting):
            if future.set_running_or_notify_cancel():
                future.set_exception(InfrastructureError("The call has no answer: the node is closed."))


class _Closer:
    def __init__(self, end: Callable[[], object]) -> None:
        self._end = end

    def close(self) -> None:
        self._end()


def _guarded(place: str, callback: Callable[..., None]) -> Callable[..., None]:
    """Wrap a callback: its failure is logged, and must not end the executor."""

    def call(*arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception:
            log.exception("A callback of %s failed", place)

    return call


def _awaitable(future: Future[Message], executor: Any) -> RosFuture:
    """Return a future that the executor of rclpy awaits without blocking. It is settled from another thread, of which
    the executor has to be notified."""
    awaited = RosFuture(executor=executor)

    def settle(source: Future[Message]) -> None:
        error = source.exception()
        if error is not None:
            awaited.set_exception(error)
        else:
            awaited.set_result(source.result())
        executor.wake()

    future.add_done_callback(settle)
    return awaited


def _profile(qos: Qos) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=qos.depth,
        reliability=ReliabilityPolicy.RELIABLE if qos.reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if qos.latched else DurabilityPolicy.VOLATILE,
    )

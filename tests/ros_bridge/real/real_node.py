"""A node of ROS 2 that obeys JSON objects on stdin, one a line, and answers each on stdout with what came of it.

Written against rclpy's documented API alone: it imports nothing of Homie.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
import traceback

import rclpy
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

QOS = {
    "default": QoSProfile(depth=10),
    "sensor": QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT),
    "latched": QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
}
STATUS = {4: "SUCCEEDED", 5: "CANCELED", 6: "ABORTED"}


def class_of(kind: str):
    package, sort, name = kind.split("/")
    return getattr(importlib.import_module(f"{package}.{sort}"), name)


def fill_message(message, fields):
    """A message with these fields, mappings for messages in it."""
    for name, value in fields.items():
        kind = message.get_fields_and_field_types()[name]
        if isinstance(value, dict):
            fill_message(getattr(message, name), value)
        elif kind.startswith("sequence<") and "/" in kind:
            package, element = kind[len("sequence<") : -1].split("/")
            inner = getattr(importlib.import_module(f"{package}.msg"), element)
            setattr(message, name, [fill_message(inner(), each) for each in value])
        else:
            setattr(message, name, bytes([value]) if kind == "octet" else value)
    return message


def plain(value):
    """A message as what JSON has; of long sequences the beginning."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    return [plain(each if hasattr(each, "get_fields_and_field_types") else _number(each)) for each in value[:100]]


def _number(value):
    return value.item() if hasattr(value, "item") else value


def result_of(future):
    """What a future brings."""
    ends = time.monotonic() + 60
    while not future.done() and time.monotonic() < ends:
        time.sleep(0.005)
    return future.result()


class Real:
    """The node, spun in a thread."""

    def __init__(self, name: str) -> None:
        rclpy.init()
        self.node = rclpy.create_node(name)
        self.heard: dict[str, list] = {}
        self.subscriptions, self.services = {}, {}
        self.publishers, self.clients = {}, {}
        self.executor = MultiThreadedExecutor(4)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self) -> None:
        """Until the end: a callback that fails, as when an answer has nobody to go to, does not make the node deaf."""
        while rclpy.ok():
            try:
                self.executor.spin()
            except ExternalShutdownException:
                return
            except Exception:
                traceback.print_exc()

    def subscribe(self, kind, topic, qos="default"):
        """Keep the messages of a topic with the times at which they came, from now on: what was heard before, in an
        earlier test, is forgotten."""
        if topic in self.subscriptions:
            self.unsubscribe(topic)
        messages = self.heard[topic] = []
        self.subscriptions[topic] = self.node.create_subscription(
            class_of(kind), topic, lambda message: messages.append((time.monotonic(), message)), QOS[qos]
        )

    def unsubscribe(self, topic):
        """Listen to a topic no longer: others may ask whether anybody does."""
        self.node.destroy_subscription(self.subscriptions.pop(topic))

    def count(self, topic):
        return len(self.heard[topic])

    def series(self, topic, field, since):
        """When a number of the messages of a topic came (s, monotonic), and what it was, as `twist.twist.linear.x`."""
        values = [(at, message) for at, message in self.heard[topic] if at >= since]
        for name in field.split("."):
            values = [(at, getattr(part, name)) for at, part in values]
        return values

    def statuses(self, topic, since):
        """When the goals of an action server had which status, from its topic `.../_action/status`."""
        return [(at, [each.status for each in message.status_list]) for at, message in self.heard[topic] if at >= since]

    def last(self, topic):
        """The newest message, and when it came (s, monotonic)."""
        if not self.heard[topic]:
            return None
        at, message = self.heard[topic][-1]
        return {"at": at, "message": plain(message)}

    def publish(self, kind, topic, fields, qos="default", wait=60.0):
        """Publish a message, once somebody listens; when that was (s, monotonic)."""
        if (topic, qos) not in self.publishers:
            self.publishers[topic, qos] = self.node.create_publisher(class_of(kind), topic, QOS[qos])
        publisher = self.publishers[topic, qos]
        ends = time.monotonic() + wait
        while not publisher.get_subscription_count() and time.monotonic() < ends:
            time.sleep(0.01)
        message, at = fill_message(class_of(kind)(), fields), time.monotonic()
        publisher.publish(message)
        return at

    def client(self, kind, name):
        if name not in self.clients:
            self.clients[name] = self.node.create_client(class_of(kind), name)
        return self.clients[name]

    def ready(self, kind, name, seconds):
        """Whether a service becomes ready."""
        return self.client(kind, name).wait_for_service(timeout_sec=seconds)

    def call(self, kind, name, seconds, fields=None):
        """The answer of a service, whether it is ready or not; None where none comes."""
        future = self.client(kind, name).call_async(fill_message(class_of(kind).Request(), fields or {}))
        ends = time.monotonic() + seconds
        while not future.done() and time.monotonic() < ends:
            time.sleep(0.005)
        return plain(future.result()) if future.done() else None

    def serve(self, kind, name, fields):
        """Answer the calls of a service, always in the same way."""
        if name in self.services:
            self.node.destroy_service(self.services[name])
        self.services[name] = self.node.create_service(
            class_of(kind), name, lambda request, response: fill_message(response, fields)
        )

    def act(self, kind, name):
        """Execute goals of the kind of `test_msgs/action/Fibonacci`: half as feedback, the rest after a while; one of
        more than 50 takes until it is cancelled."""
        action = class_of(kind)

        def execute(goal):
            order = goal.request.order
            goal.publish_feedback(action.Feedback(sequence=list(range(order // 2))))
            ends = time.monotonic() + (60 if order > 50 else 0.15)
            while time.monotonic() < ends:
                if goal.is_cancel_requested:
                    goal.canceled()
                    return action.Result()
                time.sleep(0.01)
            goal.succeed()
            return action.Result(sequence=list(range(order)))

        self.server = ActionServer(
            self.node,
            action,
            name,
            execute,
            callback_group=ReentrantCallbackGroup(),
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    def send(self, kind, name, order, cancel, seconds):
        """How a goal ends, where its server becomes ready in so many seconds."""
        client = ActionClient(self.node, class_of(kind), name)
        if not client.wait_for_server(timeout_sec=seconds):
            return "never ready"
        received = []
        goal = class_of(kind).Goal(order=order)
        sent = client.send_goal_async(goal, lambda message: received.append(len(message.feedback.sequence)))
        handle = result_of(sent)
        ends = time.monotonic() + 20
        while received != [order // 2] and time.monotonic() < ends:
            time.sleep(0.01)
        if cancel:
            result_of(handle.cancel_goal_async())
        ended = result_of(handle.get_result_async())
        return f"{STATUS[ended.status]} {len(ended.result.sequence)}"

    def do(self, kind, name, fields, cancel_after=None, seconds=60):
        """The status and the result of a goal, which is cancelled after so many seconds, where its server becomes
        ready."""
        client = ActionClient(self.node, class_of(kind), name)
        if not client.wait_for_server(timeout_sec=seconds):
            return "never ready"
        handle = result_of(client.send_goal_async(fill_message(class_of(kind).Goal(), fields)))
        if not handle.accepted:
            return "rejected"
        if cancel_after is not None:
            time.sleep(cancel_after)
            result_of(handle.cancel_goal_async())
        ended = result_of(handle.get_result_async())
        return {"status": STATUS[ended.status], **plain(ended.result)}

    def publishing(self, topic):
        """The names of the nodes that publish a topic."""
        infos = self.node.get_publishers_info_by_topic(topic)
        return sorted(f"{each.node_namespace.rstrip('/')}/{each.node_name}" for each in infos)

    def graph(self):
        """What `ros2 node`, `topic` and `service list` show without their daemon."""
        return {
            "nodes": [f"{space.rstrip('/')}/{name}" for name, space in self.node.get_node_names_and_namespaces()],
            "topics": dict(self.node.get_topic_names_and_types()),
            "services": dict(self.node.get_service_names_and_types()),
        }


def main(name: str) -> None:
    real = Real(name)
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(real, request.pop("what"))(**request)
        print(json.dumps(answer), flush=True)
    rclpy.shutdown()  # first: Executor.shutdown() does not always wake the thread
    real.thread.join()
    real.node.destroy_node()


if __name__ == "__main__":
    main(*sys.argv[1:])

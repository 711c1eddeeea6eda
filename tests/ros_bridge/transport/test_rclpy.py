"""The transport `rclpy` with a real rclpy, where one is installed (docs/testing.md): answers that come later, nodes
that go on, the clock of a simulator."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from concurrent.futures import Future

import pytest

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.clocks import CLOCK, CLOCK_TOPIC, PublishedClock
from ros_bridge.transport.interface import SENSOR
from ros_bridge.transport.stamps import stamp
from tests.waiting import until

pytest.importorskip("rclpy", reason="no rclpy is installed: see docs/testing.md")

BOOL, TRIGGER = "std_msgs/msg/Bool", "std_srvs/srv/Trigger"


@pytest.fixture
def ros(network, monkeypatch):
    """Opens nodes over rclpy."""
    from ros_bridge.transport.ros_node import RclpyNode

    monkeypatch.setenv("ROS_DOMAIN_ID", str(network.domain))
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", "1")
    opened = []

    def open_one(name):
        opened.append(RclpyNode(name))
        return opened[-1]

    yield open_one
    for node in opened:
        node.close()


def later(answer):
    """A handler whose answer comes in a tenth of a second, from another thread."""

    def handle(request):
        future = Future()
        threading.Timer(0.1, lambda: answer(future)).start()
        return future

    return handle


def test_what_is_answered_later_arrives_and_what_fails_is_an_answer_too(ros):
    server, caller = ros("/server"), ros("/caller")
    right = server.message(f"{TRIGGER}_Response", success=True, message="done")
    server.service(TRIGGER, "/later", later(lambda future: future.set_result(right)))
    server.service(TRIGGER, "/failing", later(lambda future: future.set_exception(RuntimeError("a test"))))
    for name, success in (("/later", True), ("/failing", False)):
        client = caller.client(TRIGGER, name)
        until(client.ready)
        assert client.call(caller.message(f"{TRIGGER}_Request")).result(20).success is success


def test_a_node_goes_on_when_something_of_it_is_closed(ros):
    server, caller, received = ros("/server"), ros("/caller"), []
    server.subscription("std_msgs/msg/String", "/words", lambda message: received.append(message.data))
    publisher = caller.publisher("std_msgs/msg/String", "/words")
    until(publisher.subscribers)
    for number in range(5):
        service = server.service(TRIGGER, "/passing", lambda request: server.message(f"{TRIGGER}_Response"))
        client = caller.client(TRIGGER, "/passing")
        until(client.ready)
        client.call(caller.message(f"{TRIGGER}_Request")).result(20)
        service.close()
        client.close()
        publisher.publish(caller.message("std_msgs/msg/String", data=str(number)))
        until(lambda number=number: received[-1:] == [str(number)])


def test_a_publisher_that_is_closed_says_so(ros):
    node = ros("/talker")
    publisher = node.publisher("std_msgs/msg/String", "/words")
    until(lambda: node.publishers_of("/words") == ("/talker",))
    publisher.close()
    publisher.close()
    with pytest.raises(InfrastructureError, match="Cannot send on /words: it is closed"):
        publisher.publish(node.message("std_msgs/msg/String", data="x"))


def test_the_clock_of_a_simulator(ros):
    simulator, robot = ros("/simulator"), ros("/robot")
    publisher = simulator.publisher(CLOCK, CLOCK_TOPIC, SENSOR)
    clock = PublishedClock(robot)
    until(publisher.subscribers)
    for at in itertools.count(5.0, 0.1):
        publisher.publish(simulator.message(CLOCK, clock=stamp(at)))
        time.sleep(0.02)
        if clock.elapsed() > 0.3:
            break
        assert at < 100
    assert clock.now() >= 5.0 and clock.stop_reason() == ""


def test_a_node_that_is_at_work_closes_every_time(ros):
    for _ in range(100):
        node, calls = ros("/brief"), []
        node.timer(0.001, lambda calls=calls: calls.append(None))
        until(lambda calls=calls: calls)
        node.close()


def test_a_node_does_not_grow_with_the_messages_that_it_hears(ros):
    talker, listener = ros("/talker"), ros("/listener")
    received = [0]
    listener.subscription(BOOL, "/pressed", lambda _: received.__setitem__(0, received[0] + 1))
    publisher = talker.publisher(BOOL, "/pressed")
    until(publisher.subscribers)

    def objects_after(messages):
        ends = received[0] + messages
        until(lambda: publisher.publish(talker.message(BOOL, data=True)) or received[0] >= ends)
        gc.collect()
        return len(gc.get_objects())

    before = objects_after(20)
    assert objects_after(500) < before + 250, "nothing is kept of a message"

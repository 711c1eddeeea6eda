"""Topics, services and timers between two nodes on a real wire; what is refused there."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

from homie.kernel.errors import BadInput, InfrastructureError
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import LATCHED, SENSOR, Qos
from ros_bridge.transport.network import Network
from tests.waiting import running, until

HEADER = "std_msgs/msg/Header"
TWIST, IMAGE, ADD = "geometry_msgs/msg/Twist", "sensor_msgs/msg/Image", "example_interfaces/srv/AddTwoInts"


def add(node):
    return node.service(ADD, "/add", lambda request: node.message(f"{ADD}_Response", sum=request.a + request.b))


def test_a_picture_comes_as_it_was_sent(nodes):
    received = []
    nodes("/hears").subscription(IMAGE, "/camera", received.append, SENSOR)
    node = nodes("/says")
    publisher = node.publisher(IMAGE, "/camera", SENSOR)
    until(publisher.subscribers)
    pixels = np.random.default_rng(0).integers(0, 256, (720, 1280, 3), np.uint8)
    publisher.publish(node.message(IMAGE, height=720, width=1280, step=3840, encoding="rgb8", data=pixels))
    until(lambda: received)
    assert (received[0].height, received[0].width, received[0].encoding) == (720, 1280, "rgb8")
    assert np.array_equal(np.reshape(received[0].data, pixels.shape), pixels)


def test_a_latched_message_is_there_for_who_comes_later(nodes):
    node = nodes("/early")
    node.publisher("std_msgs/msg/String", "/description", LATCHED).publish(
        node.message("std_msgs/msg/String", data="fetch")
    )
    received = []
    nodes("/late").subscription("std_msgs/msg/String", "/description", received.append, LATCHED)
    until(lambda: received)
    assert received[0].data == "fetch"


def test_a_reliable_subscription_does_not_take_what_may_be_lost(nodes):
    node, publisher = nodes("/hears"), nodes("/says").publisher(TWIST, "/cmd_vel", Qos(reliable=False))
    strict = node.subscription(TWIST, "/cmd_vel", print)
    loose = node.subscription(TWIST, "/cmd_vel", print, SENSOR)
    until(lambda: loose.publishers() and publisher.subscribers())
    assert (strict.publishers(), publisher.subscribers()) == (0, 1)


def test_a_closed_subscription_is_gone_for_others(nodes):
    here, there = nodes("/here"), nodes("/there")
    publisher = here.publisher("std_msgs/msg/String", "/word")
    subscription = there.subscription("std_msgs/msg/String", "/word", lambda message: None)
    until(lambda: publisher.subscribers() == 1)
    subscription.close()
    until(lambda: publisher.subscribers() == 0)


def test_endpoints_live_on_when_those_of_the_first_type_are_closed(network):
    """In a process of its own, which Cyclone DDS would end: it reads the type that came first for all others."""
    command = [sys.executable, "-m", "tests.ros_bridge.transport.closing_first", str(network.domain), "150"]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert completed.returncode == 0, completed.stderr


def test_a_closed_node_says_so(nodes):
    node, kind = nodes("/here"), "std_msgs/msg/String"
    node.close()
    calls = (
        lambda: node.publisher(kind, "/word"),
        lambda: node.subscription(kind, "/word", print),
        lambda: node.client(ADD, "/add"),
        lambda: node.service(ADD, "/add", print),
        lambda: node.timer(1.0, print),
        node.graph,
    )
    for call in calls:
        with pytest.raises(InfrastructureError, match="The node /here is closed"):
            call()
    assert node.refused == {}


def test_subscribers_are_counted_while_they_come_and_go(nodes):
    publisher, other = nodes("/here").publisher("std_msgs/msg/String", "/word"), nodes("/there")
    stop = threading.Event()

    def come_and_go():
        while not stop.is_set():
            several = [other.subscription("std_msgs/msg/String", "/word", lambda message: None) for _ in range(8)]
            for subscription in several:
                subscription.close()

    thread = threading.Thread(target=come_and_go)
    thread.start()
    counts = {publisher.subscribers() for _ in range(20_000)}
    until(lambda: counts.add(publisher.subscribers()) or len(counts) > 1)
    stop.set()
    thread.join()
    assert counts <= set(range(9)) and len(counts) > 1


def test_each_call_of_a_service_gets_its_own_answer(nodes):
    add(nodes("/adds"))
    clients = [nodes("/asks").client(ADD, "/add") for _ in range(2)]
    until(lambda: all(client.ready() for client in clients))
    node = nodes("/makes")
    calls = [(a, clients[a % 2].call(node.message(f"{ADD}_Request", a=a, b=100))) for a in range(20)]
    assert [call.result(20).sum for _, call in calls] == [a + 100 for a, _ in calls]


def test_a_call_without_an_answer_fails_when_the_node_is_closed(nodes):
    node = nodes("/asks")
    call = node.client(ADD, "/nobody").call(node.message(f"{ADD}_Request"))
    node.close()
    with pytest.raises(InfrastructureError, match="no answer"):
        call.result(20)


def test_a_service_in_another_process_answers(nodes, network):
    code = (
        "import sys\n"
        "from ros_bridge.transport.network import Network\n"
        "from ros_bridge.transport.dds.node import DdsNode\n"
        f"node = DdsNode('/other', Network({network.domain}, 'lo'))\n"
        f"node.service({ADD!r}, '/add', lambda asked: node.message('{ADD}_Response', sum=asked.a * asked.b))\n"
        "sys.stdin.read()\n"
    )
    with running([sys.executable, "-c", code], stdin=subprocess.PIPE) as other:
        node = nodes("/asks")
        client = node.client(ADD, "/add")
        until(client.ready)
        assert client.call(node.message(f"{ADD}_Request", a=6, b=7)).result(20).sum == 42
        other.communicate(b"")


def test_a_timer_rings_until_it_is_closed(nodes):
    rung = threading.Semaphore(0)
    timer = nodes("/rings").timer(0.01, rung.release)
    for _ in range(3):
        assert rung.acquire(timeout=60)
    timer.close()


def test_the_graph_has_the_names_of_ros(nodes, network):
    node = nodes("/robot/base")
    node.publisher(TWIST, "/cmd_vel")
    node.subscription(IMAGE, "/camera", print)
    add(node)
    watcher = nodes("/watcher")
    watcher.graph()
    until(lambda: "/add" in watcher.graph().services and "/robot/base" in watcher.graph().nodes)
    graph = watcher.graph()
    assert graph.publishers["/cmd_vel"] == {TWIST}
    assert graph.subscriptions["/camera"] == {IMAGE}
    assert graph.services == {"/add": {ADD}}
    node.close()
    until(lambda: watcher.graph().nodes == {"/watcher"} and "/cmd_vel" not in watcher.graph().publishers)


def test_a_publisher_of_another_type_is_not_heard(nodes):
    received = []
    node = nodes("/hears")
    subscription = node.subscription(TWIST, "/cmd_vel", received.append)
    other = nodes("/says")
    wrong = other.publisher("std_msgs/msg/String", "/cmd_vel")
    right = other.publisher(TWIST, "/cmd_vel")
    until(right.subscribers)
    wrong.publish(other.message("std_msgs/msg/String", data="not a twist"))
    right.publish(other.message(TWIST))
    until(lambda: received)
    assert (wrong.subscribers(), subscription.publishers(), len(received)) == (0, 1, 1)


def test_a_callback_that_fails_does_not_end_the_node(nodes, caplog):
    received = []

    def fail_once(message):
        received.append(message)
        if len(received) == 1:
            raise RuntimeError("the callback is wrong")

    nodes("/hears").subscription(TWIST, "/cmd_vel", fail_once)
    node = nodes("/says")
    publisher = node.publisher(TWIST, "/cmd_vel")
    until(publisher.subscribers)
    for count in (1, 2):
        publisher.publish(node.message(TWIST))
        until(lambda count=count: len(received) == count)
    assert "the callback is wrong" in caplog.text


def test_noise_on_the_ports_of_dds_changes_nothing(nodes, network):
    node = nodes("/asks")
    add(nodes("/adds"))
    client = node.client(ADD, "/add")
    until(client.ready)
    noise = np.random.default_rng(1)
    base = 7400 + 250 * network.domain  # the ports of DDS: two to a participant
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for number in range(300):
            head = b"RTPS\x02\x01\x01\x10" if number % 2 else b""
            for port in (base + 10, base + 11, base + 12, base + 13):
                out.sendto(head + noise.bytes(int(noise.integers(1, 1500))), ("127.0.0.1", port))
    assert client.call(node.message(f"{ADD}_Request", a=1, b=2)).result(20).sum == 3


def test_a_flooded_topic_leaves_the_others_their_turn(nodes):
    hears, floods = nodes("/hears"), nodes("/floods")
    hears.subscription(TWIST, "/flooded", lambda _: None)
    add(hears)
    publisher, client = floods.publisher(TWIST, "/flooded"), floods.client(ADD, "/add")
    until(lambda: publisher.subscribers() and client.ready())
    over = threading.Event()

    def flood():
        while not over.is_set():
            publisher.publish(floods.message(TWIST))

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        for number in range(5):
            assert client.call(floods.message(f"{ADD}_Request", a=number, b=1)).result(20).sum == number + 1
    finally:
        over.set()
        thread.join()


def test_malformed_bytes_are_counted_and_logged(nodes, caplog):
    received = []
    node, other = nodes("/hears"), nodes("/says")
    node.subscription(HEADER, "/text", received.append)
    publisher = other.publisher(HEADER, "/text")
    until(publisher.subscribers)
    # Cyclone DDS takes any bytes as text, ROS 2 does not; worse than that it does not write.
    good = Definitions().write(HEADER, other.message(HEADER, frame_id="ab"))
    with caplog.at_level(logging.WARNING, "homie.ros_bridge"):
        for _ in range(3):
            publisher.writers[0].write(good.replace(b"ab", b"\xff\xfe"))
        until(lambda: node.refused)
        publisher.publish(other.message(HEADER, frame_id="good"))
        until(lambda: received)
    assert [message.frame_id for message in received] == ["good"]
    assert node.refused == {"rt/text": 3}
    assert caplog.text.count("Refused on rt/text") == 1


@pytest.mark.parametrize("name", ["cmd_vel", "/", "/a//b", "/1st", "/a b", "/a__b", ""])
def test_a_name_that_is_none_of_ros_is_refused(nodes, name):
    with pytest.raises(BadInput, match="absolute name of ROS 2"):
        nodes("/says").publisher(TWIST, name)


def test_the_variables_of_ros_say_where_the_robot_is():
    variables = {"ROS_DOMAIN_ID": "7", "ROS_LOCALHOST_ONLY": "1", "ROS_DISTRO": "jazzy"}
    assert Network.from_environment(variables) == Network(7, "lo", "jazzy")
    assert Network.from_environment({}) == Network()
    with pytest.raises(BadInput, match="ROS_DOMAIN_ID must be a number"):
        Network.from_environment({"ROS_DOMAIN_ID": "-1"})
    with pytest.raises(BadInput, match="from 0 to 232"):
        Network.from_environment({"ROS_DOMAIN_ID": "233"})


def test_one_process_is_on_a_domain_in_one_way(nodes, network):
    nodes("/here")
    with pytest.raises(InfrastructureError, match="already"):
        DdsNode("/there", Network(network.domain, "eth9"))


@pytest.mark.parametrize("distro", ["jazzy", "lyrical"])
def test_nodes_of_other_distributions_are_seen(distro, network):
    there = Network(network.domain, network.interface, distro)
    with DdsNode("/one", there) as node, DdsNode("/two", there) as other:
        node.graph()
        until(lambda: {"/one", "/two"} <= node.graph().nodes)
        assert other.message(TWIST).linear.x == 0

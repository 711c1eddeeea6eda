"""The emergency stop as a node of rclpy over Fast DDS, the default of ROS 2, presses it while the robot drives."""

from __future__ import annotations

import threading

import pytest

from tests.ros_bridge.guard.agent import SPEED
from tests.ros_bridge.links import connected, refusal
from tests.waiting import until

TRIGGER, BOOL, ESTOP = "std_srvs/srv/Trigger", "std_msgs/msg/Bool", "/homie/estop"


class Driver:
    """An agent that drives all the time."""

    def __init__(self, link):
        self.link, self.refused, self.over = link, "", threading.Event()
        self.thread = threading.Thread(target=self.drive)
        self.thread.start()

    def drive(self):
        while not self.over.wait(0.05):
            self.refused = refusal(self.link)

    def end(self):
        self.over.set()
        self.thread.join()


@pytest.fixture
def driver(start_guarding, robot, network, runtime_folder, transport):
    """One who drives the robot, over a guard of its own, which ends with the test: two guards of one robot stop what
    the other drives."""
    path = runtime_folder / "g.sock"
    start_guarding("fetch", transport, "--silence", "2", "--socket", str(path))
    with connected(path, network) as link:
        driver = Driver(link)
        until(lambda: robot.speed > SPEED / 2)
        yield driver
        driver.end()


def stopped_by(driver, robot, source):
    until(lambda: f"Emergency stop ({source})" in driver.refused)
    until(robot.stands)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "patience", "answer", "source"),
    [
        ("dds", 2, None, f"a call of the service {ESTOP}"),
        ("rclpy", 60, {"success": True, "message": "stopping"}, f"the service {ESTOP}"),
    ],
)
def test_the_service_is_offered_where_it_can_answer_and_a_call_is_a_stop_all_the_same(
    driver, robot, real, transport, patience, answer, source
):
    assert real.ask("ready", kind=TRIGGER, name=ESTOP, seconds=patience) is (transport == "rclpy")
    until(lambda: robot.speed > SPEED / 2)
    answers = []

    def stopped():  # called again, since a call of what never gets ready may come before the guard knows its client
        answers.append(real.ask("call", kind=TRIGGER, name=ESTOP, seconds=patience / 2))
        return "Emergency stop" in driver.refused

    until(stopped)
    stopped_by(driver, robot, source)
    assert all(each == answer for each in answers)


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["dds", "rclpy"])
@pytest.mark.parametrize("qos", ["default", "sensor"])
def test_the_topic_stops_the_robot_however_it_is_published(driver, robot, real, qos):
    """As a stop button does, it is published again and again: the first messages of a new publisher may be lost, as the
    guard does not know it yet."""
    topic = {"kind": BOOL, "topic": f"{ESTOP}", "qos": qos}
    real.ask("publish", fields={"data": False}, **topic)
    until(lambda: robot.speed > SPEED / 2)
    assert "Emergency stop" not in driver.refused
    pressed = threading.Event()
    button = threading.Thread(target=lambda: press(real, pressed, **topic))
    button.start()
    try:
        stopped_by(driver, robot, f"the topic {ESTOP}")
    finally:
        pressed.set()
        button.join()


def press(real, ended, **topic):
    while not ended.wait(0.1):
        real.ask("publish", fields={"data": True}, **topic)


def test_a_service_whose_answers_cannot_come_is_never_ready(node, real):
    real.ask("serve", kind=TRIGGER, name="/theirs", fields={"success": True})
    assert real.ask("ready", kind=TRIGGER, name="/theirs", seconds=20)
    other_client, own_client = node.client(TRIGGER, "/theirs"), node.client(TRIGGER, "/ours")
    node.service(TRIGGER, "/ours", lambda request: node.message(f"{TRIGGER}_Response"))
    until(own_client.ready)
    until(lambda: {"/theirs", "/ours"} <= set(node.graph().services))
    assert not other_client.ready() and "/theirs" in node.graph().foreign and "/ours" not in node.graph().foreign

"""Instructions over the wire, carried out by generators of the test."""

from __future__ import annotations

import json
import threading
import time

import pytest

from homie.kernel.errors import InfrastructureError, PlannerError, RobotFault, Stopped
from ros_bridge.instructions import DO, FEEDBACK, RESULT, STOP, TRIGGER, Desk
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.transport.interface import BOOL, LATCHED
from tests.waiting import until

FAILURES = {"planner": PlannerError("no answer"), "robot": InfrastructureError("no guard"), "bug": ZeroDivisionError()}


class Agent:
    """Waits in its first round until it is stopped, or fails, as its instruction says."""

    def __init__(self) -> None:
        self.stopped, self.stops, self.fault = threading.Event(), 0, None
        self.stands = threading.Event()
        self.stands.set()

    def begin(self, text):
        self.stopped.clear()
        return self.do(text)

    def do(self, text):
        if text in FAILURES:
            raise FAILURES[text]
        yield {"round": 1}
        if text == "wait" and self.stopped.wait(30):
            raise Stopped("stopped")
        return {"outcome": "done"}

    def stop(self):
        self.stops += 1
        self.stopped.set()
        self.stands.wait(30)
        if self.fault is not None:
            raise self.fault


class Caller:
    """Tells, and hears what comes of it."""

    def __init__(self, node) -> None:
        self.node, self.results, self.feedback = node, [], []
        node.subscription(TEXT, RESULT, lambda message: self.results.append(json.loads(message.data)), LATCHED)
        node.subscription(TEXT, FEEDBACK, lambda message: self.feedback.append(json.loads(message.data)))
        self.publisher, self.stopper = node.publisher(TEXT, DO), node.client(TRIGGER, STOP)
        self.button = node.publisher(BOOL, STOP)
        until(lambda: self.publisher.subscribers() and self.button.subscribers() and self.stopper.ready())

    def tell(self, text):
        self.publisher.publish(self.node.message(TEXT, data=text))

    def stop(self):
        return self.stopper.call(self.node.message(f"{TRIGGER}_Request")).result(20)


@pytest.fixture
def agent(nodes):
    agent = Agent()
    agent.desk = Desk(nodes("/agent"), agent.begin, agent.stop)
    yield agent
    agent.desk.close()


@pytest.fixture
def caller(agent, nodes):
    return Caller(nodes("/caller"))


def statuses(caller):
    return [result["status"] for result in caller.results]


def test_the_service_stops_and_answers_when_the_robot_stands(agent, caller):
    caller.tell("wait")
    until(lambda: [each["round"] for each in caller.feedback] == [0, 1])
    answer = caller.stop()
    assert (answer.success, answer.message) == (True, "The robot stands.")
    until(lambda: statuses(caller) == ["stopped"])
    agent.fault = RobotFault("It still moves.")
    answer = caller.stop()
    assert (answer.success, answer.message) == (False, "It still moves.")
    agent.fault = None


def test_an_instruction_with_an_id_is_carried_out_once_however_often_it_is_sent(agent, caller):
    words = json.dumps({"instruction": "tidy", "id": "a"})
    for _ in range(3):
        caller.tell(words)
    until(lambda: "finished" in statuses(caller))
    other = json.dumps({"instruction": "wait", "id": "b"})
    caller.tell(other)
    until(lambda: (caller.feedback[-1]["id"], caller.feedback[-1]["round"]) == ("b", 1))
    caller.tell(words)
    caller.stop()
    until(lambda: "stopped" in statuses(caller))
    assert {(result["id"], result["number"]) for result in caller.results} == {("a", 1), ("b", 2)}


def test_what_was_lost_of_an_instruction_is_said_again_when_it_is_sent_again(agent, caller):
    wait, other = (json.dumps({"instruction": "wait", "id": each}) for each in "ab")
    caller.tell(wait)
    until(lambda: [each["round"] for each in caller.feedback] == [0, 1])
    caller.tell(wait)
    until(lambda: [each["round"] for each in caller.feedback] == [0, 1, 1])
    caller.tell(other)
    until(lambda: statuses(caller) == ["rejected"])
    caller.tell(other)
    until(lambda: statuses(caller) == ["rejected", "rejected"])
    caller.stop()
    until(lambda: statuses(caller)[2:] == ["stopped"])
    caller.tell(wait)
    until(lambda: statuses(caller)[2:] == ["stopped", "stopped"])
    assert len({result["number"] for result in caller.results}) == 2


def test_a_button_that_says_it_many_times_stops_once_until_the_next_instruction(agent, caller):
    def press():
        for _ in range(10):
            caller.button.publish(caller.node.message(BOOL, data=True))

    agent.stands.clear()
    caller.tell("wait")
    until(lambda: len(caller.feedback) == 2)
    press()
    until(lambda: statuses(caller) == ["stopped"])
    time.sleep(0.3)
    assert agent.stops == 1
    agent.stands.set()
    caller.tell("wait")
    until(lambda: len(caller.feedback) == 4)
    press()
    until(lambda: statuses(caller) == ["stopped", "stopped"])


@pytest.mark.parametrize(("text", "reason"), [("robot", "no guard"), ("bug", "ZeroDivisionError")])
def test_after_a_failure_of_the_robot_nothing_else_is_begun(agent, caller, text, reason):
    caller.tell(text)
    until(lambda: statuses(caller) == ["failed"])
    assert reason in caller.results[0]["reason"] and reason in str(agent.desk.failure)
    caller.tell("tidy")
    until(lambda: statuses(caller) == ["failed", "rejected"])
    assert reason in caller.results[1]["reason"]


def test_the_next_instruction_can_be_sent_when_the_result_is_heard(agent, caller):
    def next_at_once(message):
        if len(caller.results) < 100:
            caller.tell(f"tidy {len(caller.results)}")

    caller.node.subscription(TEXT, RESULT, next_at_once)
    caller.tell("tidy")
    until(lambda: len(caller.results) == 100)
    assert set(statuses(caller)) == {"finished"}


def test_after_a_planner_that_could_not_decide_the_next_instruction_is_carried_out(agent, caller):
    caller.tell("planner")
    until(lambda: statuses(caller) == ["failed"])
    caller.tell("tidy")
    until(lambda: statuses(caller) == ["failed", "finished"])
    assert agent.desk.failure is None and caller.results[1]["number"] == 2

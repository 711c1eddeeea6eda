"""A node of Homie that obeys JSON objects on stdin, as `real_node.py` does: python homie_node.py TRANSPORT"""

from __future__ import annotations

import json
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any

from ros_bridge.transport.actions import ActionClient, ActionServer, Outcome, ServedGoal, Status
from ros_bridge.transport.opening import open_node

TEXT, TRIGGER, COUNT = "std_msgs/msg/String", "std_srvs/srv/Trigger", "test_msgs/action/Fibonacci"
HALF = 0.15
"""Seconds between feedback and result."""


def know_the_action() -> None:
    """Over plain DDS an action of other packages has to be described: `test_msgs` is only in the real ROS 2."""
    from ros_bridge.transport.dds.cdr_topic_types import types_of

    register = types_of("humble").definitions.register
    goal_id = "unique_identifier_msgs/UUID goal_id\n"
    texts = {
        "Goal": "int32 order",
        "Result": "int32[] sequence",
        "Feedback": "int32[] sequence",
        "SendGoal_Request": f"{goal_id}test_msgs/action/msg/Fibonacci_Goal goal",
        "SendGoal_Response": "bool accepted\nbuiltin_interfaces/Time stamp",
        "GetResult_Request": goal_id,
        "GetResult_Response": "int8 status\ntest_msgs/action/msg/Fibonacci_Result result",
        "FeedbackMessage": f"{goal_id}test_msgs/action/msg/Fibonacci_Feedback feedback",
    }
    for part, text in texts.items():
        register(f"{COUNT}_{part}", text)


class Homie:
    """Offers a topic, a service and an action, and uses those of `real_node.py`."""

    def __init__(self, transport: str) -> None:
        if transport == "dds":
            know_the_action()
        self.node = open_node("/homie", transport)  # type: ignore[arg-type]
        self.words: list[str] = []
        self.node.subscription(TEXT, "/real/words", lambda message: self.words.append(str(message.data)))
        publisher = self.node.publisher(TEXT, "/homie/words")
        self.node.timer(0.1, lambda: publisher.publish(self.node.message(TEXT, data="hello")))
        self.node.service(TRIGGER, "/homie/trigger", self.later)
        ActionServer(self.node, COUNT, "/homie/count", self.count)
        self.caller, self.sender = (
            self.node.client(TRIGGER, "/real/trigger"),
            ActionClient(self.node, COUNT, "/real/count"),
        )

    def later(self, request: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        response = self.node.message(f"{TRIGGER}_Response", success=True, message="later")
        threading.Timer(0.1, lambda: answer.set_result(response)).start()
        return answer

    def count(self, goal: ServedGoal) -> Outcome:
        """Half of it as feedback, then the rest; an order above 50 takes until it is cancelled."""
        order = int(goal.message.order)
        goal.feedback({"sequence": list(range(order // 2))})
        if goal.cancelled.wait(60 if order > 50 else HALF):
            return Outcome(Status.CANCELED, {"sequence": []})
        return Outcome(Status.SUCCEEDED, {"sequence": list(range(order))})

    def heard(self) -> int:
        return len(self.words)

    def call(self, seconds: float) -> str:
        """What the service says; "never ready" where it is not there for a client in so many seconds."""
        if not within(seconds, self.caller.ready):
            return "never ready"
        return str(self.caller.call(self.node.message(f"{TRIGGER}_Request")).result(20).message)

    def send(self, order: int, cancel: bool, seconds: float) -> str:
        """How a goal ends."""
        if not within(seconds, self.sender.ready):
            return "never ready"
        counts: list[int] = []
        goal = self.sender.send({"order": order}, lambda feedback: counts.append(len(feedback.sequence)))
        assert goal.accepted.result(20) and within(20, lambda: counts == [order // 2])
        if cancel:
            self.sender.cancel(goal).result(20)
        outcome = goal.outcome.result(20)
        return f"{outcome.status.name} {len(outcome.result.sequence)}"


def within(seconds: float, holds: Any) -> bool:
    ends = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends:
        time.sleep(0.02)
    return bool(holds())


def main(transport: str) -> None:
    homie = Homie(transport)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(homie, request.pop("what"))(**request)), flush=True)
    homie.node.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A program of ROS 2 that uses an agent of Homie: it tells it what to do, and hears how it goes."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.ros_bridge.real.conftest import RealNode
from tests.waiting import until

TEXT, TRIGGER, BOOL = "std_msgs/msg/String", "std_srvs/srv/Trigger", "std_msgs/msg/Bool"
DO, FEEDBACK, RESULT = "/homie/do", "/homie/do/feedback", "/homie/do/result"
STOP, EPISODE = "/homie/stop", "/homie/episode"
NUMBERS = itertools.count(1)


class Caller:
    """A node of rclpy that has heard nothing yet.

    What is sent when two nodes have just found each other may be lost: it says everything until it is heard.
    """

    def __init__(self, node: RealNode) -> None:
        self.node = node
        for topic, qos in ((FEEDBACK, "default"), (RESULT, "latched"), (EPISODE, "default")):
            node.ask("subscribe", kind=TEXT, topic=topic, qos=qos)

    def last(self, topic: str) -> dict[str, Any]:
        """The newest JSON on a topic."""
        received = self.node.ask("last", topic=topic)
        return {} if received is None else json.loads(received["message"]["data"])

    def say(self, text: str) -> None:
        """Send a text as an instruction, once."""
        self.node.ask("publish", kind=TEXT, topic=DO, fields={"data": text})

    def tell(self, instruction: str) -> str:
        """Have it carried out; its id, as soon as something is heard of it."""
        number = str(next(NUMBERS))

        def is_done() -> bool:
            self.say(json.dumps({"instruction": instruction, "id": number}))
            return number in (self.last(FEEDBACK).get("id"), self.last(RESULT).get("id"))

        until(is_done)
        return number

    def ended(self, number: str) -> bool:
        """Whether the instruction with this id has a result."""
        return bool(self.last(RESULT).get("id") == number)

    def is_rejected(self, text: str, why: str) -> None:
        """Say something until it is rejected for a reason."""
        before = self.last(RESULT).get("number", 0)

        def rejected() -> bool:
            self.say(text)
            result = self.last(RESULT)
            return result.get("number", 0) > before and result["status"] == "rejected" and why in result["reason"]

        until(rejected)

"""An agent over the rclpy transport, stopped by the service, which can answer there."""

from __future__ import annotations

import json
import subprocess

from tests.waiting import until

TEXT, TRIGGER = "std_msgs/msg/String", "std_srvs/srv/Trigger"
FEEDBACK, RESULT = "/homie/do/feedback", "/homie/do/result"


def last(node, topic):
    heard = node.ask("last", topic=topic)
    return {} if heard is None else json.loads(heard["message"]["data"])


def test_the_service_answers_when_the_robot_stands(homie_in_ros, real):
    words = ["serve", "agent", "--seed", "7", "--rounds", "3", "--transport", "rclpy"]
    process = homie_in_ros("homie", *words, stderr=subprocess.PIPE)
    while "waits for instructions" not in (line := process.stderr.readline()):
        assert line, "the agent has ended"
    for topic, qos in ((FEEDBACK, "default"), (RESULT, "latched")):
        real.ask("subscribe", kind=TEXT, topic=topic, qos=qos)
    assert real.ask("ready", kind=TRIGGER, name="/homie/stop", seconds=20)

    def begun():
        real.ask(
            "publish", kind=TEXT, topic="/homie/do", fields={"data": '{"instruction": "go to the table", "id": "7"}'}
        )
        return last(real, FEEDBACK).get("id") == "7" or last(real, RESULT).get("id") == "7"

    until(begun)
    answer = real.ask("call", kind=TRIGGER, name="/homie/stop", seconds=20)
    assert answer == {"success": True, "message": "The robot stands."}
    until(lambda: last(real, RESULT).get("status") in ("stopped", "finished"))
    late = real.ask("graph")
    assert "/homie_agent" in late["nodes"] and "/homie/stop" in late["services"]

"""An agent over the rclpy transport: told what to do, heard, and stopped, also by the service, which answers there."""

from __future__ import annotations

import subprocess

from tests.ros_bridge.real.caller import BOOL, FEEDBACK, RESULT, STOP, TRIGGER, Caller
from tests.waiting import follow, until


def test_an_agent_carries_out_and_stops_and_its_service_answers_when_the_robot_stands(homie_in_ros, real):
    words = ["serve", "agent", "--seed", "7", "--rounds", "3", "--transport", "rclpy"]
    process = homie_in_ros("homie", *words, stderr=subprocess.PIPE)
    follow(process.stderr, "waits for instructions")
    caller = Caller(real)
    number = caller.tell("go to the table")
    until(lambda: caller.ended(number), 300)
    result = caller.last(RESULT)
    assert (result["status"], result["outcome"]) == ("finished", "not checked"), result
    until(lambda: (caller.last(FEEDBACK)["id"], caller.last(FEEDBACK)["round"]) == (number, result["rounds"]))

    number = caller.tell("go to the sofa")
    assert real.ask("ready", kind=TRIGGER, name=STOP, seconds=60)
    assert real.ask("call", kind=TRIGGER, name=STOP, seconds=60) == {"success": True, "message": "The robot stands."}
    until(lambda: caller.ended(number))
    assert caller.last(RESULT)["status"] in ("stopped", "finished")

    number = caller.tell("go to the table")
    until(lambda: real.ask("publish", kind=BOOL, topic=STOP, fields={"data": True}) and caller.ended(number))
    assert caller.last(RESULT)["status"] in ("stopped", "finished")
    caller.is_rejected('{"task": "x"}', '"instruction"')
    until(lambda: "/homie_agent" in real.ask("graph")["nodes"] and STOP in real.ask("graph")["services"])

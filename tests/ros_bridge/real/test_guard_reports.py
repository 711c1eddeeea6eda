"""What a guard says of itself, as a node of rclpy over Fast DDS hears it."""

from __future__ import annotations

import contextlib
import json

import pytest

from homie.kernel.errors import CommandRefused
from tests.ros_bridge.links import connected, drives
from tests.waiting import until

STATE = {"kind": "std_msgs/msg/String", "topic": "/homie/guard/state", "qos": "latched"}
DIAGNOSTICS = {"kind": "diagnostic_msgs/msg/DiagnosticArray", "topic": "/diagnostics"}
OK, WARN, ERROR = "00", "01", "02"


def state(real):
    last = real.ask("last", topic=STATE["topic"])
    return {} if last is None else json.loads(last["message"]["data"])


def status(real):
    last = real.ask("last", topic=DIAGNOSTICS["topic"])
    return {} if last is None else last["message"]["status"][0]


@pytest.fixture
def listening(real):
    real.ask("subscribe", **STATE)
    real.ask("subscribe", **DIAGNOSTICS)
    return real


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["dds", "rclpy"])
def test_a_dashboard_sees_what_the_guard_does(start_guarding, robot, network, runtime_folder, listening, transport):
    real, report = listening, lambda: (status(listening).get("level"), status(listening).get("message"))
    path = runtime_folder / "g.sock"
    start_guarding("fetch", transport, "--silence", "2", "--socket", str(path))
    until(lambda: state(real).get("unmeasured") == "" and report() == (OK, "Armed"))
    assert state(real)["armed"] and not state(real)["agent"] and state(real)["profile"] == "fetch"
    with connected(path, network) as link:
        until(lambda: drives(link, robot) and state(real)["agent"] and state(real)["moving"])
        until(lambda: drives(link, robot) and report() == (OK, "The robot moves"))

        def too_fast():  # a busy machine may have something else refused between the two
            with contextlib.suppress(CommandRefused):
                link.velocity(50.0, 0.0)
            return drives(link, robot) and "50" in state(real)["refused"]

        until(too_fast)

        def pressed():  # again and again, as first messages may be lost
            real.ask("publish", kind="std_msgs/msg/Bool", topic="/homie/estop", fields={"data": True})
            return report() == (ERROR, "Emergency stop (the topic /homie/estop)")

        until(pressed)
        until(lambda: state(real)["emergency"] and not state(real)["stopping"])
    until(lambda: not state(real)["agent"])
    values = {each["key"]: each["value"] for each in status(real)["values"]}
    assert values["armed"] == "true" and values["agent_silent_for"].endswith(" s")
    assert status(real)["name"] == "homie_guard: fetch" and status(real)["hardware_id"] == "fetch"
    count = real.ask("count", topic=DIAGNOSTICS["topic"])
    until(lambda: real.ask("count", topic=DIAGNOSTICS["topic"]) > count + 1)  # once a second, though nothing changes


@pytest.mark.parametrize("transport", ["dds", "rclpy"])
def test_who_comes_late_hears_the_state_of_a_guard_that_is_not_armed(
    start_guarding, robot, network, runtime_folder, start_real, transport
):
    path = runtime_folder / "g.sock"
    start_guarding("fetch", transport, "--socket", str(path), armed=False)
    with connected(path, network):
        late = start_real(f"late_{transport}")
        late.ask("subscribe", **STATE)
        late.ask("subscribe", **DIAGNOSTICS)
        until(lambda: state(late).get("agent"))
        until(lambda: status(late).get("message") == "Not armed: nothing moves")
        assert status(late)["level"] == WARN and not state(late)["armed"]

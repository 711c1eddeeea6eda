"""What a robot in rclpy over Fast DDS says of itself: its health in diagnostics, and its own emergency stop."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.link import EmergencyStop, GuardLink
from ros_bridge.guard.sockets import socket_path
from ros_bridge.profiles.model import read_profile
from tests.waiting import until

STATUS = [
    {"name": "arm: motor 3", "level": 2, "message": "too hot", "hardware_id": "arm"},
    {"name": "battery", "level": 1, "message": "12 % left"},
    {"name": "laser", "level": 0, "message": "fine"},
]

FRAMES = {
    "transforms": [
        {"header": {"frame_id": "odom"}, "child_frame_id": "base_link"},
        {"header": {"frame_id": "base_link"}, "child_frame_id": "gripper_link"},
    ]
}
UNWELL = [
    ("/diagnostics", "", ""),
    ("arm: motor 3", "error: too hot", ""),
    ("battery", "", "warning: 12 % left"),
]
"""Names, problems and notes that the check shows."""


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_the_check_shows_what_is_not_well(real, ros_messages, checked, tmp_path, transport):
    profile = read_profile("fetch").model_dump(mode="json", exclude_none=True, include={"name", "frames", "base"})
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(profile | {"diagnostics": "/diagnostics"}))
    kind, topic = "diagnostic_msgs/msg/DiagnosticArray", "/diagnostics"

    def problems(findings):
        return [(each["name"], each["problem"], each["note"]) for each in findings if each["part"] == "diagnostics"]

    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(
            checked, str(tmp_path / "mine.yaml"), transport, lambda findings: problems(findings) == UNWELL
        )
        while not check.done():
            real.ask("publish", kind=kind, topic=topic, fields={"status": STATUS}, wait=0.0)
            real.ask(
                "publish", kind="tf2_msgs/msg/TFMessage", topic="/tf_static", fields=FRAMES, qos="latched", wait=0.0
            )
            time.sleep(0.1)
    assert problems(check.result()[1]["findings"]) == UNWELL


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_its_own_emergency_stop_stops_what_the_guard_drives(
    start_fake, start_guarding, real, network, runtime_folder, tmp_path, transport
):
    start_fake("fetch")
    topic = f"/runstop_{transport}"  # the node lives as long as the module, and a latched topic keeps what it said
    profile_fields = read_profile("fetch").model_dump(
        mode="json", exclude_none=True, exclude={"navigation", "reaching"}
    )
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(profile_fields | {"emergency_stop": {"topic": topic}}))
    start_guarding(str(tmp_path / "mine.yaml"), transport, "--silence", "2")
    real.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom")
    profile = read_profile(str(tmp_path / "mine.yaml"))
    path = runtime_folder / "homie" / socket_path(profile.name, network).name
    with GuardLink(profile, path, network=network) as link:

        def refused():
            try:
                link.velocity(0.3, 0.0)
            except (CommandRefused, EmergencyStop) as error:
                return str(error)
            return ""

        def speed():
            last = real.ask("last", topic="/odom")
            return 0.0 if last is None else last["message"]["twist"]["twist"]["linear"]["x"]

        until(lambda: f"has not been heard on {topic}" in refused())
        button = {"kind": "std_msgs/msg/Bool", "topic": topic, "qos": "latched"}
        real.ask("publish", fields={"data": False}, **button)
        until(lambda: refused() == "" and speed() > 0.2)
        real.ask("publish", fields={"data": True}, **button)
        until(lambda: "Emergency stop (the robot's own is pressed)" in refused())
        until(lambda: abs(speed()) < 0.01)

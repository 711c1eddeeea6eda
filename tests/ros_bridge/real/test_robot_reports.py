"""What a robot in rclpy over Fast DDS says of itself: its health in diagnostics, as `homie robot check` shows it."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml

from ros_bridge.profiles.model import read_profile

STATUS = [
    {"name": "arm: motor 3", "level": 2, "message": "too hot", "hardware_id": "arm"},
    {"name": "battery", "level": 1, "message": "12 % left"},
    {"name": "laser", "level": 0, "message": "fine"},
]


@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_the_check_shows_what_is_not_well(real, homie_in_ros, tmp_path, transport):
    known = read_profile("fetch").model_dump(mode="json", exclude_none=True, include={"name", "frames", "base"})
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(known | {"diagnostics": "/diagnostics"}))
    words = ["--seconds", "5", "--json", "--transport", transport]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    check = homie_in_ros("homie", "robot", "check", str(tmp_path / "mine.yaml"), *words, **streams)
    kind, topic = "diagnostic_msgs/msg/DiagnosticArray", "/diagnostics"
    while check.poll() is None:
        real.ask("publish", kind=kind, topic=topic, fields={"status": STATUS}, wait=0.2)
    findings = json.loads(check.communicate(timeout=60)[0])["findings"]
    shown = [(each["name"], each["problem"], each["note"]) for each in findings if each["part"] == "diagnostics"]
    assert shown == [
        ("/diagnostics", "", ""),
        ("arm: motor 3", "error: too hot", ""),
        ("battery", "", "warning: 12 % left"),
    ]

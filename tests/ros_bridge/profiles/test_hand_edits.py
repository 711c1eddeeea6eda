"""Profiles from URDFs with the lines edited that docs/ros.md lists, against robots with the names of public drivers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from homie.kernel.support.documents import parse_yaml
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.profile_from_urdf import profile_from_urdf
from tests.ros_bridge.checking import check_until, problems_of
from tests.ros_bridge.profiles.public_drivers import DRIVERS, PublicRobot
from tests.ros_bridge.profiles.urdf_robots import ROBOTS
from tests.waiting import until

PAGE = Path(__file__).parents[3] / "docs" / "ros.md"
MOST = 10
"""Lines that somebody edits by hand."""


def edits_of(robot: str) -> dict[str, object]:
    """The lines of the table: new values by their places in the profile."""
    (row,) = re.findall(rf"^\| {re.escape(robot)} \|[^|]*\| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    return {place: parse_yaml(value) for place, value in re.findall(r"`([a-z_.]+): ([^`]+)`", row)}


def edit_line(profile: dict[str, object], place: str, value: object) -> bool:
    """Edit one line of a profile; whether that changes it."""
    *parts, name = place.split(".")
    for part in parts:
        profile = profile[part]
    before = profile.get(name)
    profile[name] = value
    if value is None:
        del profile[name]
    return before != value


@pytest.mark.slow
@pytest.mark.parametrize("robot", DRIVERS)
def test_with_few_edits_the_profile_is_that_of_the_robot(robot: str, nodes, tmp_path: Path) -> None:
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(ROBOTS[DRIVERS[robot].urdf]().text())
    drafted, edits = yaml.safe_load(profile_from_urdf(urdf)), edits_of(robot)
    assert 0 < len(edits) <= MOST
    without_effect = [place for place, value in edits.items() if not edit_line(drafted, place, value)]
    assert without_effect == []
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(drafted))
    profile = read_profile(str(tmp_path / "mine.yaml"))
    PublicRobot(nodes("/robot"), DRIVERS[robot])
    node = nodes("/homie_check")
    until(lambda: DRIVERS[robot].actions.keys() <= node.graph().actions.keys())
    until(lambda: profile.joint_states in node.graph().publishers)
    assert problems_of(check_until(node, profile, lambda findings: not problems_of(findings))) == {}
    assert len(profile.chain) >= 5 and profile.gripper is not None

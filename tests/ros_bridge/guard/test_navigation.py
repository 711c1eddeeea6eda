"""The robot's own navigation, as the guard lets it drive: limits, silence, stops, and one driver at a time."""

from __future__ import annotations

import pytest

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.command_checks import check_navigate
from ros_bridge.guard.guard import UNCONFIRMED
from ros_bridge.guard.messages import CommandEnded, Navigate, Stop, StopResult
from ros_bridge.profiles.model import read_profile
from tests.ros_bridge.guard.test_guard import FETCH, World, why


@pytest.fixture
def world():
    return World()


def navigate(world, number=5, **changes):
    fields = {"x": 1.0, "y": 2.0, "yaw": 0.5, "frame": "odom", "stamp": world.now, **changes}
    return world.say(Navigate(id=number, **fields))


def test_a_drive_is_handed_on_and_ends_as_the_robot_says(world):
    assert not navigate(world)
    assert ("navigate", 1.0, 2.0, 0.5) in world.outlet.sent and world.guard.moving
    world.speed = (0.4, 0.1)
    world.pass_time(2.0)
    assert not [entry for entry in world.outlet.sent if entry[0] == "velocity"], "the topic is the navigation's"
    world.outlet.running[5](CommandEnded(id=5, outcome="aborted", code=103, text="no way"))
    assert world.replies[-1].text == "no way" and not world.guard.moving


def test_one_drives_at_a_time(world):
    navigate(world)
    assert "navigation drives it: cancel that first" in why(world.drive(0.2))
    assert not world.drive(0.0), "to stand is not a wish to drive"
    assert "navigation drives it" in why(navigate(world, number=6))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"frame": "map"}, "in the frame 'odom', not 'map'"),
        ({"x": float("nan")}, "not finite"),
        ({"yaw": float("inf")}, "not finite"),
    ],
)
def test_a_place_that_may_not_be_is_refused(world, changes, sentence):
    with pytest.raises(CommandRefused, match=sentence):
        check_navigate(FETCH, Navigate(**{"id": 1, "x": 0, "y": 0, "yaw": 0, "frame": "odom", "stamp": 0, **changes}))
    assert why(navigate(world, **changes)) and not world.outlet.running
    with pytest.raises(CommandRefused, match="names no navigation"):
        check_navigate(read_profile("franka"), Navigate(id=1, x=0, y=0, yaw=0, frame="odom", stamp=0))


def test_a_drive_that_is_old_or_not_armed_is_refused(world):
    assert "0.40 s old" in why(navigate(world, stamp=world.now - 0.4))
    assert "not before" not in why(navigate(World(armed=False)))


@pytest.mark.parametrize("speed", [(0.8, 0.0), (0.0, -1.5)])
def test_navigation_that_is_faster_than_the_profile_is_stopped(world, speed):
    navigate(world)
    world.speed = speed
    world.pass_time(0.1)
    assert ("cancel all",) in world.outlet.sent and world.velocities()[-1] == (0.0, 0.0)


def test_silence_of_the_agent_ends_a_drive(world):
    navigate(world)
    world.speed = (0.3, 0.0)
    world.pass_time(0.3, alive=False)
    assert ("cancel all",) in world.outlet.sent and world.velocities()[-1] == (0.0, 0.0)


def test_a_stop_is_done_when_the_drive_has_ended_too(world):
    navigate(world)
    world.say(Stop(id=9))
    world.speed = (0.0, 0.0)
    world.pass_time(1.0)
    assert not [reply for reply in world.replies if isinstance(reply, StopResult)], "it may be between two velocities"
    world.outlet.running[5](CommandEnded(id=5, outcome="cancelled"))
    world.pass_time(0.1)
    assert world.replies[-1].confirmed and not world.guard.moving


def test_a_stop_does_not_wait_for_a_navigation_that_has_died(world):
    navigate(world)
    world.say(Stop(id=9))
    world.pass_time(UNCONFIRMED + 0.2)
    assert world.replies[-1].confirmed
    assert not world.drive(0.2), "the base is free again"

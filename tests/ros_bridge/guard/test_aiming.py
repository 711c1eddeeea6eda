"""The set point of joints on their way to an aim, by numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ros_bridge.guard.aiming import Aiming
from ros_bridge.profiles.parts import Group

PERIOD = 0.02
JOINT = {"velocity": 0.5, "acceleration": 1.0}
GROUP = Group.model_validate(
    {"action": "/a", "joints": [{"name": "slide", "lower": -1, "upper": 1, **JOINT}, {"name": "turn", **JOINT}]}
)


def way(aiming, seconds, began=0.0, blocked=False):
    """The set points (n, 2) of a while in which nothing new is said; the joints follow, or are blocked at 0."""
    points = []
    for number in range(round(seconds / PERIOD)):
        measured = np.zeros(2) if blocked else aiming.point
        points.append(aiming.step(measured, began + (number + 1) * PERIOD, PERIOD).copy())
    return np.array(points)


def repeat_command(aiming, positions, seconds):
    """The set points of a while in which the same is said every period."""
    points = []
    for number in range(round(seconds / PERIOD)):
        aiming.aim(positions, number * PERIOD)
        points.append(aiming.step(aiming.point, number * PERIOD, PERIOD).copy())
    return np.array(points)


def test_it_speeds_up_drives_and_brakes_as_fast_as_the_joint_may():
    aiming = Aiming(GROUP, np.zeros(2))
    points = repeat_command(aiming, (0.8, 0.0), 3.0)[:, 0]
    speeds = np.diff(points, prepend=0.0) / PERIOD
    accelerations = np.diff(speeds, prepend=0.0) / PERIOD
    assert max(speeds) == pytest.approx(0.5) and max(accelerations) == pytest.approx(1.0)
    assert min(accelerations) == pytest.approx(-1.0, abs=0.02)
    assert max(points) <= 0.8 + 1e-9 and points[-1] == pytest.approx(0.8, abs=1e-4)
    arrived = np.argmax(points > 0.79) * PERIOD
    assert arrived == pytest.approx(0.8 / 0.5 + 0.5 - math.sqrt(2 * 0.01), abs=0.06), "no slower than it has to be"
    assert not aiming.over(2.98 + 0.24), "it was said in the last quarter of a second"
    assert aiming.over(2.98 + 0.26)


def test_an_aim_lives_for_a_quarter_of_a_second():
    """The audit's mutant: three times as long."""
    aiming = Aiming(GROUP, np.zeros(2))
    aiming.aim((0.9, 0.0), 0.0)
    points = way(aiming, 2.0)[:, 0]
    speeds = np.diff(points, prepend=0.0) / PERIOD
    # 0.25 s of speeding up, and as much to come to rest.
    assert (np.argmax(speeds) + 1) * PERIOD == pytest.approx(0.25, abs=PERIOD)
    assert max(speeds) == pytest.approx(0.25, abs=0.03)
    assert points[-1] == pytest.approx(0.0625, abs=0.01)
    assert speeds[-1] == 0 and aiming.over(2.0) and min(speeds) >= 0


def test_it_is_not_over_while_it_moves_or_is_commanded():
    aiming = Aiming(GROUP, np.zeros(2))
    assert aiming.over(0.0), "nothing was ever said"
    aiming.aim((0.9, 0.0), 0.0)
    assert not aiming.over(0.25)
    way(aiming, 0.3)
    assert not aiming.over(0.3)
    way(aiming, 1.0, began=0.3)
    assert aiming.over(1.3)


def test_the_set_point_waits_for_a_joint_that_is_blocked():
    aiming = Aiming(GROUP, np.zeros(2))
    for number in range(100):
        aiming.aim((0.9, -0.9), number * PERIOD)
        point = aiming.step(np.zeros(2), number * PERIOD, PERIOD)
    assert point == pytest.approx([0.15, -0.15])


@pytest.mark.parametrize(("goal", "direction"), [(3.0, -1), (-3.0, 1), (2.0, 1)])
def test_a_joint_without_end_takes_the_short_way_round(goal, direction):
    aiming = Aiming(GROUP, np.array([0.0, math.copysign(3.0, goal) * -1 if abs(goal) == 3.0 else 0.0]))
    start = aiming.point[1]
    moved = repeat_command(aiming, (0.0, goal), 0.5)[-1, 1] - start
    assert math.copysign(1, moved) == direction
    back = Aiming(GROUP, np.array([-0.9, 0.0]))
    assert repeat_command(back, (0.9, 0.0), 0.5)[-1, 0] > -0.9, "one with ends goes between them"


def test_it_turns_back_when_another_aim_is_said():
    aiming = Aiming(GROUP, np.zeros(2))
    out = repeat_command(aiming, (0.8, 0.0), 0.4)[-1, 0]
    points = repeat_command(aiming, (-0.5, 0.0), 3.0)[:, 0]
    assert max(points) > out, "it brakes first"
    assert max(points) - out <= 0.4**2 / 2 + 0.01
    assert points[-1] == pytest.approx(-0.5, abs=1e-4)


def test_no_time_is_no_motion():
    aiming = Aiming(GROUP, np.zeros(2))
    aiming.aim((0.8, 0.0), 0.0)
    assert aiming.step(np.zeros(2), 0.0, 0.0) == pytest.approx([0.0, 0.0])

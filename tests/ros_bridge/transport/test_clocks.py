"""The clock of a simulator as it is followed: stopped, slow, reset, leaping, told by two."""

from __future__ import annotations

from types import SimpleNamespace as Fields

import pytest

from ros_bridge.transport.clocks import PAUSED, MachineClock, PublishedClock, robot_clock
from ros_bridge.transport.stamps import stamp


class Simulator:
    """Says what time it is."""

    def __init__(self):
        self.wall, self.publishers, self.resets = 50.0, 1, 0
        self.clock = PublishedClock(self, lambda: self.wall)
        self.clock.on_reset(self.count)

    def count(self):
        self.resets += 1

    def subscription(self, kind, topic, callback, qos=None):
        assert (kind, topic) == ("rosgraph_msgs/msg/Clock", "/clock")
        self.callback = callback
        return Fields(publishers=lambda: self.publishers)

    def __call__(self, at, passed=0.1):
        self.wall += passed
        self.callback(Fields(clock=Fields(**stamp(at))))


@pytest.fixture
def simulator():
    return Simulator()


def test_it_follows_at_any_speed(simulator):
    for number in range(20):
        simulator(5.0 + 0.3 * number)
    assert simulator.clock.now() == pytest.approx(10.7)
    assert simulator.clock.elapsed() == pytest.approx(5.7)
    assert simulator.clock.stop_reason() == "" and simulator.resets == 0


def test_a_clock_that_says_the_same_has_stopped_after_a_while(simulator):
    simulator(5.0)
    simulator(5.0, passed=PAUSED - 0.1)
    assert simulator.clock.stop_reason() == ""
    simulator(5.0, passed=0.2)
    assert simulator.clock.stop_reason() == "/clock has stopped at 5.00 s: is the simulator paused?"
    assert simulator.clock.stop_reason(after=10.0) == ""
    simulator(5.1)
    assert simulator.clock.stop_reason() == ""


def test_a_clock_of_which_nothing_is_heard(simulator):
    assert simulator.clock.stop_reason() == ""
    simulator.wall += PAUSED + 0.1
    assert "nothing comes on /clock, which use_sim_time follows" in simulator.clock.stop_reason()


def test_a_reset_begins_anew_and_robot_time_goes_on(simulator, caplog):
    for at in (100.0, 101.0, 0.0, 0.5):
        simulator(at)
    assert (simulator.clock.now(), simulator.clock.elapsed(), simulator.resets) == (0.5, 1.5, 1)
    assert "/clock goes back from 101.00 to 0.00 s: the simulator began again" in caplog.text
    assert simulator.clock.stop_reason() == ""


def test_what_comes_late_is_no_reset(simulator):
    for at in (100.0, 100.2, 100.1, 100.3):
        simulator(at)
    assert (simulator.clock.now(), simulator.resets) == (100.3, 0)
    assert simulator.clock.elapsed() == pytest.approx(0.3)


def test_nobody_lives_through_a_leap(simulator, caplog):
    for at in (1.0, 2.0, 2000.0, 2001.0):
        simulator(at)
    assert (simulator.clock.now(), simulator.clock.elapsed(), simulator.resets) == (2001.0, 2.0, 0)
    assert "/clock leaps forward from 2.00 to 2000.00 s" in caplog.text


def test_two_clocks_that_contradict_each_other_are_no_clock(simulator):
    simulator.publishers = 2
    for number in range(4):
        simulator(100.0 + number)
        simulator(5.0 + number)
    assert simulator.clock.stop_reason() == "2 publishers of /clock contradict each other"


def test_waiting_for_a_clock_that_stands_ends(simulator):
    simulator(1.0)
    simulator.clock.wait(simulator.clock.elapsed() + 100.0, longest=0.01)


def test_which_clock_a_robot_has(simulator):
    assert isinstance(robot_clock(simulator, use_sim_time=True), PublishedClock)
    assert isinstance(robot_clock(simulator, use_sim_time=False), MachineClock)

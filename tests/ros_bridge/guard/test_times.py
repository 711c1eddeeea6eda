"""The times on which a robot's safety rests, by their numbers: a limit that grows is a failure here."""

from __future__ import annotations

import pytest

from ros_bridge.guard.messages import (
    ApprovalDecision,
    CommandEnded,
    Grip,
    Heartbeat,
    Navigate,
    Reach,
    RefusalMessage,
    Stop,
    StopResult,
    Subtask,
)
from ros_bridge.guard.silence import SILENCE_OF_RUNS
from tests.ros_bridge.guard.test_guard import FETCH, PERIOD, World, aim, aims, why


@pytest.fixture
def world():
    return World()


def cancels(world):
    return world.outlet.sent.count(("cancel all",))


def until_stopped(world, longest=5.0, alive=True):
    """Seconds until everything is cancelled."""
    start = world.now
    while not cancels(world):
        world.pass_time(PERIOD, alive=alive)
        assert world.now - start < longest, "it was not stopped"
    return world.now - start


# ------------------------------------------------------------ what stops the robot


def test_the_period_is_a_fiftieth_of_a_second():
    assert PERIOD == 0.02


def test_an_agent_may_be_silent_for_a_fifth_of_a_second(world):
    world.drive(0.3)
    assert until_stopped(world, alive=False) == pytest.approx(0.22, abs=0.021)


def test_an_agent_may_be_silent_for_longer_where_that_was_asked_for():
    world = World(silence=1.0)
    world.follow()
    assert until_stopped(world, alive=False) == pytest.approx(1.0, abs=0.021)


def test_a_run_with_a_guard_of_its_own_may_be_silent_for_two_seconds():
    world = World(silence=SILENCE_OF_RUNS)
    world.follow()
    assert until_stopped(world, alive=False) == pytest.approx(2.0, abs=0.021)


def test_an_agent_that_is_silent_may_be_so_while_nothing_moves(world):
    world.pass_time(5.0, alive=False)
    assert not world.outlet.sent
    assert world.guard.standing and not world.guard.moving


def test_measurements_may_be_silent_for_half_a_second(world):
    world.follow()
    world.dead = True
    assert until_stopped(world) == pytest.approx(0.5, abs=0.041)
    assert "the odometry is silent" in why(world.drive())


def test_a_hand_that_leaves_its_workspace_is_noticed_within_a_tenth_of_a_second(world):
    world.follow()
    world.pass_time(0.5)
    world.joints |= {"shoulder_lift_joint": 1.5, "elbow_flex_joint": 0.0, "shoulder_pan_joint": 0.0}
    assert until_stopped(world) <= 0.14


def test_a_hand_that_was_outside_from_the_beginning_may_come_back(world):
    world.joints |= {"shoulder_lift_joint": 1.5, "elbow_flex_joint": 0.0, "shoulder_pan_joint": 0.0}
    world.pass_time(0.1)
    world.drive(0.1)
    world.pass_time(0.2)
    assert not cancels(world)


def test_a_base_driven_too_fast_by_others_is_stopped(world):
    world.say(Navigate(id=5, x=1, y=1, yaw=0, frame="odom", stamp=world.now))
    world.speed = (0.6, 1.2)
    world.pass_time(0.5)
    assert not cancels(world)
    world.speed = (0.61, 0.0)
    assert until_stopped(world) <= 0.021


def start_motion(world):
    """A motion of the robot's own planner, under way."""
    joints = tuple(joint.name for joint in FETCH.planned_joints)
    positions = (0.1, 0.5, 0.2, 0.0, 0.5, 0.0, 0.5, 0.0)
    command = Reach(id=5, joints=joints, positions=positions, frame="base_link", stamp=world.now)
    assert world.say(command) == []


def test_a_joint_that_others_move_too_fast_is_stopped_at_the_fifth_measurement(world):
    start_motion(world)
    world.joint_speed = 0.13  # of the torso 0.1 are allowed
    world.pass_time(4 * PERIOD)
    world.joint_speed = 0.0
    world.pass_time(PERIOD)
    world.joint_speed = 0.13
    world.pass_time(4 * PERIOD)
    assert not cancels(world)
    world.pass_time(PERIOD)
    assert cancels(world)


def test_a_planned_motion_takes_the_place_of_an_aim(world):
    aim(world, 0.3)
    world.pass_time(0.1)
    start_motion(world)
    sent = len(aims(world))
    world.pass_time(0.2)
    assert len(aims(world)) == sent


# ------------------------------------------------------------ how long what was said is in force


def test_a_velocity_lives_for_a_quarter_of_a_second(world):
    world.drive(0.5)
    world.pass_time(1.5)
    speeds = [linear for linear, _ in world.velocities()]
    rises = [speed for before, speed in zip([0.0, *speeds], speeds, strict=False) if speed > before]
    assert len(rises) * PERIOD == pytest.approx(0.25, abs=0.021)
    assert max(speeds) == pytest.approx(0.25 * FETCH.base.linear_acceleration, abs=0.016)


def test_an_aim_lives_for_a_quarter_of_a_second(world):
    aim(world, 0.3)
    for _ in range(50):
        world.pass_time(PERIOD)
        world.joints["torso_lift_joint"] = aims(world)[-1]
    # 0.25 s at 0.2 m/s^2, and as much to come to rest
    assert aims(world)[-1] == pytest.approx(0.0125, abs=0.003)
    assert world.guard.standing


def test_zero_is_sent_for_half_a_second_after_a_motion(world):
    world.drive(0.1)
    world.pass_time(0.2)
    world.drive(0.0)
    world.pass_time(3.0)
    speeds = [linear for linear, _ in world.velocities()]
    rest = len(speeds) - max(number for number, speed in enumerate(speeds) if speed) - 1
    assert rest * PERIOD == pytest.approx(0.5, abs=0.03)


def test_a_guard_that_was_held_up_does_not_make_up_for_it(world):
    world.drive(0.5)
    world.now += 0.15
    world.guard.tick()
    assert world.velocities()[-1][0] == pytest.approx(0.1 * FETCH.base.linear_acceleration)


def test_each_speed_has_its_own_ramp(world):
    world.drive(-0.5, 1.0)
    world.pass_time(0.1)
    linear, angular = world.velocities()[-1]
    assert linear == pytest.approx(-0.1 * 0.75) and angular == pytest.approx(0.1 * 3.0)


# ------------------------------------------------------------ what is as old as it may be

EXACT = 1024.0
"""A time to which a quarter and a half of a second can be added without rounding."""


def exactly(**options):
    """A world that has just measured itself, at `EXACT`."""
    world = World(**options)
    world.now = EXACT - PERIOD
    world.pass_time(PERIOD)
    assert world.now == EXACT
    return world


def tick_at(world, seconds, alive=True):
    """The next tick, so many seconds after `EXACT`."""
    world.now = EXACT + seconds
    if alive:
        world.say(Heartbeat())
    world.guard.tick()


def test_a_velocity_that_is_a_quarter_of_a_second_old_is_driven():
    world = exactly()
    world.drive(0.3)
    tick_at(world, 0.25)
    assert world.velocities()[-1][0] > 0.0


def test_an_agent_that_has_been_silent_for_as_long_as_it_may_stops_nothing():
    world = exactly(silence=0.25)
    world.follow()
    tick_at(world, 0.25, alive=False)
    assert not cancels(world)
    tick_at(world, 0.2501, alive=False)
    assert cancels(world)


def test_measurements_that_are_half_a_second_old_count():
    world = exactly()
    world.follow()
    tick_at(world, 0.5)
    assert not cancels(world)
    tick_at(world, 0.5001)
    assert cancels(world)


def test_a_stop_that_is_not_seen_is_reported_after_more_than_three_seconds():
    world = exactly()
    world.say(Stop(id=7))
    tick_at(world, 3.0)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)
    tick_at(world, 3.0001)
    assert any(isinstance(reply, StopResult) for reply in world.replies)


def test_zero_is_no_longer_sent_half_a_second_after_a_motion():
    world = exactly()
    world.drive(0.3)
    tick_at(world, 0.0625)
    world.drive(0.0)
    world.now += 0.0625
    world.guard.tick()  # at rest again from here on
    at_rest, sent = world.velocities()[-1], len(world.velocities())
    assert at_rest == (0.0, 0.0)
    tick_at(world, 0.5)
    assert len(world.velocities()) == sent + 1
    tick_at(world, 0.5625)
    assert len(world.velocities()) == sent + 1


# ------------------------------------------------------------ stops


def test_a_stop_is_asked_for_five_times_a_second_until_the_robot_stands(world):
    world.speed = (0.3, 0.0)
    world.pass_time(0.1)
    world.say(Stop(id=7))
    assert world.outlet.sent[-2:] == [("velocity", 0.0, 0.0), ("cancel all",)]
    world.pass_time(1.0)
    assert 5 <= cancels(world) <= 6, "at once and every fifth of a second"
    assert len(world.velocities()) == pytest.approx(51, abs=1), "zero every period"
    world.speed = (0.0, 0.0)
    world.pass_time(0.5)
    before = cancels(world)
    world.pass_time(1.0)
    assert cancels(world) == before and world.guard.standing


def test_a_stop_that_is_not_seen_is_reported_after_three_seconds(world):
    world.speed = (0.3, 0.0)
    world.pass_time(0.1)
    world.say(Stop(id=7))
    world.pass_time(2.9)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)
    world.pass_time(0.2)
    (stopped,) = [reply for reply in world.replies if isinstance(reply, StopResult)]
    assert (stopped.id, stopped.confirmed) == (7, False)
    world.say(Stop(id=8))
    world.pass_time(0.1)
    assert [reply.id for reply in world.replies if isinstance(reply, StopResult)] == [7, 8], (
        "each request gets an answer"
    )


def test_a_stop_says_how_long_it_took(world):
    world.say(Stop(id=7))
    world.pass_time(0.2)
    (stopped,) = [reply for reply in world.replies if isinstance(reply, StopResult)]
    assert stopped.text == "The robot stands, as measured 0.06 s after the stop."
    assert stopped.confirmed


def test_three_measurements_in_a_row_confirm_a_stop(world):
    world.say(Stop(id=7))
    world.pass_time(2 * PERIOD)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)
    world.speed = (0.011, 0.0)
    world.pass_time(PERIOD)
    world.speed = (0.01, 0.02)  # the thresholds themselves count as standing
    world.joint_speed = -0.02
    world.pass_time(2 * PERIOD)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)
    world.pass_time(PERIOD)
    assert any(isinstance(reply, StopResult) for reply in world.replies)


@pytest.mark.parametrize(("speed", "joint"), [((0.011, 0.0), 0.0), ((0.0, -0.021), 0.0), ((0.0, 0.0), 0.021)])
def test_what_creeps_does_not_stand(world, speed, joint):
    world.speed, world.joint_speed = speed, joint
    world.say(Stop(id=7))
    world.pass_time(1.0)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)


def test_software_of_the_robot_has_to_end_before_a_stop_is_confirmed(world):
    world.say(Navigate(id=5, x=1, y=1, yaw=0, frame="odom", stamp=world.now))
    world.say(Stop(id=7))
    world.pass_time(2.9)
    assert not any(isinstance(reply, StopResult) for reply in world.replies), "it may be between two velocities"
    world.outlet.running[5](CommandEnded(id=5, outcome="cancelled"))
    world.pass_time(PERIOD)
    assert any(isinstance(reply, StopResult) and reply.confirmed for reply in world.replies)


def test_software_that_never_ends_is_waited_for_for_three_seconds(world):
    world.say(Navigate(id=5, x=1, y=1, yaw=0, frame="odom", stamp=world.now))
    world.say(Stop(id=7))
    world.pass_time(3.1)
    (stopped,) = [reply for reply in world.replies if isinstance(reply, StopResult)]
    assert stopped.confirmed and not world.guard.moving


def test_two_stops_are_both_answered(world):
    world.speed = (0.3, 0.0)
    world.pass_time(0.1)
    world.say(Stop(id=7))
    world.say(Stop(id=8))
    world.speed = (0.0, 0.0)
    world.pass_time(0.2)
    assert [reply.id for reply in world.replies if isinstance(reply, StopResult)] == [7, 8]


def test_after_a_stop_nothing_of_before_goes_on(world):
    world.drive(0.3)
    aim(world, 0.3)
    world.pass_time(0.1)
    world.guard.stop("a test")
    assert not world.guard.moving and not world.guard.standing
    assert "The robot is being stopped (a test)." in why(world.drive())
    world.pass_time(0.3)
    sent = len(aims(world))
    world.pass_time(0.5)
    assert len(aims(world)) == sent and world.velocities()[-1] == (0.0, 0.0)


# ------------------------------------------------------------ who may let it move


def test_an_agent_that_is_lost_while_the_robot_stands_stops_nothing(world):
    world.guard.lost("it has ended")
    assert not world.outlet.sent
    world.follow()
    world.guard.lost("it has ended")
    assert cancels(world) == 1
    assert "being stopped (it has ended)" in why(world.drive())


def test_an_agent_that_is_lost_takes_its_question_and_its_approval_with_it():
    world = World(approval="subtask")
    world.say(Subtask(id=1, text="Pick | apple"))
    world.guard.lost("it has ended")
    world.guard.decide(True)
    assert not any(isinstance(reply, ApprovalDecision) for reply in world.replies)
    world.say(Subtask(id=2, text="Pick | apple"))
    world.guard.decide(True)
    assert world.drive() == []
    world.guard.lost("it has ended")
    world.pass_time(0.5)
    assert "has not approved" in why(world.drive())


def test_an_emergency_takes_the_approval_with_it():
    world = World(approval="subtask")
    world.say(Subtask(id=1, text="Pick | apple"))
    world.guard.decide(True)
    world.guard.emergency("the keyboard")
    world.pass_time(0.5)
    world.guard.release()
    assert "has not approved" in why(world.drive())


def test_without_approval_a_subtask_begins_at_once(world):
    assert world.say(Subtask(id=4, text="Pick | apple")) == [ApprovalDecision(id=4, approved=True)]
    assert world.asked == []


def test_to_stand_is_always_allowed():
    world = World(armed=False)
    assert world.drive(0.0, 0.0) == []
    assert "the frame 'base_link', not 'odom'" in why(World().drive(0.0, 0.0, frame="odom"))
    assert "not armed" in why(world.drive(0.0, 0.1)) or "armed" in why(world.drive(0.0, 0.1))


def test_a_refusal_of_a_numbered_command_says_which(world):
    (refused,) = world.say(Grip(id=31, width=9.0, effort=1, stamp=world.now))
    assert refused == RefusalMessage(id=31, why="The gap 9 m is outside 0..0.1.")
    (refused,) = world.drive(9.0)
    assert refused.id is None


def test_what_is_refused_is_logged_once_in_a_while(world, caplog):
    for _ in range(3):
        world.drive(9.0)
    world.say(Grip(id=31, width=9.0, effort=1, stamp=world.now))
    assert lines_with(caplog, "Refused") == [
        "Refused on the agent's velocity (1 so far): The linear velocity 9 is over the limit of 0.5 m/s.",
        "Refused on the agent's grip (1 so far): The gap 9 m is outside 0..0.1.",
    ]


def lines_with(caplog, words):
    """The lines of the log with some words."""
    return [record.getMessage() for record in caplog.records if words in record.getMessage()]


def test_a_stop_that_nobody_asked_for_and_that_is_not_seen_is_logged_once(world, caplog):
    world.drive(0.3)
    world.pass_time(0.1)
    world.speed = (0.3, 0.0)
    world.pass_time(6.0, alive=False)
    (line,) = lines_with(caplog, "not confirmed")
    assert line.startswith("That the robot stands is not confirmed: the base moves at 0.30 m/s and 0.00 rad/s, ")
    assert len(lines_with(caplog, "Stop: the agent has been silent for 0.2")) == 1


def test_an_emergency_and_its_end_are_logged_once(world, caplog):
    world.guard.release()
    assert not lines_with(caplog, "released"), "there was none"
    world.guard.emergency("the keyboard")
    world.guard.emergency("the keyboard")
    world.guard.release()
    world.guard.release()
    assert lines_with(caplog, "EMERGENCY") == ["EMERGENCY STOP: the keyboard"]
    assert lines_with(caplog, "released") == ["The emergency stop is released"]


def test_a_stop_that_is_seen_is_logged_with_its_reason(world, caplog):
    world.guard.stop("a test")
    world.pass_time(0.2)
    assert lines_with(caplog, "Stop:") == ["Stop: a test"]
    assert lines_with(caplog, "stands") == ["The robot stands, 0.06 s after the stop (a test)"]


def test_a_grip_is_under_way_until_it_ends(world):
    assert world.say(Grip(id=3, width=0.05, effort=10, stamp=world.now)) == []
    assert world.guard.moving and ("grip", 3) in world.outlet.sent
    world.outlet.running[3](CommandEnded(id=3, outcome="succeeded"))
    assert not world.guard.moving and world.replies[-1].id == 3


def test_a_trajectory_takes_the_place_of_an_aim(world):
    aim(world, 0.3)
    world.pass_time(0.1)
    assert world.follow() == []
    sent = len(aims(world))
    world.pass_time(0.2)
    assert len(aims(world)) == sent


def test_a_drive_of_the_robots_own_takes_the_place_of_a_velocity(world):
    world.drive(0.3)
    world.pass_time(0.1)
    world.say(Navigate(id=5, x=1, y=1, yaw=0, frame="odom", stamp=world.now))
    sent = len(world.velocities())
    world.outlet.running[5](CommandEnded(id=5, outcome="succeeded"))
    world.pass_time(0.1)
    assert world.velocities()[sent:] in ([], [(0.0, 0.0)] * (len(world.velocities()) - sent))
    assert not world.guard.moving

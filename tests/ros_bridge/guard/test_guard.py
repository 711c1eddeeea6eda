"""What the guard lets through, refuses and stops, with a clock of the test."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.command_checks import check_trajectory, outside
from ros_bridge.guard.commands_to_robot import DryOutlet
from ros_bridge.guard.guard import PERIOD, UNCONFIRMED, Guard
from ros_bridge.guard.measured import FRESH, Measurements
from ros_bridge.guard.messages import (
    Aim,
    ApprovalDecision,
    Cancel,
    CommandEnded,
    Grip,
    Heartbeat,
    Point,
    RefusalMessage,
    Stop,
    StopResult,
    Subtask,
    Trajectory,
    Velocity,
    from_agent,
    line,
)
from ros_bridge.guard.silence import SILENCE
from ros_bridge.profiles.model import Profile, read_profile

FETCH = read_profile("fetch")
HOME = {joint.name: 0.0 for group in FETCH.groups.values() for joint in group.joints} | {
    "shoulder_pan_joint": 1.0,
    "elbow_flex_joint": 1.0,
}


class Recorder:
    """An outlet that keeps what was sent; trajectories go on until they are ended."""

    def __init__(self):
        self.sent, self.running = [], {}

    def velocity(self, linear, angular, sideways=0.0):
        self.sent.append(("velocity", linear, angular, *([sideways] if sideways else [])))

    def aim(self, group, positions):
        self.sent.append(("aim", group, positions))

    def follow(self, command, ended):
        self.sent.append(("follow", command.id))
        self.running[command.id] = ended

    def grip(self, command, ended):
        self.sent.append(("grip", command.id))
        self.running[command.id] = ended

    def navigate(self, command, ended):
        self.sent.append(("navigate", command.x, command.y, command.yaw))
        self.running[command.id] = ended

    def reach(self, command, ended):
        self.sent.append(("reach", command.positions, len(command.boxes)))
        self.running[command.id] = ended

    def cancel(self, number):
        self.sent.append(("cancel", number))

    def cancel_all(self):
        self.sent.append(("cancel all",))


class World:
    """A guard, the robot as it measures itself, and the time."""

    def __init__(self, profile: Profile = FETCH, oldest: float = FRESH, **options):
        self.now, self.replies, self.outlet, self.callbacks = 1000.0, [], Recorder(), {}
        self.asked, self.publishers = [], 1
        self.orientation = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
        self.speed, self.joints, self.joint_speed, self.dead = (0.0, 0.0), dict(HOME), 0.0, False
        measured = Measurements(self, profile, clock=lambda: self.now, oldest=oldest)
        settings = {"armed": True, "ask": self.asked.append, **options}
        self.guard = Guard(profile, self.outlet, measured, clock=lambda: self.now, **settings)
        self.pass_time(0.2)

    def subscription(self, kind, topic, callback, qos):
        self.callbacks[topic] = callback
        return SimpleNamespace(publishers=lambda: self.publishers)

    def pass_time(self, seconds, alive=True):
        for _ in range(round(seconds / PERIOD)):
            self.now += PERIOD
            if not self.dead:
                twist = SimpleNamespace(
                    linear=SimpleNamespace(x=self.speed[0], y=0.0), angular=SimpleNamespace(z=self.speed[1])
                )
                pose = SimpleNamespace(
                    position=SimpleNamespace(x=0.0, y=0.0, z=0.0), orientation=SimpleNamespace(**self.orientation)
                )
                self.callbacks["/odom"](
                    SimpleNamespace(pose=SimpleNamespace(pose=pose), twist=SimpleNamespace(twist=twist))
                )
                self.callbacks["/joint_states"](
                    SimpleNamespace(
                        header=SimpleNamespace(stamp=SimpleNamespace(sec=int(self.now), nanosec=0)),
                        name=list(self.joints),
                        position=list(self.joints.values()),
                        velocity=[self.joint_speed] * len(self.joints),
                    )
                )
            if alive:
                self.say(Heartbeat())
            self.guard.tick()

    def say(self, message):
        """Give the guard a message; what it replied at once."""
        before = len(self.replies)
        self.guard.receive(message, self.replies.append)
        return self.replies[before:]

    def drive(self, linear=0.3, angular=0.0, **changes):
        fields = {"frame": "base_link", "stamp": self.now, **changes}
        return self.say(Velocity(linear=linear, angular=angular, **fields))

    def follow(self, number=1, group="torso", joints=("torso_lift_joint",), points=(((0.1,), 4.0),), **changes):
        path = tuple(Point(positions=positions, time=time) for positions, time in points)
        return self.say(
            Trajectory(id=number, group=group, joints=joints, points=path, **{"stamp": self.now, **changes})
        )

    def velocities(self):
        return [entry[1:] for entry in self.outlet.sent if entry[0] == "velocity"]


@pytest.fixture
def world():
    return World()


def why(replies):
    (refused,) = replies
    assert isinstance(refused, RefusalMessage)
    return refused.why


def test_a_velocity_ramps_up_and_ends_when_it_is_not_said_again(world):
    world.drive(0.3)
    world.pass_time(0.2)
    speeds = [linear for linear, _ in world.velocities()]
    step = FETCH.base.linear_acceleration * PERIOD
    assert all(0 < after - before <= step + 1e-9 for before, after in itertools.pairwise(speeds))
    world.pass_time(2.0)
    assert world.velocities()[-1] == (0.0, 0.0)
    count = len(world.velocities())
    world.pass_time(1.0)
    assert len(world.velocities()) == count, "a base that stands may be driven by others"


def test_a_base_that_can_ramps_to_the_side_and_is_stopped_there():
    base = FETCH.base.model_copy(update={"sideways": 0.3})
    world = World(FETCH.model_copy(update={"base": base}))
    assert world.drive(0.0, sideways=0.2) == []
    world.pass_time(0.2)
    aside = [velocity[2] for velocity in world.velocities()]
    step = base.linear_acceleration * PERIOD
    assert len(aside) > 5 and all(0 < after - before <= step + 1e-9 for before, after in itertools.pairwise(aside))
    world.guard.stop("the test")
    world.pass_time(0.1)
    assert world.velocities()[-1] == (0.0, 0.0)


def test_silence_of_the_agent_stops_everything(world):
    world.drive(0.3)
    world.follow()
    world.pass_time(0.1)
    world.speed = (0.2, 0.0)
    world.pass_time(SILENCE + 2 * PERIOD, alive=False)
    assert world.velocities()[-1] == (0.0, 0.0)
    assert ("cancel all",) in world.outlet.sent
    assert "being stopped (the agent has been silent" in why(world.drive())


def test_a_stop_is_done_when_the_robot_stands_and_not_before(world):
    world.drive(0.3)
    world.pass_time(0.2)
    world.speed = (0.3, 0.0)
    assert world.say(Stop(id=7)) == []
    world.pass_time(0.5)
    world.speed, world.joint_speed = (0.0, 0.0), 0.2
    world.pass_time(0.5)
    assert not any(isinstance(reply, StopResult) for reply in world.replies)
    world.joint_speed = 0.0
    world.pass_time(0.2)
    assert next(reply for reply in world.replies if isinstance(reply, StopResult)).confirmed
    assert world.drive(0.1) == []


@pytest.mark.parametrize("dead", [True, False])
def test_a_stop_that_is_not_seen_is_not_confirmed(world, dead):
    world.speed, world.dead = (0.3, 0.0), dead
    world.say(Stop(id=7))
    world.pass_time(UNCONFIRMED + 0.2)
    (stopped,) = [reply for reply in world.replies if isinstance(reply, StopResult)]
    assert not stopped.confirmed
    assert ("silent" if dead else "moves at 0.30 m/s") in stopped.text
    assert world.velocities()[-1] == (0.0, 0.0), "it goes on sending zero"
    assert "being stopped" in why(world.drive())


def test_nothing_moves_before_it_is_armed():
    world = World(armed=False)
    for replies in (world.drive(), world.follow(), world.say(Grip(id=2, width=0.05, effort=10, stamp=world.now))):
        assert "start it with --arm-robot" in why(replies)
    world.pass_time(0.5)
    assert world.outlet.sent == []


def test_an_emergency_stop_stays_until_a_person_releases_it(world):
    world.drive(0.3)
    world.pass_time(0.1)
    world.guard.emergency("the keyboard")
    assert world.outlet.sent[-2:] == [("velocity", 0.0, 0.0), ("cancel all",)]
    world.pass_time(1.0)
    assert "Emergency stop (the keyboard)" in why(world.drive())
    for replies in (world.drive(), world.say(Subtask(id=1, text="Pick | apple"))):
        assert replies[0].emergency and replies[0].why == world.guard.emergency_stop
    world.guard.release()
    assert world.drive() == [] and world.guard.emergency_stop == ""
    assert not world.drive(9.0)[0].emergency


@pytest.mark.parametrize("pressed", [True, False])
def test_the_robots_own_emergency_stop_stops_and_holds_until_both_are_released(pressed):
    stop = {"topic": "/runstop", "pressed": pressed}
    world = World(Profile.model_validate({**FETCH.model_dump(), "emergency_stop": stop}))
    say = world.callbacks["/runstop"]
    assert "its emergency stop has not been heard on /runstop" in why(world.drive())
    say(SimpleNamespace(data=not pressed))
    world.pass_time(0.1)
    assert world.drive(0.3) == []
    world.pass_time(0.1)
    say(SimpleNamespace(data=pressed))
    world.pass_time(PERIOD)
    assert world.outlet.sent[-3:] == [("velocity", 0.0, 0.0), ("cancel all",), ("velocity", 0.0, 0.0)]
    world.pass_time(1.0)
    assert "Emergency stop (the robot's own is pressed)" in why(world.drive())
    world.guard.release()
    assert world.guard.emergency_stop, "it is still pressed"
    say(SimpleNamespace(data=not pressed))
    world.pass_time(0.1)
    assert "Emergency stop" in why(world.drive()), "a person has to release that of the guard, too"
    world.guard.release()
    assert world.drive(0.3) == []


def test_a_robot_whose_own_emergency_stop_is_not_published_any_more_is_stopped():
    world = World(Profile.model_validate({**FETCH.model_dump(), "emergency_stop": {"topic": "/runstop"}}))
    world.callbacks["/runstop"](SimpleNamespace(data=False))
    world.drive(0.3)
    world.pass_time(0.1)
    assert world.velocities()[-1][0] > 0
    world.publishers = 0
    world.pass_time(0.1)
    assert world.velocities()[-1] == (0.0, 0.0)
    assert "is not published on /runstop any more" in world.guard.state.unmeasured


def test_a_person_lets_each_subtask_begin():
    world = World(approval="subtask")
    assert "has not approved" in why(world.drive())
    assert world.say(Subtask(id=1, text="Pick | apple")) == []
    assert world.asked == ["Pick | apple"]
    world.guard.decide(True)
    assert world.replies[-1] == ApprovalDecision(id=1, approved=True)
    assert world.drive() == []
    world.say(Subtask(id=2, text="Put | apple | table"))
    assert "has not approved" in why(world.drive())
    world.guard.decide(False)
    assert world.replies[-1] == ApprovalDecision(id=2, approved=False)
    assert "has not approved" in why(world.drive())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"linear": math.nan}, "not finite"),
        ({"angular": math.inf}, "not finite"),
        ({"linear": 0.6}, "linear velocity 0.6 is over the limit of 0.5 m/s"),
        ({"angular": -1.5}, "angular velocity -1.5 is over the limit of 1 rad/s"),
        ({"frame": "odom"}, "in the frame 'base_link', not 'odom'"),
        ({"stamp": 999.0}, "s old"),
        ({"stamp": 2000.0}, "in the future"),
        ({"stamp": math.nan}, "stamp is not finite"),
    ],
)
def test_a_velocity_that_may_not_be_is_refused(world, changes, sentence):
    assert sentence in why(world.drive(**changes))
    world.pass_time(0.3)
    assert world.velocities() == []


def test_a_longer_allowed_silence_allows_older_commands():
    world = World(silence=1.0)
    assert "1.10 s old, at most 1 s are allowed" in why(world.drive(stamp=world.now - 1.1))
    world.drive(0.3, stamp=world.now - 0.9)
    world.pass_time(0.1)
    assert world.velocities()


ARM = tuple(joint.name for joint in FETCH.groups["arm"].joints)
HERE = tuple(HOME[name] for name in ARM)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"group": "leg"}, "no group 'leg'"),
        ({"joints": ("elbow",)}, "must name the joints torso_lift_joint"),
        ({"points": ()}, "no points"),
        ({"points": (((0.1, 0.2), 4.0),)}, "takes 1 position, of torso_lift_joint; got 2"),
        ({"points": (((math.nan,), 4.0),)}, "not finite"),
        ({"points": (((0.1,), math.inf),)}, "not finite"),
        ({"points": (((0.1,), 4.0), ((0.2,), 4.0))}, "times of a trajectory must rise"),
        ({"points": (((0.1,), -1.0),)}, "times of a trajectory must rise"),
        ({"points": (((0.1,), 1e6),)}, "at most 120 s"),
        ({"points": (((0.5,), 30.0),)}, "torso_lift_joint at 0.5 is outside 0..0.38615"),
        ({"points": (((0.3,), 1.0),)}, "speed of torso_lift_joint would be 0.3, its limit is 0.1"),
        ({"points": (((0.05,), 0.6),)}, "acceleration of torso_lift_joint"),
        ({"points": (((0.3,), 0.0),)}, "begins elsewhere"),
        ({"stamp": 999.0}, "s old"),
        (
            {"group": "arm", "joints": ARM, "points": (((0.0, 1.5, 0, 0.0, 0, 0, 0), 20.0),)},
            "leave its workspace",
        ),
    ],
)
def test_a_trajectory_that_may_not_be_is_refused(world, changes, sentence):
    assert sentence in why(world.follow(**changes))
    world.pass_time(0.3)
    assert world.outlet.sent == []


def test_a_trajectory_needs_to_know_where_the_joints_are(world):
    world.dead = True
    world.pass_time(1.0)
    assert "the odometry is silent" in why(world.follow())
    points = (Point(positions=(0.1,), time=4.0),)
    command = Trajectory(id=1, group="torso", joints=("torso_lift_joint",), points=points, stamp=0.0)
    with pytest.raises(CommandRefused, match="'torso_lift_joint' has not been measured"):
        check_trajectory(FETCH, command, {})


def test_one_group_follows_one_trajectory_at_a_time(world):
    assert world.follow(1) == []
    assert "still follows trajectory 1" in why(world.follow(2))
    world.say(Cancel(id=1))
    assert ("cancel", 1) in world.outlet.sent
    world.outlet.running[1](CommandEnded(id=1, outcome="cancelled"))
    assert world.replies[-1] == CommandEnded(id=1, outcome="cancelled")
    assert world.follow(2) == []


def test_a_robot_that_can_no_longer_be_watched_is_stopped(world):
    world.drive(0.3)
    world.pass_time(0.1)
    world.dead = True
    for _ in range(8):
        world.drive(0.3)
        world.pass_time(0.1)
    assert ("cancel all",) in world.outlet.sent
    assert world.velocities()[-1] == (0.0, 0.0)


@pytest.mark.parametrize(("oldest", "stopped"), [(FRESH, True), (2.0, False)])
def test_how_long_measurements_may_be_silent_is_said_when_it_begins(oldest, stopped):
    world = World(oldest=oldest)
    world.follow()
    world.dead = True
    world.pass_time(1.0)
    assert (("cancel all",) in world.outlet.sent) is stopped


def test_an_effector_that_leaves_its_workspace_is_stopped(world):
    world.follow()
    world.pass_time(0.2)
    world.joints |= {"shoulder_lift_joint": 1.5, "elbow_flex_joint": 0.0, "shoulder_pan_joint": 0.0}
    assert outside(FETCH, world.joints) is not None
    world.joint_speed = 0.1
    world.pass_time(0.2)
    assert "left its workspace" in why(world.drive())


def test_a_dry_run_shows_what_it_would_send():
    commands, ended = [], []
    outlet = DryOutlet(commands.append)
    outlet.velocity(0.0, 0.0)
    outlet.velocity(0.25, 0.0)
    outlet.velocity(0.0, 0.0)
    points = (Point(positions=(0.1,), time=4.0),)
    outlet.follow(Trajectory(id=1, group="torso", joints=("torso_lift_joint",), points=points, stamp=0.0), ended.append)
    outlet.grip(Grip(id=2, width=0.05, effort=10, stamp=0.0), ended.append)
    outlet.cancel_all()
    assert commands == [
        "would send: velocity 0.250 m/s 0.000 rad/s",
        "would send: velocity 0.000 m/s 0.000 rad/s",
        "would send: torso through 1 points to 0.100 in 4.00 s",
        "would send: gripper to 0.050 m with 10 N",
        "would send: cancel every trajectory",
    ]
    assert [message.outcome for message in ended] == ["succeeded", "succeeded"]


@pytest.mark.parametrize(
    ("width", "effort", "sentence"),
    [(0.2, 10, "0.2 m is outside"), (-0.1, 10, "outside"), (0.05, 100, "100 N"), (math.nan, 1, "not finite")],
)
def test_a_grip_that_may_not_be_is_refused(world, width, effort, sentence):
    assert sentence in why(world.say(Grip(id=3, width=width, effort=effort, stamp=world.now)))


@given(
    st.lists(st.tuples(st.floats(-0.5, 1), st.floats(0, 20)), min_size=1, max_size=5),
    st.floats(0.0, 0.386),
)
def test_what_is_let_through_keeps_to_the_limits(points, start):
    command = Trajectory(
        id=1,
        group="torso",
        joints=("torso_lift_joint",),
        points=tuple(Point(positions=(position,), time=time) for position, time in points),
        stamp=0.0,
    )
    try:
        check_trajectory(FETCH, command, {**HOME, "torso_lift_joint": start})
    except CommandRefused:
        return
    positions, times = np.array([start, *(p for p, _ in points)]), np.array([0.0, *(t for _, t in points)])
    assert np.all((positions[1:] >= -1e-6) & (positions[1:] <= 0.3862))
    moved, passed = np.abs(np.diff(positions)), np.diff(times)
    assert np.all(moved <= np.maximum(0.103 * passed, 0.05))


@given(st.binary(max_size=200))
def test_a_line_that_is_no_message_is_refused_in_a_sentence(data):
    with pytest.raises(ValueError, match=r".+"):
        from_agent(data)


def test_a_message_goes_there_and_back():
    message = Velocity(linear=0.1, angular=0.2, frame="base_link", stamp=3.0)
    assert from_agent(line(message)) == message


def aim(world, *positions, group="torso", **changes):
    return world.say(Aim(group=group, positions=positions, **{"stamp": world.now, **changes}))


def aims(world):
    return [entry[2][0] for entry in world.outlet.sent if entry[0] == "aim"]


def follow_aims(world, seconds, target, speed=1.0):
    """Aim at a place again and again, the joint following."""
    for _ in range(round(seconds / 0.04)):
        assert aim(world, target) == []
        world.pass_time(0.04)
        world.joints["torso_lift_joint"] = aims(world)[-1]


def test_an_aim_is_approached_within_speed_and_acceleration(world):
    follow_aims(world, 4.0, 0.2)
    places = np.array([0.0, *aims(world)])
    joint = FETCH.groups["torso"].joints[0]
    speeds = np.diff(places) / PERIOD
    assert np.max(np.abs(speeds)) <= joint.velocity + 1e-9
    assert np.max(np.abs(np.diff(speeds))) / PERIOD <= joint.acceleration * 1.01
    assert places[-1] == pytest.approx(0.2, abs=2e-3)
    assert np.max(places) <= 0.2 + 1e-3


def test_an_aim_that_is_not_said_again_ends_at_rest_on_its_way(world):
    follow_aims(world, 1.0, 0.3)
    world.pass_time(3.0)
    assert world.guard.standing
    assert aims(world)[-1] < 0.2


def test_a_stop_ends_an_aim(world):
    follow_aims(world, 0.5, 0.3)
    world.say(Stop(id=9))
    sent = len(aims(world))
    world.pass_time(0.2)
    assert len(aims(world)) == sent
    assert world.guard.standing


def test_an_agent_that_falls_silent_ends_an_aim(world):
    follow_aims(world, 0.5, 0.3)
    world.pass_time(SILENCE + 0.1, alive=False)
    assert world.guard.standing
    assert ("cancel all",) in world.outlet.sent


def test_what_blocks_a_joint_does_not_let_its_aim_run_ahead(world):
    for _ in range(100):
        aim(world, 0.3)
        world.pass_time(0.04)
    assert max(aims(world)) <= 0.05  # 0.3 s at 0.1 m/s, and the joint has not moved


@pytest.mark.parametrize(
    ("group", "positions", "words"),
    [
        ("torso", (0.5,), "outside 0"),
        ("torso", (math.nan,), "not finite"),
        ("torso", (0.1, 0.1), "takes 1 position, of torso_lift_joint; got 2"),
        ("tail", (0.1,), "no group 'tail'"),
        ("arm", (-1.6, 1.5, 0.0, 0.0, 0.0, 0.0, 0.0), "workspace"),
    ],
)
def test_an_aim_that_must_not_be_is_refused(world, group, positions, words):
    assert words in why(aim(world, *positions, group=group))
    world.pass_time(0.1)
    assert aims(world) == []


def test_an_aim_is_old_after_a_quarter_of_a_second(world):
    assert "old" in why(aim(world, 0.1, stamp=world.now - 0.3))


def test_a_group_that_follows_a_trajectory_takes_no_aim(world):
    world.follow()
    assert "cancel that first" in why(aim(world, 0.1))
    assert aim(world, 0.2, 0.2, group="head") == []

"""What agent and guard make of odometry and joint states as robots publish them: the same, and nothing in silence."""

from __future__ import annotations

import math
from types import SimpleNamespace as Fields

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import SPEC as BODY
from homie.kernel.errors import RobotFault
from homie.kernel.types import Pose2
from ros_bridge.guard.measured import Measurements
from ros_bridge.profiles.model import read_profile
from ros_bridge.robot.proprioception import FRESH, BodySensors
from ros_bridge.transport.clocks import PAUSED, PublishedClock
from ros_bridge.transport.stamps import stamp

PROFILE = read_profile("fetch")
JOINTS = [joint.name for group in PROFILE.groups.values() for joint in group.joints]
FINGERS = list(PROFILE.gripper.joints)
NAMES = [*JOINTS, *FINGERS]
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
S30, C30, S45 = math.sin(math.pi / 6), math.cos(math.pi / 6), math.sqrt(0.5)


class Robot:
    """Publishes what a test says, and agent and guard hear it."""

    def __init__(self, profile=PROFILE):
        self.now, self.callbacks, self.publishers = 100.0, {}, 1
        clock = PublishedClock(self, lambda: self.now) if profile.use_sim_time else None
        self.agent = BodySensors(self, profile, BODY, Pose2(0, 0, 0), clock=lambda: self.now, simulated=clock)
        self.guard = Measurements(self, profile, clock=lambda: self.now)

    def subscription(self, kind, topic, callback, qos=None):
        self.callbacks.setdefault(topic, []).append(callback)
        return Fields(publishers=lambda: self.publishers, close=lambda: None)

    def header(self, at, frame=""):
        return Fields(stamp=Fields(**stamp(self.now if at is None else at)), frame_id=frame)

    def odometry(self, quaternion=UPRIGHT, place=(0.0, 0.0, 0.0), speeds=(0.0, 0.0, 0.0), at=None, frame=""):
        pose = Fields(
            position=Fields(**dict(zip("xyz", place, strict=True))),
            orientation=Fields(**dict(zip("xyzw", quaternion, strict=True))),
        )
        twist = Fields(linear=Fields(x=speeds[0], y=speeds[1], z=0.0), angular=Fields(x=0.0, y=0.0, z=speeds[2]))
        message = Fields(header=self.header(at, frame), pose=Fields(pose=pose), twist=Fields(twist=twist))
        for callback in self.callbacks["/odom"]:
            callback(message)

    def joints(self, names=NAMES, positions=None, velocities=(), at=None, efforts=()):
        positions = [0.0] * len(names) if positions is None else positions
        message = Fields(
            header=self.header(at),
            name=list(names),
            position=np.array(positions, float),
            velocity=np.array(velocities, float),
            effort=np.array(efforts, float),
        )
        for callback in self.callbacks["/joint_states"]:
            callback(message)

    def clock(self, at):
        for callback in self.callbacks["/clock"]:
            callback(Fields(clock=Fields(**stamp(at))))

    def agent_says(self):
        """Why the agent does not know its body, "" if it does."""
        try:
            self.agent.body(0)
        except RobotFault as fault:
            return str(fault)
        return ""


@pytest.fixture
def robot():
    robot = Robot()
    robot.odometry()
    robot.joints()
    assert robot.agent_says() == robot.guard.silent() == ""
    return robot


@pytest.fixture
def late(robot):
    """Half a second and more later: what is not said again is not a measurement any more."""
    robot.now += FRESH + 0.1
    return robot


def test_a_robot_of_which_nothing_was_heard():
    guard = Robot().guard
    assert guard.motion() == guard.silent() == "the odometry is silent"
    assert guard.speed == (0.0, 0.0) and not guard.is_base_standing
    assert guard.positions() == guard.joint_speeds() == guard.lasting_speeds() == {}
    assert not guard.has_stood_since(0.0)


# ------------------------------------------------------------ where it is


@pytest.mark.parametrize(
    ("quaternion", "degrees"),
    [
        ((0, 0, S30, C30), 60.0),
        ((0, 0, -S30, -C30), 60.0),
        ((0, 0, 0.71, 0.71), 90.0),
        ((0, 0, 0.705, 0.705), 90.0),
        ((1.0, 0, 0, 0), 0.0),
        ((0, 0, 1.0, 0), 180.0),
    ],
)
def test_a_heading_is_that_of_the_quaternion(robot, quaternion, degrees):
    robot.odometry(quaternion)
    assert abs(math.degrees(robot.agent.body(0).base.yaw)) == pytest.approx(degrees, abs=1e-9)


@pytest.mark.parametrize(
    ("quaternion", "words"),
    [
        ((0, 0, S30, 0), "has the length 0.5 and not 1, so it is not a rotation (is w filled in?)"),
        ((0, 0, 0, 0), "(nothing is filled in)"),
        ((0, 0, -11585, 11585), "has the length 1.64e+04"),
        ((0, 0, 2 * S45, 2 * S45), "has the length 2"),
        ((0, 0, 0.7, 0.7), "has the length 0.99"),
        ((0, 0, math.nan, 1), "is not finite"),
        ((1e200, 0, 0, 1), "has the length inf"),
    ],
)
def test_odometry_of_no_rotation_is_refused_by_both_and_named(late, caplog, quaternion, words):
    for _ in range(50):
        late.joints()
        late.odometry(quaternion)
    assert "Nothing usable comes on /odom" in late.agent_says() and words in late.agent_says()
    assert late.guard.silent().startswith("the odometry is refused, ") and words in late.guard.silent()
    assert caplog.text.count("Refused: /odom") == 2, "once by the agent and once by the guard"
    late.odometry()
    assert late.agent_says() == late.guard.silent() == ""


@pytest.mark.parametrize(
    "odd",
    [
        {"place": (math.nan, 0, 0)},
        {"place": (0, 0, math.inf)},
        {"speeds": (0, math.nan, 0)},
        {"speeds": (0, 0, math.nan)},
    ],
)
def test_odometry_that_is_not_finite_is_refused_by_both_and_named(late, odd):
    late.joints()
    late.odometry(**odd)
    assert "not finite" in late.agent_says() and "not finite" in late.guard.silent()


@pytest.mark.parametrize(("frame", "warnings"), [("", 0), ("odom", 0), ("/odom", 0), ("map", 1)])
def test_odometry_in_another_frame_is_reported_once(robot, caplog, frame, warnings):
    for _ in range(5):
        robot.odometry(frame=frame)
    assert caplog.text.count("is in the frame 'map', not in 'odom'") == warnings


def test_odometry_that_comes_late_does_not_set_the_robot_back(robot):
    robot.odometry(place=(2, 0, 0), speeds=(0.5, 0, 0), at=101.0)
    for at in (100.9, 100.7, 100.8):
        robot.odometry(place=(1, 0, 0), at=at)
    assert robot.agent.body(0).base.x == 2 and robot.guard.speed == (0.5, 0.0)


def test_odometry_whose_clock_was_set_back_is_taken_after_some_messages(robot):
    for at in np.arange(1.0, 2.0, 0.1):
        robot.odometry(place=(at, 0, 0), speeds=(0.3, 0, 0), at=float(at))
    assert robot.agent.body(0).base.x == pytest.approx(1.9) and robot.guard.speed == (0.3, 0.0)


# ------------------------------------------------------------ where its joints are


@pytest.mark.parametrize("odd", [math.nan, math.inf])
@pytest.mark.parametrize("first", [True, False])
def test_a_wheel_is_nobodys_business(late, caplog, odd, first):
    positions, speeds = [0.1] * len(NAMES), [0.2] * len(NAMES)
    names = ["wheel", *NAMES] if first else [*NAMES, "wheel"]
    values = [odd, *positions] if first else [*positions, odd]
    velocities = [odd, *speeds] if first else [*speeds, odd]
    late.odometry()
    late.joints(names, values, velocities, efforts=[odd] * len(names))
    body = late.agent.body(0)
    assert set(body.velocities.values()) == {0.2} and set(body.joints.values()) == {0.1}
    assert len(body.velocities) == len(body.joints) == len(JOINTS)
    assert late.guard.silent() == "" and set(late.guard.joint_speeds().values()) == {0.2}
    assert set(late.guard.positions().values()) == {0.1}
    assert caplog.text == ""


@pytest.mark.parametrize("odd", [math.nan, -math.inf])
def test_a_joint_that_is_needed_and_not_finite_is_named(late, caplog, odd):
    late.odometry()
    for _ in range(20):
        late.joints(positions=[odd if name == "elbow_flex_joint" else 0.1 for name in NAMES])
    words = f"its position is {odd}"
    assert f"of the joint elbow_flex_joint comes on /joint_states: {words}" in late.agent_says()
    assert late.guard.silent() == f"the joint elbow_flex_joint is refused, {words}"
    assert "elbow_flex_joint" not in late.guard.positions()
    assert set(late.guard.positions()) == set(JOINTS) - {"elbow_flex_joint"}, "the others are there"
    assert caplog.text.count("elbow_flex_joint") == 2, "once by the agent and once by the guard"


def test_a_finger_that_is_not_finite_is_named_by_the_agent_and_does_not_concern_the_guard(late):
    late.odometry()
    late.joints(positions=[math.nan if name in FINGERS else 0.0 for name in NAMES])
    assert f"of the joint {FINGERS[0]}" in late.agent_says()
    assert late.guard.silent() == ""


def test_one_velocity_that_is_missing_leaves_the_others(robot):
    velocities = [math.nan if name == "elbow_flex_joint" else 0.3 for name in NAMES]
    robot.now += 0.1
    robot.joints(positions=[0.02] * len(NAMES), velocities=velocities)
    body = robot.agent.body(0)
    assert "elbow_flex_joint" not in body.velocities
    assert [body.velocities[name] for name in JOINTS if name != "elbow_flex_joint"] == [0.3] * (len(JOINTS) - 1)
    speeds = robot.guard.joint_speeds()
    assert speeds["elbow_flex_joint"] == pytest.approx(0.2), "that of its way"
    assert speeds["head_pan_joint"] == 0.3


def test_velocities_that_do_not_fit_their_names_are_left_out(robot, caplog):
    robot.joints(velocities=[0.1, 0.2])
    assert robot.agent.body(0).velocities == {}
    assert "13 velocities" not in caplog.text and "12 names come with 2 velocities: left out" in caplog.text


def test_joints_in_another_order_and_by_several_publishers(late):
    late.odometry()
    order = list(reversed(NAMES))
    values = {name: 0.01 * number for number, name in enumerate(NAMES)}
    for part in (order[:4], order[4:5], order[5:]):
        late.joints(part, [values[name] for name in part])
    assert late.agent.body(0).joints == {name: values[name] for name in JOINTS}
    assert late.guard.positions() == {name: values[name] for name in JOINTS}


def test_a_publisher_that_falls_silent_is_noticed_by_its_joints(late):
    late.odometry()
    late.joints([name for name in NAMES if "head" not in name])
    assert "the joint head_pan_joint" in late.agent_says()
    assert late.guard.silent() == "the joint head_pan_joint is silent"


def test_a_joint_that_moves_is_not_hidden_by_others_that_report_more_often(robot):
    head = [name for name in JOINTS if "head" in name]
    others = [name for name in JOINTS if name not in head]
    start = robot.now
    for _ in range(10):
        robot.now += 0.01
        robot.odometry()
        robot.joints(head, velocities=[0.0] * len(head))
    robot.joints(others, velocities=[0.5] * len(others))
    for _ in range(5):
        robot.now += 0.01
        robot.joints(head, velocities=[0.0] * len(head))
    assert not robot.guard.has_stood_since(start)
    assert "at 0.50" in robot.guard.motion()
    for _ in range(3):
        robot.now += 0.01
        robot.odometry()
        robot.joints(velocities=[0.0] * len(NAMES))
    assert robot.guard.has_stood_since(start)


@pytest.mark.parametrize(
    ("names", "positions", "words"),
    [
        (NAMES, [0.0] * 5, "12 names come with 5 positions"),
        (NAMES, [], "it comes without a position"),
        ([*NAMES, "elbow_flex_joint"], [0.0] * len(NAMES) + [1.0], "one message has it 2 times, at 0 and 1"),
        (NAMES, [57.3 if name == "elbow_flex_joint" else 0.0 for name in NAMES], "at 57.3, far outside its limits"),
    ],
)
def test_joint_states_that_are_none_are_refused_and_named(late, names, positions, words):
    late.odometry()
    late.joints(names, positions)
    assert words in late.agent_says() and words in late.guard.silent()


def test_a_joint_that_stands_twice_in_a_message_with_one_position_is_one(late):
    late.odometry()
    late.joints([*NAMES, "elbow_flex_joint"], [0.2] * (len(NAMES) + 1))
    assert late.agent.body(0).joints["elbow_flex_joint"] == 0.2 == late.guard.positions()["elbow_flex_joint"]


def test_a_joint_that_is_a_little_outside_its_limits_is_where_it_is(late):
    late.odometry()
    late.joints(positions=[1.6 if name == "shoulder_lift_joint" else 0.0 for name in NAMES])
    assert late.agent.body(0).joints["shoulder_lift_joint"] == 1.6


def test_two_publishers_that_contradict_each_other_are_trusted_in_nothing(robot, caplog):
    robot.publishers = 2
    arm = [1.0 if "lift" not in name else 0.0 for name in NAMES]
    for _ in range(30):
        robot.now += 0.02
        robot.odometry()
        robot.joints()
        robot.now += 0.02
        robot.joints(positions=arm)
    words = "2 publishers of /joint_states contradict each other"
    assert words in robot.agent_says() and words in robot.guard.silent()
    assert max(map(abs, robot.guard.joint_speeds().values())) == 0.0
    assert caplog.text.count("contradict each other") <= 2 * len(NAMES)


def test_two_publishers_that_agree_are_welcome(robot):
    robot.publishers = 2
    for number in range(30):
        robot.now += 0.02
        robot.odometry()
        for _ in range(2):
            robot.joints(positions=[0.005 * number] * len(NAMES))
    assert robot.agent_says() == robot.guard.silent() == ""


def test_two_publishers_of_other_joints_whose_messages_come_together_after_a_pause_do_not_contradict_each_other(robot):
    """As those of a Fetch, of arm and gripper, on a busy machine."""
    robot.publishers = 2
    for number in range(5):
        robot.now += 0.001
        robot.odometry()
        robot.joints(positions=[0.15 * number if "flex" in name else 0.0 for name in NAMES], at=200.0 + 0.1 * number)
    assert robot.agent_says() == robot.guard.silent() == ""
    assert robot.agent.body(0).joints["elbow_flex_joint"] == 0.6


def test_one_publisher_may_put_its_joints_elsewhere(robot):
    """As a simulation does that is reset."""
    robot.joints(positions=[1.0 if "lift" not in name else 0.0 for name in NAMES])
    assert robot.agent.body(0).joints["elbow_flex_joint"] == 1.0


# ------------------------------------------------------------ their stamps


def test_joint_states_that_come_late_are_left_out_until_the_clock_was_set_back(robot):
    robot.joints(positions=[0.2] * len(NAMES), at=101.0)
    robot.joints(positions=[0.1] * len(NAMES), at=100.9)
    assert robot.agent.body(0).joints["elbow_flex_joint"] == robot.guard.positions()["elbow_flex_joint"] == 0.2
    for number in range(6):
        robot.joints(positions=[0.3] * len(NAMES), at=51.0 + number)
    assert robot.agent.body(0).joints["elbow_flex_joint"] == robot.guard.positions()["elbow_flex_joint"] == 0.3


def test_joint_states_without_a_stamp_are_taken_as_they_come(robot):
    for number in range(3):
        robot.now += 0.1
        robot.odometry()
        robot.joints(positions=[0.05 * number] * len(NAMES), at=0.0)
    assert robot.guard.joint_speeds()["elbow_flex_joint"] == pytest.approx(0.5), "by the times at which they came"
    assert robot.agent_says() == robot.guard.silent() == ""


def test_speeds_are_those_between_the_stamps_however_late_the_messages_come(robot):
    for number in range(3):
        robot.now += 0.001
        robot.joints(positions=[0.05 * number] * len(NAMES), at=200.0 + 0.1 * number)
    assert robot.guard.joint_speeds()["elbow_flex_joint"] == pytest.approx(0.5)


def test_a_driver_that_repeats_itself_for_long_measures_nothing(robot):
    for number in range(40):
        robot.now += 0.1
        robot.odometry()
        robot.joints(at=300.0)
        if number == 9:
            assert robot.agent_says() == robot.guard.silent() == "", "some drivers count whole seconds"
    assert "its stamp has been the same for" in robot.agent_says()
    assert "its stamp has been the same for" in robot.guard.silent()


# ------------------------------------------------------------ in the time of a simulator


@pytest.fixture
def simulated():
    """A robot of a simulator, at 12 s of its time."""
    robot = Robot(PROFILE.model_copy(update={"use_sim_time": True}))
    robot.clock(12.0)
    robot.odometry(at=12.0)
    robot.joints(at=12.0)
    assert robot.agent_says() == robot.guard.silent() == ""
    return robot


def test_ages_are_those_of_its_clock_for_the_agent_and_of_this_machine_for_the_guard(simulated):
    simulated.now += FRESH + 0.1
    simulated.clock(12.1)
    assert simulated.agent_says() == ""
    assert simulated.guard.silent() == "the odometry is silent"
    simulated.clock(12.1 + FRESH)
    assert "Nothing new comes on /odom: it is stamped 12.00 s where /clock says 12.60 s" in simulated.agent_says()


def test_a_node_that_does_not_follow_the_clock_is_named(simulated):
    simulated.clock(13.0)
    simulated.odometry(at=13.0)
    simulated.joints(at=1.7e9)
    assert "comes on /joint_states: it is stamped 1700000000.00 s where /clock says 13.00 s" in simulated.agent_says()
    assert "its node must follow it" in simulated.agent_says()


def test_a_paused_simulator_is_named_though_it_publishes(simulated):
    for _ in range(30):
        simulated.now += 0.1
        simulated.clock(12.0)
        simulated.odometry(at=12.0)
        simulated.joints(at=12.0)
    for words in (simulated.agent_says(), simulated.guard.silent()):
        assert "/clock has stopped at 12.00 s: is the simulator paused?" in words


def test_a_paused_simulator_that_is_silent_is_named_as_soon_as_its_robot_is_missed(simulated):
    simulated.now += FRESH + 0.1
    assert PAUSED > FRESH + 0.1
    assert simulated.guard.silent() == "/clock has stopped at 12.00 s: is the simulator paused?"


def test_a_simulator_that_begins_again_makes_what_was_measured_void(simulated):
    simulated.now += 0.1
    simulated.clock(0.0)
    assert "Nothing new comes on /odom" in simulated.agent_says()
    assert simulated.guard.silent() == "the odometry is silent" and simulated.guard.positions() == {}
    assert simulated.guard.joint_speeds() == simulated.guard.lasting_speeds() == {}
    simulated.odometry(at=0.0)
    simulated.joints(at=0.0)
    assert simulated.agent_says() == simulated.guard.silent() == ""

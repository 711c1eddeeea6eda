"""A robot in rclpy whose agent fails in motion, as an independent node records velocities and trajectories."""

from __future__ import annotations

import random
import signal
import subprocess
import time

import pytest

from tests.ros_bridge.guard.agent import SPEED
from tests.waiting import until

TWIST, ODOMETRY = "geometry_msgs/msg/Twist", "nav_msgs/msg/Odometry"
STATUS, GOALS = "action_msgs/msg/GoalStatusArray", "/arm_controller/follow_joint_trajectory/_action/status"
ARM, POINT = "/arm_controller/joint_trajectory", "trajectory_msgs/msg/JointTrajectory"
JOINTS = ["shoulder_pan", "shoulder_lift", "upperarm_roll", "elbow_flex", "forearm_roll", "wrist_flex", "wrist_roll"]
EXECUTING, CANCELED = 2, 5


class Observer:
    """The independent node."""

    def __init__(self, real) -> None:
        self.real = real
        real.ask("subscribe", kind=TWIST, topic="/cmd_vel")
        real.ask("subscribe", kind=ODOMETRY, topic="/odom")
        real.ask("subscribe", kind=STATUS, topic=GOALS, qos="latched")

    def unfold(self):
        """Bring the arm to where the agents of the tests begin."""
        point = {"positions": [0.0] * 7, "time_from_start": {"nanosec": 100_000_000}}
        fields = {"joint_names": [f"{name}_joint" for name in JOINTS], "points": [point]}
        self.real.ask("publish", kind=POINT, topic=ARM, fields=fields)

    def commands(self, since):
        return self.real.ask("series", topic="/cmd_vel", field="linear.x", since=since)

    def speeds(self, since):
        return self.real.ask("series", topic="/odom", field="twist.twist.linear.x", since=since)

    def goals(self, since):
        return self.real.ask("statuses", topic=GOALS, since=since)

    def moves(self, since):
        """Whether it drives, and follows a trajectory, since a time."""
        commands, speeds, goals = self.commands(since), self.speeds(since), self.goals(since)
        drives = commands and speeds and commands[-1][1] == SPEED and speeds[-1][1] > 0.95 * SPEED
        return drives and goals and EXECUTING in goals[-1][1]

    def stopped(self, since):
        """Whether zero was commanded after a time, the base stands, and every trajectory was cancelled."""
        commands, speeds, goals = self.commands(since), self.speeds(since), self.goals(since)
        stands = speeds and abs(speeds[-1][1]) < 0.01 and commands and commands[-1][1] == 0.0
        return stands and goals and EXECUTING not in goals[-1][1] and CANCELED in goals[-1][1]


@pytest.fixture
def observer(start_fake, real):
    start_fake("fetch")
    observer = Observer(real)
    observer.unfold()
    return observer


def fails(observer, agent, number=None):
    """At a random moment of its motion an agent gets a signal, or fails by itself; the robot stops and stays so."""
    begun = time.monotonic()
    until(lambda: observer.moves(begun), process=agent if number is not None else None)
    if number is not None:
        time.sleep(random.uniform(0.0, 0.5))
        begun = time.monotonic()
        agent.send_signal(number)
    until(lambda: observer.stopped(begun))
    stood = time.monotonic()
    time.sleep(0.3)
    assert all(abs(speed) < 0.01 for _, speed in observer.speeds(stood)), "and it does not drive on"
    agent.kill()
    agent.wait()


def test_it_stands_and_its_arm_too_when_the_agent_is_killed_stopped_or_floods_the_guard(
    observer, start_guarding, homie_in_ros, tmp_path
):
    socket = str(tmp_path / "g.sock")
    start_guarding("fetch", "rclpy", "--socket", socket)
    agent = ["tests.ros_bridge.guard.agent", socket]
    quiet = {"stderr": subprocess.DEVNULL}
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL):
        fails(observer, homie_in_ros(*agent, "drive", **quiet), number)
    fails(observer, homie_in_ros(*agent, "flood", **quiet))


def test_it_stands_when_the_run_is_killed_that_began_its_guard(observer, homie_in_ros, network, runtime_folder):
    socket = runtime_folder / "homie" / f"guard-fetch-{network.domain}.sock"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    fails(observer, homie_in_ros("tests.ros_bridge.guard.agent", str(socket), "own", **quiet), signal.SIGKILL)
    until(lambda: not socket.exists())

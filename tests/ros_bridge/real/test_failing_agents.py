"""A robot in rclpy whose agent fails in motion, as an independent node records velocities and trajectories."""

from __future__ import annotations

import random
import signal
import subprocess
import time

import pytest

from tests.ros_bridge.guard.agent import FLOOD, SPEED
from tests.waiting import until

TWIST, ODOMETRY = "geometry_msgs/msg/Twist", "nav_msgs/msg/Odometry"
STATUS, GOALS = "action_msgs/msg/GoalStatusArray", "/arm_controller/follow_joint_trajectory/_action/status"
ARM, POINT = "/arm_controller/joint_trajectory", "trajectory_msgs/msg/JointTrajectory"
JOINTS = ["shoulder_pan", "shoulder_lift", "upperarm_roll", "elbow_flex", "forearm_roll", "wrist_flex", "wrist_roll"]
EXECUTING, CANCELED = 2, 5


class Observer:
    """The independent node. arm: whether the arm follows trajectories, too, whose actions do not pass over dds."""

    def __init__(self, real, arm) -> None:
        self.real, self.arm = real, arm
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
        return drives and (not self.arm or (goals and EXECUTING in goals[-1][1]))

    def stopped(self, since):
        """Whether zero was commanded after a time, the base stands, and every trajectory was cancelled."""
        commands, speeds, goals = self.commands(since), self.speeds(since), self.goals(since)
        stands = speeds and abs(speeds[-1][1]) < 0.01 and commands and commands[-1][1] == 0.0
        return stands and (not self.arm or (goals and EXECUTING not in goals[-1][1] and CANCELED in goals[-1][1]))


@pytest.fixture
def observer(start_fake, real, transport):
    start_fake("fetch")
    observer = Observer(real, arm=transport == "rclpy")
    observer.unfold()
    return observer


def fails(observer, agent, number):
    """At a random moment of its motion an agent gets a signal; the robot stops and stays so."""
    started = time.monotonic()
    until(lambda: observer.moves(started), process=agent)
    time.sleep(random.uniform(0.0, 0.5))
    started = time.monotonic()
    agent.send_signal(number)
    until(lambda: observer.stopped(started))
    stood = time.monotonic()
    until(lambda: len(observer.speeds(stood)) > 15)
    assert all(abs(speed) < 0.01 for _, speed in observer.speeds(stood)), "and it does not drive on"
    agent.kill()
    agent.wait()


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_it_stands_and_its_arm_too_when_the_agent_is_killed_stopped_or_floods_the_guard(
    observer, start_guarding, homie_in_ros, tmp_path, transport
):
    socket = str(tmp_path / "g.sock")
    # On a busy machine the agent is not always heard five times a second: the guard is not to stop the robot before.
    start_guarding("fetch", transport, "--socket", socket, "--silence", "1")
    for number in (signal.SIGKILL, signal.SIGSTOP, FLOOD):
        agent = homie_in_ros("tests.ros_bridge.guard.agent", socket, "drive", stderr=subprocess.DEVNULL)
        fails(observer, agent, number)


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy"])
def test_it_stands_when_the_run_is_killed_that_began_its_guard(
    observer, homie_in_ros, network, runtime_folder, transport
):
    socket = runtime_folder / "homie" / f"guard-fetch-{network.domain}.sock"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = ["tests.ros_bridge.guard.agent", str(socket), "own", transport]
    fails(observer, homie_in_ros(*words, **quiet), signal.SIGKILL)
    until(lambda: not socket.exists())

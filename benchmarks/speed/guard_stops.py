"""How soon a robot stands when its agent is killed in motion: `python -m benchmarks.speed.guard_stops [--how kill]`

Robot, guard (`homie robot guard`) and agent are processes of their own on loopback; the agent drives at 0.4 m/s and
turns a joint of the arm. At a random moment it gets SIGKILL or SIGSTOP. Measured on the robot's odometry and joint
states: the time until both are zero. The robot's own ramp (4 m/s^2, 0.1 s from 0.4 m/s) is part of it. Needs
`pip install homie-robot[ros]`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import NEWEST, SENSOR, Message
from ros_bridge.transport.network import Network

ROOT = Path(__file__).parents[2]
DOMAIN = 92
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}


class Watch:
    """Messages about the robot, and when it first stood and was first commanded to."""

    def __init__(self, node: DdsNode) -> None:
        self.speed, self.joint, self.commanded = 0.0, 0.0, 1.0
        self.stood_at = self.commanded_at = 0.0
        node.subscription("nav_msgs/msg/Odometry", "/odom", self._on_odometry, SENSOR)
        node.subscription("sensor_msgs/msg/JointState", "/joint_states", self._on_joints, SENSOR)
        node.subscription("geometry_msgs/msg/Twist", "/cmd_vel", self._on_command, NEWEST)

    def moves(self) -> bool:
        return self.speed > 0.39 and self.joint > 0.03

    def stands(self) -> bool:
        return self.speed < 0.01 and self.joint < 0.01

    def _on_odometry(self, message: Message) -> None:
        self.speed = abs(message.twist.twist.linear.x)
        self._note()

    def _on_joints(self, message: Message) -> None:
        self.joint = float(np.max(np.abs(message.velocity)))
        self._note()

    def _on_command(self, message: Message) -> None:
        before, self.commanded = self.commanded, abs(message.linear.x)
        if before and not self.commanded:
            self.commanded_at = time.monotonic()

    def _note(self) -> None:
        if not self.stands():
            self.stood_at = 0.0
        elif not self.stood_at:
            self.stood_at = time.monotonic()


def measure(trials: int, how: str, seed: int) -> None:
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    chance = random.Random(seed)
    sent, stood = [], []
    with tempfile.TemporaryDirectory() as folder, DdsNode("/watch", Network(DOMAIN, "lo")) as node:
        socket = Path(folder) / "g.sock"
        watch = Watch(node)

        def begin(*words: str) -> subprocess.Popen[bytes]:
            return subprocess.Popen([sys.executable, *words], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)

        main = "from homie.cli.main import main; import sys; main(sys.argv[1:])"
        robot = begin("-m", "tests.ros_bridge.fake_robot", str(DOMAIN), "fetch")
        guard = begin("-c", main, "robot", "guard", "fetch", "--arm-robot", "--socket", str(socket))
        try:
            _wait(socket.exists)
            for _ in range(trials):
                agent = begin("-m", "tests.ros_bridge.guard.agent", str(socket), "drive")
                _wait(watch.moves)
                threading.Event().wait(chance.uniform(0.1, 1.0))
                began = time.monotonic()
                agent.send_signal(SIGNALS[how])
                _wait(lambda: watch.stands() and watch.stood_at > 0)
                sent.append(watch.told_at - began)
                stood.append(watch.stood_at - began)
                agent.kill()
                agent.wait()
        finally:
            for process in (guard, robot):
                process.terminate()
                process.wait()
    print(f"{trials} times SIG{how.upper()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("| seconds until | median | worst |\n|---|---|---|")
    print(f"| zero velocity is sent | {np.median(sent):.3f} | {max(sent):.3f} |")
    print(f"| base and arm stand, as measured | {np.median(stood):.3f} | {max(stood):.3f} |")


def _wait(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("The processes do not find each other, or the robot does not stand.")
        time.sleep(0.002)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--how", choices=SIGNALS, default="kill")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    measure(options.trials, options.how, options.seed)

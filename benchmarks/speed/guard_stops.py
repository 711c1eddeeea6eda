"""Stopping time of a robot whose agent fails in motion: `python -m benchmarks.speed.guard_stops --seen-by PYTHON`

Robot, guard (`homie robot guard`) and agent are separate processes on loopback; the agent drives at 0.4 m/s and moves a
joint of the arm. At a random time it gets SIGKILL or SIGSTOP; `--how run` kills a run with a guard of its own;
`--how flood` has the agent flood its guard, and measures from the first zero velocity command on; `--how estop` has the
observer publish true on `/homie/estop`, once, while other nodes saturate the network (`ros_flood.py`).

PYTHON is an interpreter that has rclpy (docs/testing.md). Robot and observer are rclpy nodes over Fast DDS, independent
of Homie; guard and agent use the transport rclpy. Measured are `/cmd_vel`, `/odom` and the status of the arm
trajectory. The times include the robot's own ramp (4 m/s^2, 0.1 s from 0.4 m/s).
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import signal
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
DOMAIN = 92
GOALS, EXECUTING, CANCELED = "/arm_controller/follow_joint_trajectory/_action/status", 2, 5
ARM = ("shoulder_pan", "shoulder_lift", "upperarm_roll", "elbow_flex", "forearm_roll", "wrist_flex", "wrist_roll")
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "flood": signal.SIGUSR1}
"""Signals sent to the test agent; at SIGUSR1 it floods its guard."""
PRIORITY = -16
"""Niceness of the observer."""


class Observer:
    """Rclpy node that observes the robot. It gets a high priority if the system permits: the time measured is that of
    a message's arrival, not that at which a busy machine schedules its reader."""

    def __init__(self, python: Path, domain: int) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"ROS_DOMAIN_ID": str(domain), "ROS_LOCALHOST_ONLY": "1"}
        command = [python, ROOT / "tests" / "ros_bridge" / "real" / "real_node.py", "watch"]
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, PRIORITY)  # its threads start after this
        self.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom", qos="sensor")
        self.ask("subscribe", kind="geometry_msgs/msg/Twist", topic="/cmd_vel")
        self.ask("subscribe", kind="action_msgs/msg/GoalStatusArray", topic=GOALS, qos="latched")

    def unfold(self) -> None:
        """Move the arm to the start posture of the test agents."""
        point = {"positions": [0.0] * 7, "time_from_start": {"nanosec": 100_000_000}}
        fields = {"joint_names": [f"{name}_joint" for name in ARM], "points": [point]}
        kind, topic = "trajectory_msgs/msg/JointTrajectory", "/arm_controller/joint_trajectory"
        self.ask("publish", kind=kind, topic=topic, fields=fields)

    def press(self, pressed: bool) -> float:
        """Publish on the emergency stop topic; return the time (s, monotonic)."""
        at: float = self.ask("publish", kind="std_msgs/msg/Bool", topic="/homie/estop", fields={"data": pressed})
        return at

    def ask(self, what: str, **arguments: Any) -> Any:
        """Send a request to the node and return its reply."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"what": what, **arguments}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def moves(self) -> bool:
        """Whether the robot drives at the commanded speed, and its arm follows a trajectory."""
        speeds = self.ask("series", topic="/odom", field="twist.twist.linear.x", since=time.monotonic() - 0.2)
        commands = self.ask("series", topic="/cmd_vel", field="linear.x", since=time.monotonic() - 0.2)
        goals = self.ask("statuses", topic=GOALS, since=0.0)
        return bool(speeds and commands and goals) and speeds[-1][1] > 0.39 and EXECUTING in goals[-1][1]

    def stopped(self, since: float) -> tuple[float, float, float] | None:
        """Return the times (s) to the first zero velocity command, to standstill of the base, and to the cancellation
        of the trajectory; None until all have occurred."""
        commands = self.ask("series", topic="/cmd_vel", field="linear.x", since=since)
        speeds = self.ask("series", topic="/odom", field="twist.twist.linear.x", since=since)
        zero = [at for at, speed in commands if speed == 0]
        stood = [at for at, speed in speeds if abs(speed) < 0.01 and zero and at > zero[0]]
        cancelled = [at for at, goals in self.ask("statuses", topic=GOALS, since=since) if goals[-1] == CANCELED]
        return (zero[0] - since, stood[0] - since, cancelled[0] - since) if zero and stood and cancelled else None

    def close(self) -> None:
        """Kill the node."""
        self._process.kill()
        self._process.wait()


def measure(trials: int, how: str, seed: int, python: Path) -> None:
    """Measure with an rclpy observer, and print a row."""
    paths = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
    variables = {"ROS_DOMAIN_ID": str(DOMAIN), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": paths}
    rng, times = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as processes:
        environment = {**os.environ, **variables, "XDG_RUNTIME_DIR": folder}
        seen = Observer(python, DOMAIN)
        processes.callback(seen.close)

        def begin(*words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            process = subprocess.Popen([python, "-m", *words], env=environment, cwd=ROOT, stdin=stdin, **silent)
            processes.callback(process.wait)
            processes.callback(process.kill)
            return process

        begin("tests.ros_bridge.real.fakes.robot", "fetch", stdin=subprocess.PIPE)
        seen.unfold()
        socket = Path(folder) / "homie" / f"guard-fetch-{DOMAIN}.sock"
        keyboard, terminal = pty.openpty()  # for the key that releases the emergency stop
        if how != "run":
            # Only the emergency stop must stop it, even if the agent is not scheduled on a busy machine.
            silence = ["--silence", "2"] if how == "estop" else []
            begin("homie", "robot", "guard", "fetch", "--arm-robot", "--socket", str(socket), *silence, stdin=terminal)
            _wait(socket.exists)
        if how == "estop":
            for what in ("hear", "send"):
                begin("benchmarks.speed.ros_flood", what)
            seen.press(False)  # by now guard and observer have discovered each other
        for _ in range(trials):
            agent = begin("tests.ros_bridge.guard.agent", str(socket), "own" if how == "run" else "drive")
            _wait(seen.moves)
            time.sleep(rng.uniform(0.1, 1.0))
            since = time.monotonic()
            if how == "estop":
                since = seen.press(True)
            else:
                agent.send_signal(SIGNALS.get(how, signal.SIGKILL))
            _wait(lambda since=since: seen.stopped(since))  # type: ignore[misc]
            times.append(seen.stopped(since))
            agent.kill()
            agent.wait()
            if how == "run":
                _wait(lambda socket=socket: not socket.exists())  # type: ignore[misc]
            if how == "estop":
                os.write(keyboard, b"r\n")
                time.sleep(1.0)
    sent, stood, cancelled = np.array(times).T
    if how == "flood":
        stood, cancelled = stood - sent, cancelled - sent
    print(f"{how}: {trials} times, load {os.getloadavg()[0]:.1f}; seconds, median and worst:", end=" ")
    figures = {"zero velocity": sent, "stands": stood, "trajectory cancelled": cancelled}
    print("; ".join(f"{name} {np.median(part):.3f}, {max(part):.3f}" for name, part in figures.items()), end="; ")
    for name, part, limit in (("zero velocity", sent, 0.1), ("stands", stood, 0.3)):
        print(f"{name} within {limit} s: {int(np.sum(part <= limit))} of {trials}", end="\n" if part is stood else "; ")


def _wait(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("The processes do not find each other, or the robot does not stand.")
        time.sleep(0.002)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--how", choices=[*SIGNALS, "run", "estop"], default="kill")
    parser.add_argument("--seen-by", type=Path, required=True, help="A Python that has rclpy.")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    measure(options.trials, options.how, options.seed, options.seen_by)

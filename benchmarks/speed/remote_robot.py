"""Overhead of a robot server: `python benchmarks/speed/remote_robot.py [--steps 500] [--json]`

A server process serves a robot that does nothing; a client sends it a command in every control period and reads two
cameras of 256 x 256, exactly as `--robot remote:` does, over a Unix socket and over TCP. The same robot is measured
without a socket: the difference is the cost of the server process. Prints medians and 95th percentiles in milliseconds;
the target is 2 ms per step for colours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from homie.envs.remote.factory import RemoteSettings, open_robot
from homie.envs.remote.link import Link
from homie.envs.remote.robot import RemoteRobot, connect
from homie.kernel.types import Command

AIM = 2.0
WARM_UP = 50
SIZE = 256
CASES = ("colours", "colours, depth and instances")
TOKEN = "a-token-for-this-benchmark"
JOINTS = [{"name": f"joint{number}", "lower": -3.0, "upper": 3.0, "speed": 1.0} for number in range(1, 8)]


class Idle:
    """Panda that does nothing, at no cost: its pictures are already in memory."""

    def __init__(self, argument: str) -> None:
        posture = [0.0] * 7
        self.spec = {
            "name": "idle",
            "period": 0.05,
            "groups": [
                {"name": "arm", "kind": "arm", "joints": JOINTS},
                {"name": "gripper", "kind": "gripper", "joints": [{**JOINTS[0], "name": "opening", "lower": 0.0}]},
            ],
            "rest": {"arm": posture},
            "kinematics": {"panda": {}},
            "views": ["front", "wrist"],
            "waits": True,
        }
        self._depth = argument != CASES[0]
        self._rgb = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3), np.uint8)
        self._stamp = 0.0

    def reset(self, seed: int) -> None:
        """Nothing to do."""

    def step(self, targets: Mapping[str, Sequence[float]]) -> None:
        """Advance the time by a control period."""
        self._stamp += 0.05

    def halt(self) -> None:
        """Nothing to do: it does not move."""

    def measured(self) -> Mapping[str, Any]:
        """Return its constant state."""
        joints = {joint["name"]: 0.0 for joint in JOINTS}
        gripper = {"opening": 0.0, "contact": [False, False], "holding": False, "speed": 0.0}
        return {"stamp": self._stamp, "joints": joints, "velocities": joints, "grippers": {"gripper": gripper}}

    def picture(self, camera: str) -> Mapping[str, Any]:
        """Return its constant picture, in newly allocated memory like that of a renderer."""
        more = {}
        if self._depth:
            more = {"depth": np.ones((SIZE, SIZE), np.float32), "instances": np.zeros((SIZE, SIZE), np.int32)}
        return {
            "rgb": self._rgb.copy(),
            "intrinsics": [200.0, 200.0, 128.0, 128.0],
            "position": np.zeros(3),
            "rotation": np.eye(3),
            **more,
        }

    def close(self) -> None:
        """Nothing to release."""


class Direct:
    """Substitute for a socket connection: the robot is in this process."""

    url = "here"

    def __init__(self, robot: Idle) -> None:
        self._robot = robot
        self.about = {"offers": [], "spec": robot.spec}

    def ask(self, name: str, seconds: float | None = None, /, **arguments: Any) -> Any:
        """Return what a server would reply."""
        if name == "observe":
            pictures = {camera: self._robot.picture(camera) for camera in arguments["cameras"]}
            return {"measured": self._robot.measured(), "pictures": pictures}
        if name != "measured":
            getattr(self._robot, name)(**arguments)
        return self._robot.measured()

    def close(self) -> None:
        """Nothing to close."""


@contextmanager
def serve_robot(case: str, address: str) -> Iterator[RemoteRobot]:
    """Open the robot in a server process."""
    command = [sys.executable, "-m", "robot_server", f"{__file__}:Idle:{case}", "--listen", address]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "HOMIE_ROBOT_TOKEN": TOKEN, "PYTHONPATH": root}
    os.environ["HOMIE_ROBOT_TOKEN"] = TOKEN
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None
        with open_robot(server.stdout.readline().split()[1], RemoteSettings()) as robot:
            assert isinstance(robot, RemoteRobot)
            yield robot
    finally:
        server.terminate()
        server.communicate()


@contextmanager
def here(case: str) -> Iterator[RemoteRobot]:
    """Open the robot in this process, through the same class."""
    link: Any = Direct(Idle(case))
    assert isinstance(link, Link | Direct)
    yield connect(link, 0, 10.0)


def measure(robot: RemoteRobot, steps: int) -> dict[str, float]:
    """Measure the milliseconds of a control period: a command through the safety gate, then two cameras."""
    command = Command(arm=(0.0,) * 7, gripper=0.0)
    times = []
    for _ in range(WARM_UP + steps):
        began = time.perf_counter()
        robot.act(command)
        robot.observe(("front", "wrist"))
        times.append(1000 * (time.perf_counter() - began))
    times = times[WARM_UP:]
    return {"median": statistics.median(times), "p95": statistics.quantiles(times, n=20)[-1]}


def run(steps: int) -> dict[str, dict[str, dict[str, float]]]:
    """Measure median and 95th percentile (ms) by case and connection."""
    measured: dict[str, dict[str, dict[str, float]]] = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder, here(case) as robot:
            measured[case] = {"no socket": measure(robot, steps)}
            for way, address in (("unix", f"unix:{folder}/robot"), ("tcp", "tcp://127.0.0.1:0")):
                with serve_robot(case, address) as robot:
                    measured[case][way] = measure(robot, steps)
    return measured


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], object] = print) -> int:
    """Measure, print, and return 0 if the target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    measured = run(options.steps)
    ways = measured[CASES[0]]
    met = max(ways[way]["median"] for way in ("unix", "tcp")) - ways["no socket"]["median"] < AIM
    if options.json:
        tell(json.dumps({"milliseconds": measured, "aim": AIM, "met": met}))
    else:
        for case, ways in measured.items():
            for way, times in ways.items():
                tell(
                    f"two pictures, {case + ', ' + way:<44}{times['median']:6.2f} ms median{times['p95']:8.2f} ms 95 %"
                )
        tell(f"The aim is {AIM:g} ms a step for colours, over the same without a socket: {'met' if met else 'MISSED'}.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

"""Drive a robot over ROS 2. Here `homie serve ros` runs a simulated Fetch on the network of this machine.

    pip install -c constraints.txt -e '.[ros]'
    python examples/drive_a_ros_robot.py

With a real Fetch on the network the last lines alone suffice, after `homie robot check fetch` and with
`homie robot guard fetch --arm-robot` in another terminal. A guard process checks every command and can stop the robot;
for a simulated robot it is started automatically.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import homie

SCENE = Path(__file__).parent / "scenes/two-rooms.json"


@contextmanager
def simulated_fetch() -> Iterator[None]:
    """Run a Fetch on the ROS 2 network during the block."""
    serve = [sys.executable, "-m", "homie", "serve", "ros", "--scene", str(SCENE), "--picture-size", "64"]
    with subprocess.Popen([*serve, "--camera-rate", "1"], stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr or ():
                print(line.strip())
                if "is on the ROS 2 network" in line:
                    break
            yield
        finally:
            process.terminate()


def main() -> None:
    os.environ["ROS_LOCALHOST_ONLY"] = "1"
    with simulated_fetch(), homie.open(robot="ros:fetch") as session:
        begin = session.robot.measured().base
        for target in ("table", "moon"):
            feedback = session.call("Go to", target).feedback
            print(f"Go to {target}: {'ok' if feedback.ok else feedback.message}")
        end = session.robot.measured().base
        print(f"driven more than a metre: {abs(end.x - begin.x) + abs(end.y - begin.y) > 1.0}")


if __name__ == "__main__":
    main()

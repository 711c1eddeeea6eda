"""Starts the guard of a robot; when it listens checks that the robot is measured; then starts the agent.

    ros2 run homie_ros bringup --profile fetch --arm true --task "go to the white table"

What is started first ends last. Where joint states, a camera or a transform do not come, no agent is started and it
ends with exit code 4 and a sentence that names them.

The guard has no terminal here: press its emergency stop by the topic /homie/estop. To release it, end this and begin
again, as its release is for a person who stands at the guard.
"""

from __future__ import annotations

import argparse
import math
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

from homie_ros.arguments import ARGUMENTS
from homie_ros.robot_check import Refused, missing_parts, summary

LISTENS = "listening at"
"""In the line in which a guard says that an agent can come."""
ENDING = 60.0
"""Seconds in which a process has ended after SIGTERM, the robot standing."""
LOOK = 0.05
ROS = "--ros-args"
"""Before the arguments that `ros2 launch` adds to those of a node."""
INFRASTRUCTURE = 4
"""The exit code of Homie where robot, guard or machine failed."""


class Process:
    """A command of Homie, whose lines go to the terminal with its name before them."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.listens = threading.Event()
        self._name = name
        # A session of its own: Ctrl-C at the terminal ends this program, which ends the agent before the guard.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            show(self._name, line.rstrip("\n"))
            if LISTENS in line:
                self.listens.set()

    @property
    def code(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._process.poll()

    def end(self) -> int:
        """End it, and its exit code."""
        if self.code is None:
            self._process.terminate()
        code = self._process.wait(ENDING)
        self._reader.join()
        return code


def commands(options: argparse.Namespace) -> tuple[list[str], list[str], list[str]]:
    """The command lines of guard, check and agent."""
    homie = [options.python or sys.executable, "-m", "homie"]
    guard = [*homie, "robot", "guard", options.profile, "--silence", options.silence, "--transport", options.transport]
    guard += ["--arm-robot"] if options.arm == "true" else []
    guard += ["--dry-run"] if options.dry_run == "true" else []
    does = ["run", options.task] if options.task else ["serve", "agent", "--transport", options.transport]
    agent = [*homie, *does, "--robot", f"ros:{options.profile}", "--robot-option", f"transport={options.transport}"]
    agent += ["--planner", options.planner, "--skills", options.skills, "--rounds", options.rounds]
    agent += ["--targets", options.targets] if options.targets else []
    check = [*homie, "robot", "check", options.profile, "--transport", options.transport]
    return guard, check, [*agent, *shlex.split(options.options)]


def checked(command: Sequence[str], profile: str, patience: float, over: Callable[[], bool]) -> int:
    """Wait until a robot is measured: 0, or after a sentence that says why the exit code of the bring-up."""
    show("check", f"Waiting {patience:g} s at most for joint states, cameras and transforms of {profile} ...")
    try:
        missing = missing_parts(command, patience, over)
    except Refused as error:
        show("check", str(error))
        return error.code
    if over():
        return 0
    if missing:
        show(
            "check",
            f"No agent is started: {summary(missing)}: start these drivers or correct the profile, see `homie robot "
            f"check {profile}`; for slow drivers raise `wait`.",
        )
        return INFRASTRUCTURE
    show("check", "Joint states, cameras and transforms are there.")
    return 0


def seconds(text: str) -> float:
    """A time to wait. Raises ValueError."""
    value = float(text)
    if not 0.0 <= value < math.inf:
        raise ValueError(text)
    return value


def show(name: str, line: str) -> None:
    """Print a line of a stage of the bring-up."""
    sys.stdout.write(f"[{name}] {line}\n")
    sys.stdout.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Run guard and agent until the agent ends, the guard ends, or SIGINT or SIGTERM.

    Returns:
        The exit code of the agent; that of the guard or of the check where these have ended it.
    """
    parser = argparse.ArgumentParser(prog="bringup", description=__doc__)
    for name, (default, about) in ARGUMENTS.items():
        choices = ("true", "false") if default in ("true", "false") else None
        kind = seconds if name == "wait" else str
        parser.add_argument(f"--{name}", default=default, help=about, choices=choices, type=kind)
    arguments = list(sys.argv[1:] if words is None else words)
    own = arguments[: arguments.index(ROS)] if ROS in arguments else arguments
    options = parser.parse_args(own)
    guarding, checking, acting = commands(options)
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    guard = Process("guard", guarding)
    try:
        while not (guard.listens.is_set() or over.is_set() or guard.code is not None):
            time.sleep(LOOK)
        if over.is_set() or guard.code is not None:
            return guard.code or 0
        code = checked(checking, options.profile, options.wait, lambda: over.is_set() or guard.code is not None)
        if code or over.is_set() or guard.code is not None:
            return code or guard.code or 0
        agent = Process("agent", acting)
        try:
            while not (over.is_set() or guard.code is not None or agent.code is not None):
                time.sleep(LOOK)
            lost = guard.code is not None and not over.is_set()
        finally:
            code = agent.end()
        return INFRASTRUCTURE if lost or code < 0 else code  # below zero: killed by a signal
    finally:
        guard.end()


if __name__ == "__main__":
    sys.exit(main())

"""Starts the guard of a robot, and when it listens the agent. What is started first ends last.

    ros2 run homie_ros bringup --profile fetch --arm true --task "go to the white table"

The guard has no terminal here: press its emergency stop by the topic /homie/estop. To release it, end this and begin
again, as its release is for a person who stands at the guard.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from homie_ros.arguments import ARGUMENTS

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
            sys.stdout.write(f"[{self._name}] {line}")
            sys.stdout.flush()
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


def commands(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The command lines of guard and agent."""
    homie = [options.python or sys.executable, "-m", "homie"]
    guard = [*homie, "robot", "guard", options.profile, "--silence", options.silence, "--transport", options.transport]
    guard += ["--arm-robot"] if options.arm == "true" else []
    guard += ["--dry-run"] if options.dry_run == "true" else []
    does = ["run", options.task] if options.task else ["serve", "agent", "--transport", options.transport]
    agent = [*homie, *does, "--robot", f"ros:{options.profile}", "--robot-option", f"transport={options.transport}"]
    agent += ["--planner", options.planner, "--skills", options.skills, "--rounds", options.rounds]
    agent += ["--targets", options.targets] if options.targets else []
    return guard, [*agent, *shlex.split(options.options)]


def main(words: Sequence[str] | None = None) -> int:
    """Run guard and agent until the agent ends, the guard ends, or SIGINT or SIGTERM; the exit code of the agent."""
    parser = argparse.ArgumentParser(prog="bringup", description=__doc__)
    for name, (default, about) in ARGUMENTS.items():
        choices = ("true", "false") if default in ("true", "false") else None
        parser.add_argument(f"--{name}", default=default, help=about, choices=choices)
    arguments = list(sys.argv[1:] if words is None else words)
    own = arguments[: arguments.index(ROS)] if ROS in arguments else arguments
    guarding, acting = commands(parser.parse_args(own))
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    guard = Process("guard", guarding)
    try:
        while not (guard.listens.is_set() or over.is_set() or guard.code is not None):
            time.sleep(LOOK)
        if over.is_set() or guard.code is not None:
            return guard.code or 0
        agent = Process("agent", acting)
        try:
            while not (over.is_set() or guard.code is not None or agent.code is not None):
                time.sleep(LOOK)
            lost = guard.code is not None and not over.is_set()
        finally:
            code = agent.end()
        return INFRASTRUCTURE if lost else code
    finally:
        guard.end()


if __name__ == "__main__":
    sys.exit(main())

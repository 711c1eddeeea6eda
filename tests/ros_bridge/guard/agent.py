"""An agent in a process of its own: python -m tests.ros_bridge.guard.agent SOCKET HOW [TRANSPORT]

`own` starts a guard for itself, as a run does for a simulated robot, and says so. At the signal FLOOD it sends too
much.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from pathlib import Path

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.messages import Heartbeat, line
from ros_bridge.profiles.model import read_profile
from ros_bridge.robot.guarding import OwnGuard
from ros_bridge.transport.opening import Transport

SPEED = 0.4
FLOOD = signal.SIGUSR1
ARM = "wrist_roll_joint"


def main(path: str, mode: str, transport: Transport = "auto") -> None:
    profile, floods = read_profile("fetch"), threading.Event()
    signal.signal(FLOOD, lambda *_: floods.set())
    # The arm turns its wrist for half a minute; its other joints stay where they are (see fake_robot).
    way = {joint.name: [6.0 if joint.name == ARM else 0.0] for joint in profile.groups["arm"].joints}
    if mode == "own":
        OwnGuard("fetch", profile, transport)
        print("guarded", flush=True)
    with GuardLink(profile, Path(path)) as robot:
        moved = robot.follow("arm", way, times=[30.0])
        while True:
            if moved.done():  # refused: the guard has not found the robot yet, or has lost sight of it
                moved = robot.follow("arm", way, times=[30.0])
            with contextlib.suppress(CommandRefused):  # too old, on a busy machine
                robot.velocity(SPEED, 0.0)
            if floods.is_set():
                robot._socket.sendall(line(Heartbeat()) * 2000)
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])  # type: ignore[arg-type]

"""An agent in a process of its own: python -m tests.ros_bridge.guard.agent SOCKET HOW"""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.messages import Beat, line
from ros_bridge.profiles.model import read_profile

SPEED = 0.4
ARM = "wrist_roll_joint"


def done(future):
    """Whether a trajectory that takes long has ended at once, and why."""
    try:
        print(future.result(0.3), file=sys.stderr, flush=True)
    except TimeoutError:
        return False
    except CommandRefused as error:
        print(error, file=sys.stderr, flush=True)
    return True


def main(path: str, how: str) -> None:
    profile = read_profile("fetch")
    with GuardLink(profile, Path(path)) as robot:
        joints = profile.groups["arm"].joints
        # The arm turns its wrist for half a minute; the others stay where they are (see fake_robot).
        way = {joint.name: [6.0 if joint.name == ARM else 0.0] for joint in joints}
        while done(robot.follow("arm", way, times=[30.0])):  # the guard has not found the robot yet
            time.sleep(0.2)
        began = time.monotonic()
        while True:
            with contextlib.suppress(CommandRefused):  # too old, on a busy machine
                robot.velocity(SPEED, 0.0)
            if how == "flood" and time.monotonic() - began > 1.0:
                robot._socket.sendall(line(Beat()) * 2000)
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])

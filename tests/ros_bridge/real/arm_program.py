"""A program that raises torso and arm of a Fetch and closes its gripper: python -m ... PROFILE TRANSPORT

It prints a JSON object: what is measured then, and why the gripper was not moved.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time

from homie.kernel.errors import CommandRefused
from homie.kernel.interfaces import Robot
from homie.kernel.options import OpenOptions
from homie.kernel.types import Command
from ros_bridge.robot.opening import open_ros

TORSO, ARM, WIDTH = (0.15,), (1.0, 1.0, -0.2, 1.4, 0.0, 1.4, 0.0), 0.04
NEAR, LONGEST = 0.01, 90.0
NOBODY = "there is no controller for it on the network"


def raise_arm(robot: Robot) -> None:
    """Command torso and arm until they are there; what the guard refuses on a busy machine is said again."""
    ends = time.monotonic() + LONGEST
    torso, arm = robot.spec.first("torso"), robot.spec.first("arm")
    assert torso is not None and arm is not None
    targets = dict(zip((*torso.names, *arm.names), (*TORSO, *ARM), strict=True))
    while time.monotonic() < ends:
        joints = robot.measured().joints
        if all(abs(joints[name] - to) < NEAR for name, to in targets.items()):
            return
        with contextlib.suppress(CommandRefused):
            robot.act(Command({"torso": TORSO, "arm": ARM}))


def close_gripper(robot: Robot) -> str:
    """Why the fingers were not moved; "" where they were. A command that is late on a busy machine is said again."""
    ends, why = time.monotonic() + LONGEST, ""
    while abs(robot.measured().gripper - WIDTH) > NEAR / 2:
        try:
            robot.act(Command({"gripper": (WIDTH,)}))
        except CommandRefused as error:
            why = str(error)
            if NOBODY in why or time.monotonic() > ends:
                return why
    return ""


def main(profile: str, transport: str) -> None:
    options = OpenOptions.build(robot=f"ros:{profile}", robot_settings={"transport": transport})
    robot = open_ros(options, profile)
    raise_arm(robot)
    refused = close_gripper(robot)
    body = robot.measured()
    robot.close()
    print(json.dumps({"joints": dict(body.joints), "gripper": body.gripper, "refused": refused}))


if __name__ == "__main__":
    main(*sys.argv[1:])

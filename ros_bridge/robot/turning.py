"""The four views of a robot with a single head camera: head and base turn, and each image is taken in its direction."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from homie.kernel.errors import RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import VIEWS, CameraFrame, Command

ANGLES: Mapping[str, float] = dict(zip(VIEWS, (0.0, math.pi / 2, math.pi, -math.pi / 2), strict=True))
"""Direction of each view, rad to the left of the robot's heading."""
TILT = 0.35
"""Downward tilt of the head, rad: floor and table tops are visible, as in the ring of the simulated Fetch."""
BESIDE = 0.05
"""Tolerance (rad) of the direction of a view, so that a head that turns by 1.57 reaches a quarter turn."""
ARRIVED = 0.02
"""Tolerance (rad) at which head and base have reached their targets."""
GAIN, SLOWEST = 1.5, 0.08
"""Turning speed of the base, rad/s per rad of the remaining angle, and its minimum: below, wheels stick."""
SHARE = 0.6
"""Fraction of the base's highest turning speed: there is no hurry."""
LONGEST = 15.0
"""Timeout of one turn, s."""


def can_turn(spec: RobotSpec) -> bool:
    """Whether a robot can look around with one camera: with a head, and a base that turns where the head cannot."""
    return spec.head is not None and spec.first("base") is not None


def look_around(robot: Robot, views: Collection[str], look: Callable[[], CameraFrame]) -> dict[str, CameraFrame]:
    """Capture views, and turn the robot back to its heading.

    Args:
        robot: One that `can_turn`.
        views: Some of `VIEWS`.
        look: Returns an image of the head's camera that is taken after the call.

    Raises:
        RobotFault: Head or base do not turn.
        CommandRefused: The guard refuses the motion.
    """
    heading = robot.measured().base.yaw
    frames: dict[str, CameraFrame] = {}
    # Views that need only the head come first. The left one is the last of these, since the head stays there for the
    # one behind.
    for view in sorted(views, key=lambda view: (abs(ANGLES[view]), ANGLES[view])):
        pan = _pan(robot.spec, ANGLES[view])
        remaining = ANGLES[view] - pan
        _turn_base(robot, heading + (remaining if abs(remaining) > BESIDE else 0.0))
        _turn_head(robot, pan)
        frames[view] = replace(look(), name=view)
    _turn_head(robot, 0.0)
    _turn_base(robot, heading)
    return {view: frames[view] for view in views}


def _pan(spec: RobotSpec, angle: float) -> float:
    """Return the head's part of an angle: as much as it can turn, since the base is slower."""
    assert spec.head is not None
    low, high = spec.head.limits[0].tolist()
    return float(min(max(angle, low), high))


def _turn_head(robot: Robot, pan: float) -> None:
    head = robot.spec.head
    assert head is not None
    low, high = head.limits[1].tolist()
    target = (pan, min(max(TILT, low), high))
    for _ in range(round(LONGEST / robot.spec.period)):
        angle = head.measured(robot.measured())
        if max(abs(a - b) for a, b in zip(angle, target, strict=True)) < ARRIVED:
            return
        robot.act(Command({head.name: target}))
    raise RobotFault(f"The head of the {robot.spec.name} does not turn to {pan:.2f} rad to look around.")


def _turn_base(robot: Robot, heading: float) -> None:
    for _ in range(round(LONGEST / robot.spec.period)):
        body = robot.measured()
        remaining = math.remainder(heading - body.base.yaw, math.tau)
        if abs(remaining) < ARRIVED:
            if abs(body.base_velocity[1]) < ARRIVED:
                return
            robot.act(Command())
            continue
        speed = min(max(GAIN * abs(remaining), SLOWEST), SHARE * robot.spec.max_angular)
        robot.act(robot.spec.drive(0.0, math.copysign(speed, remaining)))
    raise RobotFault(f"The base of the {robot.spec.name} does not turn to look around.")

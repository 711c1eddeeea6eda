"""The four views of a robot with one camera, on a head: head and base turn, and each picture is of where it looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from homie.kernel.errors import RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import VIEWS, CameraFrame, Command

ANGLES: Mapping[str, float] = dict(zip(VIEWS, (0.0, math.pi / 2, math.pi, -math.pi / 2), strict=True))
"""Where each view is, rad to the left of where the robot stands."""
TILT = 0.35
"""rad that the head looks down: floor and table tops are in the picture, as in the ring of the simulated Fetch."""
BESIDE = 0.05
"""rad by which a view may be beside its angle, so that a head that turns by 1.57 reaches a quarter turn."""
ARRIVED = 0.02
"""rad from its target at which head and base have turned."""
GAIN, SLOWEST = 1.5, 0.08
"""rad/s for each rad that is left of a turn of the base, and at least: below, wheels stick."""
SHARE = 0.6
"""Of the base's highest turning speed: nobody is in a hurry here."""
LONGEST = 15.0
"""Seconds of one turn."""


def can_turn(spec: RobotSpec) -> bool:
    """Whether a robot can look around with one camera: by a head, and a base that turns to what the head cannot see."""
    return spec.head is not None and spec.first("base") is not None


def look_around(robot: Robot, views: Collection[str], look: Callable[[], CameraFrame]) -> dict[str, CameraFrame]:
    """Pictures of views, and the robot again where it stood.

    Args:
        robot: One that `can_turn`.
        views: Of `VIEWS`.
        look: The picture of the head's camera, taken from now on.

    Raises:
        RobotFault: Head or base do not turn.
        CommandRefused: The guard lets nothing move.
    """
    heading = robot.measured().base.yaw
    frames: dict[str, CameraFrame] = {}
    # With the base as it stands first: most of the views need no more than the head. The left one is the last of these,
    # since for the one behind the head stays there.
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
    """What of an angle the head turns: as much as it can, since the base is slower."""
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

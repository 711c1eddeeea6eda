"""`homie serve ros`: a robot of Homie on a ROS 2 network until Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable

from homie.kernel.interfaces import Robot
from ros_bridge.profiles.model import read_profile
from ros_bridge.serving.served import ServedRobot
from ros_bridge.transport.opening import Transport, open_node


def serve_robot(
    name: str,
    open_robot: Callable[[], Robot],
    *,
    camera: str,
    camera_rate: float,
    transport: Transport,
    ready: Callable[[Robot], None],
) -> None:
    """Play a robot on the network until a signal ends it.

    Args:
        name: The profile whose topics and actions it has, see `ros_bridge.profiles.model.read_profile`.
        open_robot: Opens the robot, when everything else is there.
        camera: The camera of the robot that is that of the profile.
        camera_rate: Pictures a second; 0 for none.
        transport: `rclpy`, `dds` or `auto`.
        ready: Called when it can be driven.

    Raises:
        BadInput, MissingPart, InfrastructureError: It cannot begin.
    """
    profile = read_profile(name)
    over: list[int] = []
    with open_node("/homie_robot", transport) as node, open_robot() as robot:
        served = ServedRobot(node, robot, profile, camera, camera_rate)
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: over.append(number))
        try:
            ready(robot)
            served.run(lambda: bool(over))
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

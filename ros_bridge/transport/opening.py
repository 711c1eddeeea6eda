"""Opening of a node over the transport that this machine has."""

from __future__ import annotations

import importlib.util
import logging
import sys
from typing import Literal, TypeAlias

from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.support.packages import missing_part
from ros_bridge.transport.interface import Node

log = logging.getLogger("homie.ros_bridge")

Transport: TypeAlias = Literal["auto", "rclpy", "dds"]


def open_node(name: str, transport: Transport = "auto") -> Node:
    """Open a node on the network that the variables of ROS 2 describe (ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY, ...).

    Args:
        name: Full name, as `/homie`.
        transport: `rclpy` needs a ROS 2 installation that is sourced; `dds` needs the extra `ros` and no
            ROS; `auto` takes rclpy where it can be imported.

    Raises:
        BadInput: There is no such transport, or the name is not valid in ROS 2.
        MissingPart: A package of the transport is not installed.
        InfrastructureError: The network cannot be joined.

    ```python
    with open_node("/homie") as node:
        node.subscription("sensor_msgs/msg/JointState", "/joint_states", print)
    ```
    """
    if transport not in ("auto", "rclpy", "dds"):
        raise BadInput(f"There is no transport '{transport}': choose rclpy, dds or auto.")
    if transport == "dds" or (transport == "auto" and importlib.util.find_spec("rclpy") is None):
        return _dds_node(name)
    try:
        from ros_bridge.transport.ros_node import RclpyNode
    except ImportError as error:
        if importlib.util.find_spec("rclpy") is None:
            reason = "it needs a ROS 2 installation: source its setup.bash, or choose 'dds'"
        else:
            reason = f"the rclpy that is there cannot be imported by Python {sys.version_info[0]}.{sys.version_info[1]}"
            reason += f" ({error}): it was built for another Python, or a part of it is missing"
        if transport == "rclpy":
            raise MissingPart(f"The transport 'rclpy' cannot be used: {reason}.") from error
        log.warning("The transport is dds, not rclpy: %s. `unset PYTHONPATH` keeps it from being looked at.", reason)
        return _dds_node(name)
    return RclpyNode(name)


def _dds_node(name: str) -> Node:
    try:
        from ros_bridge.transport.dds.node import DdsNode
    except ModuleNotFoundError as error:
        raise missing_part("The transport 'dds'", (error.name or "cyclonedds").partition(".")[0], "ros") from error
    return DdsNode(name)

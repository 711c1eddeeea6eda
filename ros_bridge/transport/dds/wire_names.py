"""Names of ROS 2 topics, services and types on a DDS wire, and back."""

from __future__ import annotations

import re

from homie.kernel.errors import BadInput

TOPIC, REQUEST, REPLY = "rt", "rq", "rr"
_ABSOLUTE = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")


def check_ros_name(name: str) -> str:
    """Return an absolute name of ROS 2. Raises BadInput for any other."""
    if not _ABSOLUTE.fullmatch(name) or "__" in name:
        raise BadInput(f"'{name}' is not an absolute name of ROS 2: write it as /arm_controller/state.")
    return name


def topic_name(name: str) -> str:
    """Return the DDS topic of a ROS 2 topic: `rt/cmd_vel`."""
    return TOPIC + check_ros_name(name)


def call_names(service: str) -> tuple[str, str]:
    """Return the DDS topics of the requests and the replies of a service."""
    return f"{REQUEST}{check_ros_name(service)}Request", f"{REPLY}{service}Reply"


def type_name(kind: str) -> str:
    """Return the DDS name of a type: `geometry_msgs::msg::dds_::Twist_`."""
    package, sort, *_, name = kind.split("/")
    return f"{package}::{sort}::dds_::{name}_"


def kind_of(dds_type: str) -> str:
    """Return the type of a DDS type name; any other name is returned unchanged."""
    parts = dds_type.split("::")
    if len(parts) != 4 or parts[2] != "dds_" or not parts[3].endswith("_"):
        return dds_type
    return f"{parts[0]}/{parts[1]}/{parts[3][:-1]}"


def ros_name(dds_topic: str) -> tuple[str, str] | None:
    """Return prefix and ROS 2 name of a DDS topic: `("rt", "/cmd_vel")`; of a call the service. None for other
    topics."""
    prefix, slash, path = dds_topic.partition("/")
    if not slash or prefix not in (TOPIC, REQUEST, REPLY):
        return None
    suffix = {TOPIC: "", REQUEST: "Request", REPLY: "Reply"}[prefix]
    if not path.endswith(suffix):
        return None
    return prefix, "/" + path.removesuffix(suffix)

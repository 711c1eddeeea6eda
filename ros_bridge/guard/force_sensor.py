"""The force sensor of a robot: the guard stops at more than the profile allows."""

from __future__ import annotations

from ros_bridge.guard.guard import Guard
from ros_bridge.transport.interface import Message, Node


def watch_force(node: Node, guard: Guard) -> None:
    """Listen to the sensor that the guard's profile names, if it names one."""
    force = guard.profile.force
    if force is None:
        return

    def pressed(message: Message) -> None:
        pull = message.wrench.force
        size = (pull.x**2 + pull.y**2 + pull.z**2) ** 0.5
        if not size <= force.limit:  # not finite is too much, too
            guard.emergency(f"a force of {size:.0f} N")

    node.subscription("geometry_msgs/msg/WrenchStamped", force.topic, pressed)

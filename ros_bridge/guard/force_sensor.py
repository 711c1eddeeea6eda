"""Force limit of a robot: the guard stops when its sensor measures more than the profile allows."""

from __future__ import annotations

from ros_bridge.guard.guard import Guard
from ros_bridge.transport.interface import Message, Node


def watch_force(node: Node, guard: Guard) -> None:
    """Subscribe to the force sensor that the guard's profile names, if any."""
    force = guard.profile.force
    if force is None:
        return

    def on_force(message: Message) -> None:
        pull = message.wrench.force
        size = (pull.x**2 + pull.y**2 + pull.z**2) ** 0.5
        if not size <= force.limit:  # NaN and infinity are too much, too
            guard.emergency(f"a force of {size:.0f} N")

    node.subscription("geometry_msgs/msg/WrenchStamped", force.topic, on_force)

"""ROS 2 interface of the guard: the emergency stop as a topic and a service, and the approval of subtasks."""

from __future__ import annotations

from ros_bridge.guard.force_sensor import watch_force
from ros_bridge.guard.guard import Guard
from ros_bridge.transport.interface import Message, Node, on_press

ESTOP, APPROVE = "/homie/estop", "/homie/approve"


def listen_on_network(node: Node, guard: Guard) -> None:
    """Offer the stop, and the approval of subtasks, to other ROS 2 programs; watch the force sensor of the profile.

    Only a person at the terminal can release the stop or arm the guard.
    """

    def stop(_: Message) -> Message:
        guard.emergency(f"the service {ESTOP}")
        return node.message("std_srvs/srv/Trigger_Response", success=True, message="stopping")

    def approve(message: Message) -> Message:
        guard.decide(bool(message.data))
        return node.message("std_srvs/srv/SetBool_Response", success=True)

    def on_call() -> None:
        guard.emergency(f"a call of the service {ESTOP}")

    node.service("std_srvs/srv/Trigger", ESTOP, stop, on_call)
    on_press(node, ESTOP, lambda: guard.emergency(f"the topic {ESTOP}"))
    if guard.approval != "none":
        node.service("std_srvs/srv/SetBool", APPROVE, approve)
    watch_force(node, guard)

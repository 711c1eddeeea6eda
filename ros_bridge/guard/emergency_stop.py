"""The emergency stop of the guard: a topic and a service of ROS 2, a force sensor, and the keyboard."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ros_bridge.guard.guard import Guard
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.transport.interface import Message, Node, on_press

ESTOP, APPROVE = "/homie/estop", "/homie/approve"
HELP = "Enter: EMERGENCY STOP   r + Enter: release it   y / n + Enter: approve a subtask or not   Ctrl-C: stop and end"


def listen_on_network(node: Node, guard: Guard) -> None:
    """Offer the stop, and the approval of subtasks, to other programs of ROS 2; watch the force sensor of the profile.

    Releasing and arming are for a person at the terminal.
    """

    def stop(_: Message) -> Message:
        guard.emergency(f"the service {ESTOP}")
        return node.message("std_srvs/srv/Trigger_Response", success=True, message="stopping")

    def approve(message: Message) -> Message:
        guard.decide(bool(message.data))
        return node.message("std_srvs/srv/SetBool_Response", success=True)

    def called() -> None:
        guard.emergency(f"a call of the service {ESTOP}")

    node.service("std_srvs/srv/Trigger", ESTOP, stop, called)
    on_press(node, ESTOP, lambda: guard.emergency(f"the topic {ESTOP}"))
    if guard.approval != "none":
        node.service("std_srvs/srv/SetBool", APPROVE, approve)
    force = guard.profile.force
    if force is not None:

        def pressed(message: Message) -> None:
            pull = message.wrench.force
            size = (pull.x**2 + pull.y**2 + pull.z**2) ** 0.5
            if not size <= force.limit:  # not finite is too much, too
                guard.emergency(f"a force of {size:.0f} N")

        node.subscription("geometry_msgs/msg/WrenchStamped", force.topic, pressed)


def listen_at_terminal(guard: Guard, agent: AgentSocket, tell: Callable[[str], None]) -> None:
    """Take the keys of a person, where there is a terminal.

    Args:
        guard: Told what was typed.
        agent: Whose loop reads the terminal too.
        tell: Shows a line to the person.
    """
    if _at_a_terminal():
        tell(HELP)
        agent.also(sys.stdin.fileno(), lambda: _typed(guard, agent))


def _at_a_terminal() -> bool:
    try:
        return os.isatty(sys.stdin.fileno())
    except (OSError, ValueError):
        return False


def _typed(guard: Guard, agent: AgentSocket) -> None:
    """A line of the person at the terminal; whatever is not understood is an emergency stop."""
    try:
        typed = os.read(sys.stdin.fileno(), 4096)
    except OSError:
        typed = b""
    if not typed:  # the terminal is gone: the guard is not
        agent.forget(sys.stdin.fileno())
        return
    for word in typed.decode(errors="replace").lower().splitlines():
        if word.strip() in ("y", "n"):
            guard.decide(word.strip() == "y")
        elif word.strip() == "r":
            guard.release()
        else:
            guard.emergency("the keyboard")

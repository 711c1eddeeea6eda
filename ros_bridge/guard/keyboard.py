"""Keyboard input at the guard's terminal: the emergency stop, its release, the approval of subtasks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ros_bridge.guard.guard import Guard
from ros_bridge.guard.sockets import AgentSocket

HELP = "Enter: EMERGENCY STOP   r + Enter: release it   y / n + Enter: approve a subtask or not   Ctrl-C: stop and end"


def listen_at_terminal(guard: Guard, agent: AgentSocket, tell: Callable[[str], None]) -> None:
    """Listen to the keyboard, if there is a terminal.

    Args:
        guard: Receives the input.
        agent: Its event loop also reads the terminal.
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
    """Handle input of the terminal; any unknown line is an emergency stop."""
    try:
        typed = os.read(sys.stdin.fileno(), 4096)
    except OSError:
        typed = b""
    if not typed:  # the terminal is closed: the guard continues
        agent.forget(sys.stdin.fileno())
        return
    for word in typed.decode(errors="replace").lower().splitlines():
        if word.strip() in ("y", "n"):
            guard.decide(word.strip() == "y")
        elif word.strip() == "r":
            guard.release()
        else:
            guard.emergency("the keyboard")

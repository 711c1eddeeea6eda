"""Health of a robot: the newest status of each of its components on a `diagnostic_msgs` topic."""

from __future__ import annotations

import threading

from homie.kernel.support.text import one_line
from ros_bridge.transport.interface import Message, Node

DIAGNOSTIC_ARRAY = "diagnostic_msgs/msg/DiagnosticArray"
OK, WARN, ERROR, STALE = range(4)
"""Levels, as `diagnostic_msgs/msg/DiagnosticStatus` numbers them."""
WORDS = {WARN: "warning", ERROR: "error", STALE: "stale"}
MOST = 1000
"""Largest number of components kept: names come from the network."""
LONGEST = 120
"""Longest name or message shown, in characters."""
OWN = "homie_guard:"
"""Prefix of the status of Homie's own guard, which publishes on the same topic by convention."""


class Diagnostics:
    """Listens to a topic of diagnostics."""

    def __init__(self, node: Node, topic: str) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, tuple[int, str]] = {}
        self._count = 0
        self._subscription = node.subscription(DIAGNOSTIC_ARRAY, topic, self._take)

    def close(self) -> int:
        """Stop listening; return the number of received messages."""
        self._subscription.close()
        with self._lock:
            return self._count

    def problems(self) -> list[tuple[str, int, str]]:
        """Return name, level and description of every component with a problem, the worst first."""
        with self._lock:
            problems = [(name, level, text) for name, (level, text) in self._newest.items() if level != OK]
        return sorted(problems, key=lambda part: (part[1] != ERROR, part[0]))

    def _take(self, message: Message) -> None:
        with self._lock:
            self._count += 1
            for status in message.status:
                name = one_line(status.name, LONGEST)
                if name.startswith(OWN) or (name not in self._newest and len(self._newest) >= MOST):
                    continue
                level = status.level[0] if isinstance(status.level, bytes) else int(status.level)
                words = WORDS.get(level, f"level {level}")
                text = one_line(status.message, LONGEST)
                self._newest[name] = level, f"{words}: {text}" if text else words

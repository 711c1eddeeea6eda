"""Reports of a guard to other ROS 2 programs: its state, and diagnostics.

/homie/guard/state  (std_msgs/msg/String, kept)             a `GuardState` as JSON, whenever it changes
/diagnostics        (diagnostic_msgs/msg/DiagnosticArray)  the same once a second, and whenever it changes
"""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import threading
import time

from ros_bridge.guard.guard import Guard
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.guard.state import GuardState, diagnose
from ros_bridge.profiles.diagnostics import DIAGNOSTIC_ARRAY, OWN
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.transport.interface import LATCHED, Message, Node
from ros_bridge.transport.refusals import create_if_known
from ros_bridge.transport.stamps import now, stamp

log = logging.getLogger("homie.ros_bridge")

STATE, DIAGNOSTICS = "/homie/guard/state", "/diagnostics"
LOOK = 0.05
"""Seconds between two checks of the guard's state."""
EVERY = 1.0
"""Seconds between two diagnostics of an unchanged state, as their viewers expect."""


class Reports:
    """Publishes the state of a guard from its own thread: a program that does not read must not block the guard.

    Args:
        node: The node of the guard.
        guard: The guard.
        agent: Knows whether an agent is connected.
        dry_run: Whether nothing is sent.
    """

    def __init__(self, node: Node, guard: Guard, agent: AgentSocket, dry_run: bool) -> None:
        self._node, self._guard, self._agent, self._dry_run = node, guard, agent, dry_run
        self._state = node.publisher(TEXT, STATE, LATCHED)
        self._diagnostics = create_if_known(DIAGNOSTICS, lambda: node.publisher(DIAGNOSTIC_ARRAY, DIAGNOSTICS))
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reports", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop publishing."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        last, next_report = "", 0.0
        while not self._closed.wait(LOOK):
            state = self._guard.state
            facts = {"profile": self._guard.profile.name, "dry_run": self._dry_run, "agent": self._agent.connected}
            status = {**facts, **dataclasses.asdict(state)}
            text = json.dumps(status)
            if text == last and time.monotonic() < next_report:
                continue
            try:
                if text != last:
                    self._state.publish(self._node.message(TEXT, data=text))
                if self._diagnostics is not None:
                    self._diagnostics.publish(self._array(state, status))
            except Exception:  # no one else handles errors of this thread, and the guard must go on
                log.exception("The state of the guard could not be published")
            last, next_report = text, time.monotonic() + EVERY

    def _array(self, state: GuardState, fields: dict[str, object]) -> Message:
        level, text = diagnose(state, self._dry_run)
        name, silence = self._guard.profile.name, self._guard.agent_silence
        fields["agent_silent_for"] = f"{silence:.2f} s" if math.isfinite(silence) else "it was never heard"
        values = [
            {"key": key, "value": value if isinstance(value, str) else json.dumps(value)}
            for key, value in fields.items()
        ]
        status = {
            "level": level,
            "name": f"{OWN} {name}",
            "message": text,
            "hardware_id": name,
            "values": [self._node.message("diagnostic_msgs/msg/KeyValue", **value) for value in values],
        }
        statuses = [self._node.message("diagnostic_msgs/msg/DiagnosticStatus", **status)]
        return self._node.message(DIAGNOSTIC_ARRAY, header={"stamp": stamp(now())}, status=statuses)

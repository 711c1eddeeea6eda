"""The twin of a simulated robot on the network: a second simulation of its scene that follows its state. Privileged:
used by the background locator, records and verdicts, never by skills and planners."""

from __future__ import annotations

import threading
import time

from homie.kernel import registry
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import Mirrored, Robot
from homie.kernel.options import OpenOptions
from homie.kernel.support.documents import parse_json
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.simulation import STATE, Simulation
from ros_bridge.transport.interface import SENSOR, Message, Node

PATIENCE = 5.0
"""Timeout (s) for a state: about ten arrive per second."""


class Twin:
    """Opens the scene of a simulation again and follows its state.

    Args:
        node: A node on its network.
        simulation: Its announcement.

    Raises:
        BadInput: The scene cannot be opened here.
    """

    def __init__(self, node: Node, simulation: Simulation) -> None:
        robots = registry.names("robots")
        name, _, argument = simulation.robot.partition(":")
        if name not in robots:
            raise BadInput(f"The simulated robot on the network is a '{name}', which this Homie does not have.")
        self.robot: Robot = registry.load("robots", name)(OpenOptions.build(**simulation.options), argument)
        if not isinstance(self.robot, Mirrored):
            raise BadInput(f"The simulated robot '{name}' on the network is none whose state can be followed.")
        self._mirrored: Mirrored = self.robot
        self._changed = threading.Condition()
        self._newest: str | None = None
        self._number = self._applied = 0
        self._subscription = node.subscription(TEXT, STATE, self._on_state, SENSOR)

    def follow(self, *, fresh: bool = False) -> None:
        """Apply the newest state that has arrived.

        Args:
            fresh: Wait for a state that arrives after the call.

        Raises:
            InfrastructureError: No state arrives.
        """
        deadline = time.monotonic() + PATIENCE
        with self._changed:
            min_number = self._number + 2 if fresh else 1  # the next one may have been on its way already
            while self._number < min_number:
                self._changed.wait(0.1)
                if time.monotonic() > deadline:
                    raise InfrastructureError(
                        f"The simulated robot does not tell its state on {STATE}: does it still run?"
                    )
            text, number = self._newest, self._number
        if number == self._applied or text is None:
            return
        self._applied = number
        try:
            self._mirrored.take_state(parse_json(text))
        except (ValueError, BadInput) as error:
            raise InfrastructureError(f"A state of the simulated robot cannot be taken over: {error}") from error

    def close(self) -> None:
        """Stop following."""
        self._subscription.close()
        self.robot.close()

    def _on_state(self, message: Message) -> None:
        with self._changed:
            self._newest = str(message.data)
            self._number += 1
            self._changed.notify_all()

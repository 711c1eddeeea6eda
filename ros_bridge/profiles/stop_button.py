"""The robot's own emergency stop, whose state its driver publishes on a topic."""

from __future__ import annotations

from functools import partial

from ros_bridge.profiles.parts import EmergencyStop
from ros_bridge.transport.interface import BOOL, DEFAULT, LATCHED, SENSOR, Message, MessageSource


class StopButton:
    """Receives the state however it is published: latched or not, reliable or not, repeatedly or only on change.

    Each QoS has its own subscription, which receives its messages in order; all end at the same state.
    """

    def __init__(self, node: MessageSource, described: EmergencyStop) -> None:
        self._described = described
        self._states: dict[str, bool] = {}
        qualities = {"latched": LATCHED, "reliable": DEFAULT, "best effort": SENSOR}
        self._subscriptions = [
            node.subscription(BOOL, described.topic, partial(self._take, name), qos) for name, qos in qualities.items()
        ]

    @property
    def pressed(self) -> bool:
        """Whether it is pressed, as far as messages have arrived."""
        return any(list(self._states.values()))

    def unknown(self) -> str:
        """Return why its state is unknown; "" if it is known."""
        if not self._states:
            return f"its emergency stop has not been heard on {self._described.topic}"
        if not any(subscription.publishers() for subscription in self._subscriptions):
            return f"its emergency stop is not published on {self._described.topic} any more"
        return ""

    def close(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            subscription.close()

    def _take(self, name: str, message: Message) -> None:
        self._states[name] = bool(message.data) is self._described.pressed

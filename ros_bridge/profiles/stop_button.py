"""The robot's own emergency stop, as its driver says on a topic whether it is pressed."""

from __future__ import annotations

from functools import partial

from ros_bridge.profiles.parts import EmergencyStop
from ros_bridge.transport.interface import BOOL, DEFAULT, LATCHED, SENSOR, Hears, Message


class StopButton:
    """Hears it however it is published: latched or not, reliable or not, again and again or only when it changes.

    Each of these is a subscription of its own, which hears its messages in their order; all end at the same state.
    """

    def __init__(self, node: Hears, described: EmergencyStop) -> None:
        self._described = described
        self._states: dict[str, bool] = {}
        qualities = {"latched": LATCHED, "reliable": DEFAULT, "best effort": SENSOR}
        self._subscriptions = [
            node.subscription(BOOL, described.topic, partial(self._take, name), qos) for name, qos in qualities.items()
        ]

    @property
    def pressed(self) -> bool:
        """Whether it is, as far as it was heard."""
        return any(list(self._states.values()))

    def unknown(self) -> str:
        """Why it is not known whether it is pressed; "" where it is."""
        if not self._states:
            return f"its emergency stop has not been heard on {self._described.topic}"
        if not any(subscription.publishers() for subscription in self._subscriptions):
            return f"its emergency stop is not published on {self._described.topic} any more"
        return ""

    def close(self) -> None:
        """Listen no more."""
        for subscription in self._subscriptions:
            subscription.close()

    def _take(self, name: str, message: Message) -> None:
        self._states[name] = bool(message.data) is self._described.pressed

"""The signals that stop Homie: first the robot, then the program. Only imports modules that load fast."""

from __future__ import annotations

import signal

TYPE_CHECKING = False  # as in `homie`: `typing` is slow to import
if TYPE_CHECKING:
    from types import FrameType

STOPPED = "Stopped by the user."
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, `kill` and a closed terminal: all three stop the robot and then the program."""


_commands: list[list[int]] = []
"""A list of the stop signals received by the running command; empty if none runs: later signals are ignored."""


def on_stop(handler: signal.Handlers | object) -> None:
    """Install a handler for the stop signals at the start of a command. Signals that were ignored when the process
    started (`nohup`, `&`) stay ignored."""
    _commands[:] = [[]]
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


def forget_signals() -> None:
    """Forget the stop signals at the end of a command: later ones in this process do not belong to it."""
    _commands.clear()


def stop(number: int, frame: FrameType | None) -> None:
    """Handle a stop signal while a command runs: record it and raise an exception, which releases resources."""
    for signals in _commands:
        signals.append(number)
    raise KeyboardInterrupt


def stop_came() -> bool:
    """Whether `stop` was called since the command began.

    Needed because a library may convert its exception to another one, and Python drops exceptions in destructors.
    """
    return any(_commands)

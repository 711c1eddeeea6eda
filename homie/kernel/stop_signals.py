"""The signals that stop Homie: first the robot, then the program. Imports only what is fast."""

from __future__ import annotations

import signal

TYPE_CHECKING = False  # as in `homie`: `typing` is slow to import
if TYPE_CHECKING:
    from types import FrameType

STOPPED = "Stopped by the user."
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, `kill` and a closed terminal: all three stop the robot and then the program."""


_commands: list[list[int]] = []
"""The stop signals of the command that runs; none where no command does: a signal after it concerns nobody here."""


def on_stop(handler: signal.Handlers | object) -> None:
    """Install a handler for the stop signals: a command begins. Signals ignored since the start (`nohup`, `&`) stay
    ignored."""
    _commands[:] = [[]]
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


def command_ended() -> None:
    """Forget the stop signals: what comes later in this process is no part of the command."""
    _commands.clear()


def stop(number: int, frame: FrameType | None) -> None:
    """The handler while a command runs: the exception releases its resources."""
    for signals in _commands:
        signals.append(number)
    raise KeyboardInterrupt


def stop_came() -> bool:
    """Whether `stop` was called since the command began.

    A library may have made another error of its exception, or none: Python drops what is raised in a destructor.
    """
    return any(_commands)

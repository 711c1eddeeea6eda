"""The signals that stop Homie: the robot first, then the program. Imports nothing that takes time."""

from __future__ import annotations

import signal
from types import FrameType

STOPPED = "Stopped by the user."
STOPPED_CODE = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, `kill`, and a terminal that is gone: all three stop the robot and then the program."""


def on_stop(handler: signal.Handlers | object) -> None:
    """Handle the signals that stop; those that this process was started to ignore (`nohup`, `&`) stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


def stop(number: int, frame: FrameType | None) -> None:
    """The handler while a command runs: what it holds is let go on the way out."""
    raise KeyboardInterrupt

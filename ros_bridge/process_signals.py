"""SIGINT and SIGTERM as a flag that a loop polls, so that what it drives comes to rest before the process ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watch_signals() -> Iterator[Callable[[], bool]]:
    """Yield a check whether SIGINT or SIGTERM has arrived; restore the previous handlers afterwards.

    An ignored signal stays ignored: a process started in the background does not receive Ctrl-C. Only for the main
    thread.
    """
    received: list[int] = []
    previous_handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number, handler in previous_handlers.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: received.append(number))
        yield lambda: bool(received)
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)

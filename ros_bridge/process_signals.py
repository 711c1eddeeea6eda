"""SIGINT and SIGTERM as an end that a loop looks for, so that what it drives comes to rest before the process ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_signal() -> Iterator[Callable[[], bool]]:
    """Whether SIGINT or SIGTERM has come since this began; afterwards they mean what they meant before.

    A signal that is ignored stays so: a process that was started in the background does not hear Ctrl-C. Only for the
    main thread.
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

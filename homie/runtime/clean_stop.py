"""Handling of Ctrl-C, SIGTERM and SIGHUP: the running command shuts down in order, once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

from homie.kernel.errors import HomieError
from homie.kernel.stop_signals import SIGNALS, stop_came


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Context in which SIGTERM and SIGHUP (closed terminal) raise KeyboardInterrupt like Ctrl-C.

    A signal that this process ignores (`nohup`) stays ignored. Only the main thread can receive signals; in others this
    has no effect. KeyboardInterrupt is also raised if a library has converted it to another error, as pydantic does
    while it writes JSON, or has swallowed it: on entry for an earlier signal to the command, on exit for one in
    between. A loop that has to react earlier calls the yielded function, which raises KeyboardInterrupt after a signal.
    """
    received: list[int] = []
    if stop_came():
        raise KeyboardInterrupt

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    try:
        with ExitStack() as stack:
            for number in SIGNALS:
                stack.enter_context(_signal_handler(number, stop))
            yield check
        check()
    except HomieError:
        raise
    except Exception as error:
        if received:
            raise KeyboardInterrupt from error
        raise


@contextmanager
def ignore_stop_signals() -> Iterator[None]:
    """Context that ignores stop signals: a second Ctrl-C must not prevent stopping the robot or closing files."""
    with ExitStack() as stack:
        for number in SIGNALS:
            stack.enter_context(_signal_handler(number, signal.SIG_IGN))
        yield


@contextmanager
def _signal_handler(number: signal.Signals, handler: object) -> Iterator[None]:
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or signal.getsignal(number) is signal.SIG_IGN:
        yield
        return
    previous = signal.signal(number, handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        signal.signal(number, previous)

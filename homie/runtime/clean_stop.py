"""What Ctrl-C, SIGTERM and SIGHUP do to what runs: it ends in order, once."""

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
    """SIGTERM and SIGHUP (the terminal is gone) stop like Ctrl-C.

    A signal that this process ignores (`nohup`) stays ignored. Only the main thread can receive signals; elsewhere
    nothing changes. Raises KeyboardInterrupt also where a library made another error of it, as pydantic does when it
    comes while it writes JSON, and where a library has swallowed it: before the first line for a signal of the command
    so far, at the end for one that comes in between. A loop that must not wait for its end calls the yielded function,
    which raises KeyboardInterrupt if a signal came.
    """
    arrived: list[int] = []
    if stop_came():
        raise KeyboardInterrupt

    def stop(number: int, frame: FrameType | None) -> None:
        arrived.append(number)
        raise KeyboardInterrupt

    def check() -> None:
        if arrived:
            raise KeyboardInterrupt

    try:
        with ExitStack() as stack:
            for number in SIGNALS:
                stack.enter_context(_handling(number, stop))
            yield check
        check()
    except HomieError:
        raise
    except Exception as error:
        if arrived:
            raise KeyboardInterrupt from error
        raise


@contextmanager
def undisturbed() -> Iterator[None]:
    """A second Ctrl-C must not keep the robot from stopping or the files from closing."""
    with ExitStack() as stack:
        for number in SIGNALS:
            stack.enter_context(_handling(number, signal.SIG_IGN))
        yield


@contextmanager
def _handling(number: signal.Signals, handler: object) -> Iterator[None]:
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or signal.getsignal(number) is signal.SIG_IGN:
        yield
        return
    previous = signal.signal(number, handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        signal.signal(number, previous)

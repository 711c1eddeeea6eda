"""No process of Homie goes on working when the one that started it is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process

from homie.kernel.errors import InfrastructureError

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """End this process at once when its parent ends, however it ends: an orphan must not go on writing or waiting."""
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    _end_with(parent.sentinel)


def _end_with(other: Connection | int) -> None:
    """End this process at once when a process ends (by its sentinel), or the other end of a pipe is closed."""

    def watch() -> None:
        wait([other])
        os._exit(InfrastructureError.exit_code)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def worker_pool(
    workers: int, prepare: Callable[..., None] | None = None, *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that end with this one; and at once where the block is left by an error or by Ctrl-C, however
    often that is pressed: what they are doing is lost then, and nobody waits for it.

    Args:
        workers: How many.
        prepare: What each of them calls first, with the arguments.

    Raises (on leaving):
        InfrastructureError: One of them died.
    """
    context = get_context("spawn")
    held, parent_end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin, (held, prepare, arguments))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise InfrastructureError(
            "A worker process died, possibly for want of memory: give the same command again, with fewer --workers."
        ) from error
    except BaseException:
        parent_end.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        held.close()
        parent_end.close()


def _begin(held: Connection, prepare: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    """Begin a worker.

    Args:
        held: The end of a pipe, whose other end is closed when the worker is not needed any more.
    """
    # The terminal sends Ctrl-C to all its processes; when they end is the parent's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    _end_with(held)
    if prepare is not None:
        prepare(*arguments)

"""Worker processes that end with the process that started them."""

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
    """Make this process end at once when its parent ends in any way: an orphan must not continue to write or wait."""
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    _end_with(parent.sentinel)


def _end_with(other: Connection | int) -> None:
    """Make this process end at once when another process ends (given its sentinel), or a pipe's other end is closed."""

    def watch() -> None:
        wait([other])
        os._exit(InfrastructureError.exit_code)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def worker_pool(
    workers: int, prepare: Callable[..., None] | None = None, *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """Context with a pool of processes that end with this one. If an exception or Ctrl-C (repeated or not) leaves the
    block, they end at once without finishing their work.

    Args:
        workers: Number of processes.
        prepare: Function that each of them calls first, with the arguments.

    Raises (on leaving):
        InfrastructureError: A worker died.
    """
    context = get_context("spawn")
    worker_end, parent_end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _init_worker, (worker_end, prepare, arguments))
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
        worker_end.close()
        parent_end.close()


def _init_worker(worker_end: Connection, prepare: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    """Initialize a worker.

    Args:
        held: End of a pipe, whose other end is closed when the worker is no longer needed.
    """
    # The terminal sends Ctrl-C to all its processes, but the parent decides when they end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    _end_with(worker_end)
    if prepare is not None:
        prepare(*arguments)

"""Requests with a wall-clock deadline.

A client's own timeouts are per read: a server that sends single bytes never triggers them. Here the whole request is a
task that is cancelled at its deadline, and its connection is closed. The tasks of all episodes share one event loop in
a thread of its own, so that a caller may itself run in an event loop.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import os
import ssl
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from homie.kernel.support.packages import missing_part

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

CONNECT = 10.0
"""Timeout to connect, s: an unreachable host should not take the whole timeout of a request."""
GRACE = 1.0
"""Seconds for a cancelled request to clean up."""
_loop_lock = threading.Lock()


def within(seconds: float, make_coroutine: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run the coroutine that `make_coroutine` returns. Raises TimeoutError after `seconds` of wall clock."""

    async def timed() -> T:
        async with asyncio.timeout(seconds):
            return await make_coroutine()

    future = asyncio.run_coroutine_threadsafe(timed(), _loop(os.getpid()))
    try:
        return future.result(seconds + GRACE)
    except BaseException:
        future.cancel()
        raise


def _loop(process: int) -> asyncio.AbstractEventLoop:
    with _loop_lock:
        return _start_loop(process)


@functools.lru_cache(maxsize=1)
def _start_loop(process: int) -> asyncio.AbstractEventLoop:
    """Start the event loop of a process; a forked child lacks its parent's threads and gets its own loop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="endpoints", daemon=True).start()
    return loop


def load_sdk(planner: str, package: str, extra: str) -> None:
    """Import an SDK in advance, as that takes a second of a request's time otherwise. Raises MissingPart."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise missing_part(f"The planner '{planner}'", error.name, extra) from error
    certificates()


def http_client() -> httpx2.AsyncClient:
    """Return a client for one request with a size limit for its answer. It has no timeout except for connecting;
    `within` adds the deadline."""
    import httpx2

    from planners.llm.calls.answer_limits import ACCEPTED, bound

    return httpx2.AsyncClient(
        verify=certificates(),
        timeout=httpx2.Timeout(None, connect=CONNECT),
        headers={"Accept-Encoding": ACCEPTED},
        event_hooks={"response": [bound]},
    )


@functools.cache
def certificates() -> ssl.SSLContext:
    """Return the TLS context, loaded once as that takes longer than everything else about a client."""
    import httpx2  # comes with both SDKs

    return httpx2.create_ssl_context()

"""Requests with a deadline on the wall clock.

A client's own timeouts are per read: a server that drips bytes never meets them. Here the whole request is a task that
is cancelled at its deadline, whatever it waits for, and its connection closed. The tasks of all episodes share one
event loop in a thread of its own, so that a caller may itself be inside one.
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
"""Seconds to connect: a host that is not there should not take the whole timeout."""
GRACE = 1.0
"""Seconds that a cancelled request may take to let go."""
_starting = threading.Lock()


def within(seconds: float, make_coroutine: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine that `make_coroutine` returns. Raises TimeoutError after `seconds` of wall clock."""

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
    with _starting:
        return _started(process)


@functools.lru_cache(maxsize=1)
def _started(process: int) -> asyncio.AbstractEventLoop:
    """The running loop of a process; a forked child has none of its parent's threads and gets its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="endpoints", daemon=True).start()
    return loop


def load_sdk(planner: str, package: str, extra: str) -> None:
    """Import an SDK here and now: it takes a second, which no request should pay for. Raises MissingPart."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise missing_part(f"The planner '{planner}'", error.name, extra) from error
    certificates()


def http_client() -> httpx2.AsyncClient:
    """A client for one request, whose answer has a bounded size. It has no timeout of its own but to connect: `within`
    sees to the rest."""
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
    """Loaded once: it takes longer than everything else about a client."""
    import httpx2  # comes with both SDKs

    return httpx2.create_ssl_context()

"""What the parallel episodes of a process share about one endpoint: lanes, breaker, what it is known to understand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from homie.kernel.errors import PlannerError

_shared: dict[tuple[object, ...], Endpoint] = {}
_sharing = threading.Lock()


class Breaker:
    """Fails calls at once after `failures` failed ones in a row, for `seconds`; then one call may try."""

    def __init__(self, failures: int, seconds: float) -> None:
        self._allowed, self._seconds = failures, seconds
        self._failed = 0
        self._closed_until = 0.0
        self._lock = threading.Lock()

    def check(self, host: str) -> None:
        """Raise PlannerError while the endpoint is left alone."""
        with self._lock:
            if self._failed < self._allowed:
                return
            now = time.monotonic()
            if now < self._closed_until:
                raise PlannerError(
                    f"{host} failed {self._failed} calls in a row and is left alone for another "
                    f"{self._closed_until - now:.0f} s."
                )
            self._closed_until = now + self._seconds  # this call tries, the others go on waiting

    def succeeded(self) -> None:
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            self._closed_until = time.monotonic() + self._seconds


class Endpoint:
    """One per address and limits in a process. answered: it has been there before. forms: by model, see `remote`.
    unmarked: models that do not know the marks of a prompt cache."""

    def __init__(self, url: str, host: str, concurrency: int, failures: int, seconds: float) -> None:
        self.url, self.host = url, host
        self.breaker = Breaker(failures, seconds)
        self.answered = False
        self.forms: dict[str, int] = {}
        self.unmarked: set[str] = set()
        self._lanes = threading.BoundedSemaphore(concurrency)

    @contextmanager
    def lane(self) -> Iterator[None]:
        """Wait for a free lane and hold it. The wait counts towards no deadline: a lane is held for a bounded time."""
        with self._lanes:
            yield


def shared_endpoint(url: str, host: str, concurrency: int, failures: int, seconds: float) -> Endpoint:
    """The endpoint of this process with these limits."""
    key = (url, concurrency, failures, seconds)
    with _sharing:
        if key not in _shared:
            _shared[key] = Endpoint(url, host, concurrency, failures, seconds)
        return _shared[key]

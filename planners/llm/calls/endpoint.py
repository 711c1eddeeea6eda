"""State of an endpoint that all planners of a process share: whether it was reachable, and unsupported features."""

from __future__ import annotations

import threading

_endpoints: dict[str, Endpoint] = {}
_endpoints_lock = threading.Lock()


class Endpoint:
    """State of one endpoint.

    Attributes:
        answered: Whether it has ever responded.
        forms: Index of the current answer form by model, see `remote`.
        unmarked: Models without support for prompt-cache marks.
        without_system: Models whose chat template has no system role.
    """

    def __init__(self, url: str, host: str) -> None:
        self.url, self.host = url, host
        self.answered = False
        self.forms: dict[str, int] = {}
        self.unmarked: set[str] = set()
        self.without_system: set[str] = set()


def shared_endpoint(url: str, host: str) -> Endpoint:
    """Return this process's endpoint at a URL."""
    with _endpoints_lock:
        return _endpoints.setdefault(url, Endpoint(url, host))

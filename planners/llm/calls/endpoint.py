"""What the planners of a process have learned about one endpoint: whether it lives, and what it understands."""

from __future__ import annotations

import threading

_shared: dict[str, Endpoint] = {}
_sharing = threading.Lock()


class Endpoint:
    """One per address in a process. answered: it has been there before. forms: by model, see `remote`. unmarked: models
    that do not know the marks of a prompt cache. without_system: models whose template knows no system role."""

    def __init__(self, url: str, host: str) -> None:
        self.url, self.host = url, host
        self.answered = False
        self.forms: dict[str, int] = {}
        self.unmarked: set[str] = set()
        self.without_system: set[str] = set()


def shared_endpoint(url: str, host: str) -> Endpoint:
    """The endpoint of this process at an address."""
    with _sharing:
        return _shared.setdefault(url, Endpoint(url, host))

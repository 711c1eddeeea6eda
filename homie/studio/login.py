"""Who may look and drive: whoever opens the address that was printed, once; a cookie takes over.

A request needs the cookie, a `Host` that is this server's, and, where a browser says where it comes from, an `Origin`
that is this server's too: a page of another site can neither read nor drive.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from homie.kernel.support.page_headers_and_cookies import cookie_in, is_local, same_secret, secret_cookie

COOKIE = "homie-studio"
NO_TOKEN = "This page wants its token: open the address that `homie studio` has printed."
WRONG_HOST = "This server does not have that name: open the address that `homie studio` has printed."
WRONG_ORIGIN = "Another site's page asks for this: open the address that `homie studio` has printed."


class Access:
    """The secrets of one server.

    Args:
        host: The address that it listens at.
        renewed: Called with a new token when the last one was used; from the server's thread.
    """

    def __init__(self, host: str, renewed: Callable[[str], None]) -> None:
        self._session = secrets.token_urlsafe(24)
        self._local = is_local(host)
        self._renewed = renewed
        self._lock = threading.Lock()
        self.token = secrets.token_urlsafe(24)

    def enter(self, token: str) -> str:
        """The cookie of whoever brings the token, which is worth nothing after that; "" for another token."""
        with self._lock:
            if not same_secret(token, self.token):
                return ""
            self.token = secrets.token_urlsafe(24)
        self._renewed(self.token)
        return secret_cookie(COOKIE, self._session)

    def refusal(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Why a request is not served: a status and a sentence; None where it is.

        Args:
            headers: Names in small letters.
        """
        host = headers.get("host", "")
        if wrong_host := self.wrong_host(host):
            return wrong_host
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, WRONG_ORIGIN
        if not same_secret(cookie_in(headers.get("cookie", ""), COOKIE), self._session):
            return 401, NO_TOKEN
        return None

    def wrong_host(self, host: str) -> tuple[int, str] | None:
        """A refusal where a name of another machine was made to mean this one (DNS rebinding)."""
        if self._local and not is_local(urlsplit(f"//{host}").hostname or ""):
            return 421, WRONG_HOST
        return None

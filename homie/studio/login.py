"""Access control of the studio: the printed link with its token works once; a session cookie replaces it.

A request needs the cookie, this server's name in `Host` and, if it has an `Origin` header, this server's origin there
too: a page of another site can neither read nor drive.
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
        host: The address that the server listens at.
        renewed: Called in the server's thread with a new token when the last token was used.
    """

    def __init__(self, host: str, renewed: Callable[[str], None]) -> None:
        self._session = secrets.token_urlsafe(24)
        self._local = is_local(host)
        self._renewed = renewed
        self._lock = threading.Lock()
        self.token = secrets.token_urlsafe(24)

    def enter(self, token: str) -> str:
        """Exchange the token, which becomes invalid, for the session cookie; "" for a wrong token."""
        with self._lock:
            if not same_secret(token, self.token):
                return ""
            self.token = secrets.token_urlsafe(24)
        self._renewed(self.token)
        return secret_cookie(COOKIE, self._session)

    def refusal(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return the HTTP status and message with which a request is refused; None if it is served.

        Args:
            headers: By names in lower case.
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
        """Return a refusal if the host name is not local although the server is (DNS rebinding)."""
        if self._local and not is_local(urlsplit(f"//{host}").hostname or ""):
            return 421, WRONG_HOST
        return None

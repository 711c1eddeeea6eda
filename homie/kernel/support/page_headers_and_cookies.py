"""HTTP headers and cookies of Homie's small web servers: pages may only run scripts of their own server."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie


def page_headers(*, pictures: str) -> Mapping[str, str]:
    """Return the headers of every response: scripts, styles and connections of this server alone, no framing, no
    caching.

    Args:
        pictures: Allowed sources of pictures, in the syntax of the header: `'self' data:`.
    """
    return {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src {pictures}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def secret_cookie(name: str, secret: str) -> str:
    """Return the `Set-Cookie` header of a secret that scripts and other sites cannot use."""
    return f"{name}={secret}; HttpOnly; SameSite=Strict; Path=/"


def cookie_in(header: str, name: str) -> str:
    """Return the value of a cookie in a `Cookie` header, "" if it is missing or the header is malformed."""
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def same_secret(answer: str, secret: str) -> bool:
    """Whether a secret is right, compared in constant time."""
    return hmac.compare_digest(answer.encode("utf-8", "replace"), secret.encode())


def is_local(host: str) -> bool:
    """Whether an address can only be reached from this machine.

    Example:
        >>> is_local("127.0.0.1"), is_local("0.0.0.0")
        (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

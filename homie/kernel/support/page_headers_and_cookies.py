"""What the small servers of Homie say to a browser: headers that let a page run nothing but its own, and a cookie."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie


def page_headers(*, pictures: str) -> Mapping[str, str]:
    """Headers of every answer: scripts, styles and connections of this server alone, in no frame, kept nowhere.

    Args:
        pictures: Where a page may show pictures from, as the header has it: `'self' data:`.
    """
    return {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src {pictures}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def secret_cookie(name: str, secret: str) -> str:
    """The `Set-Cookie` of a secret that scripts and other sites cannot use."""
    return f"{name}={secret}; HttpOnly; SameSite=Strict; Path=/"


def cookie_in(header: str, name: str) -> str:
    """The value of a cookie in a `Cookie` header, "" where it is not there or the header is none."""
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def same_secret(answer: str, secret: str) -> bool:
    """Whether they are equal; how long it takes says nothing of where they differ."""
    return hmac.compare_digest(answer.encode("utf-8", "replace"), secret.encode())


def is_local(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    Example:
        >>> is_local("127.0.0.1"), is_local("0.0.0.0")
        (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

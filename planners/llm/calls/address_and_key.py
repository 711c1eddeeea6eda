"""Validation of an endpoint's URL and of the environment variable for its key. Neither may contain a secret itself."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from homie.kernel.errors import BadInput

_ADDRESS = re.compile(r"https?://((?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?)(?:/[^\s?#]*)?")
_SECRET_PARTS = re.compile(r"[@?#]")
_VARIABLE_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def check_url(url: str) -> tuple[str, str]:
    """Return the URL without a trailing slash, and its host with port. Raises BadInput, without repeating secrets."""
    url = url.strip()
    if _SECRET_PARTS.search(url):
        raise BadInput(
            "base_url must be a plain address without password, query and fragment: keys come from the environment."
        )
    match = _ADDRESS.fullmatch(url)
    if match is None or not _has_port(url):
        raise BadInput(f"base_url: '{url}' is not an address; write for example http://localhost:8000/v1.")
    return url.rstrip("/"), match[1]


def _has_port(url: str) -> bool:
    """Return whether a URL has a port from 1 to 65535 or none, and a valid address in its brackets."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def check_variable(name: str) -> str:
    """Return the name of an environment variable. Raises BadInput, without repeating a name that may be a key."""
    if _VARIABLE_NAME.fullmatch(name) or name in os.environ:
        return name
    raise BadInput("api_key_env takes the NAME of an environment variable, for example OPENAI_API_KEY, never a key.")


def host_name(url: str) -> str:
    """Return the host of a URL without its port, in lower case. Raises BadInput as `check_url` does."""
    return (urlsplit(check_url(url)[0]).hostname or "").lower()

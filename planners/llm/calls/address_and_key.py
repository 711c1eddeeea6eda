"""Where an endpoint is and which environment variable holds its key. Neither may carry a secret itself."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from homie.kernel.errors import BadInput

_ADDRESS = re.compile(r"https?://((?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?)(?:/[^\s?#]*)?")
_SECRETIVE = re.compile(r"[@?#]")
_USUAL_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def checked_url(url: str) -> tuple[str, str]:
    """The address without a slash at its end, and its host (with port). Raises BadInput, without repeating secrets."""
    url = url.strip()
    if _SECRETIVE.search(url):
        raise BadInput(
            "base_url must be a plain address without password, query and fragment: keys come from the environment."
        )
    match = _ADDRESS.fullmatch(url)
    if match is None or not _has_port(url):
        raise BadInput(f"base_url: '{url}' is not an address; write for example http://localhost:8000/v1.")
    return url.rstrip("/"), match[1]


def _has_port(url: str) -> bool:
    """Whether an address has a port from 1 to 65535 or none, and a valid address in its brackets."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def checked_variable(name: str) -> str:
    """The name of an environment variable. Raises BadInput, without repeating what may be a key."""
    if _USUAL_NAME.fullmatch(name) or name in os.environ:
        return name
    raise BadInput("api_key_env takes the NAME of an environment variable, for example OPENAI_API_KEY, never a key.")


def host_name(url: str) -> str:
    """The host of an address without its port, in lower case. Raises BadInput as `checked_url` does."""
    return (urlsplit(checked_url(url)[0]).hostname or "").lower()

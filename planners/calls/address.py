"""Where an endpoint is and which environment variable holds its key. Neither may carry a secret itself."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from homie.errors import BadInput

_USUAL_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def checked_url(url: str) -> tuple[str, str]:
    """The address without a slash at its end, and its host (with port). Raises BadInput, without repeating secrets."""
    parts = urlsplit(url.strip())
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise BadInput(
            "base_url must be a plain address without password, query and fragment: keys come from the environment."
        )
    try:
        host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    except ValueError:
        host = None
    if parts.scheme not in ("http", "https") or not parts.hostname or host is None:
        raise BadInput(f"base_url: '{url}' is no address; write for example http://localhost:8000/v1.")
    return url.strip().rstrip("/"), host


def checked_variable(name: str) -> str:
    """The name of an environment variable. Raises BadInput, without repeating what may be a key."""
    if _USUAL_NAME.fullmatch(name) or name in os.environ:
        return name
    raise BadInput("api_key_env takes the NAME of an environment variable, for example OPENAI_API_KEY, never a key.")

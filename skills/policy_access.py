"""Access to a policy server: free on this machine, with a token from others."""

from __future__ import annotations

import os

from homie.kernel.errors import BadInput
from homie.kernel.support.page_headers_and_cookies import is_local

TOKEN_VARIABLE = "HOMIE_POLICY_TOKEN"
"""The default environment variable with the token."""

LEAST = 16
"""Minimum length of a token in characters."""


def read_token(variable: str) -> str:
    """Return the token in an environment variable, "" if it is not set. Raises BadInput for an invalid token."""
    token = os.environ.get(variable, "").strip()
    if token and (len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token):
        raise BadInput(f"The token in {variable} must be at least {LEAST} printable ASCII characters without blanks.")
    return token


def require_token(host: str, token: str) -> None:
    """Raise BadInput if other machines could reach a server without a token."""
    if not token and not is_local(host):
        raise BadInput(
            f"A policy server at {host} can be reached from other machines, so it needs a token: put one into the"
            f" environment variable {TOKEN_VARIABLE}, or into the one that --token-env names, for example with"
            f" `export {TOKEN_VARIABLE}=$(openssl rand -hex 24)`."
        )

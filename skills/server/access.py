"""Who may use a policy server: everybody on this machine, others with a token."""

from __future__ import annotations

import ipaddress
import os

from homie.kernel.errors import BadInput

TOKEN_VARIABLE = "HOMIE_POLICY_TOKEN"
"""The environment variable that holds the token, unless another one is named."""

LEAST = 16
"""Characters of a token."""


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(variable: str) -> str:
    """The token in an environment variable, "" where it is not set. Raises BadInput for one that is no token."""
    token = os.environ.get(variable, "").strip()
    if token and (len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token):
        raise BadInput(f"The token in {variable} must be at least {LEAST} printable ASCII characters without blanks.")
    return token


def require_token(host: str, token: str) -> None:
    """Raise BadInput where other machines could reach a server that asks for no token."""
    if not token and not is_local(host):
        raise BadInput(
            f"A policy server at {host} can be reached from other machines, so it needs a token: put one into the"
            f" environment variable {TOKEN_VARIABLE}, or into the one that --token-env names, for example with"
            f" `export {TOKEN_VARIABLE}=$(openssl rand -hex 24)`."
        )

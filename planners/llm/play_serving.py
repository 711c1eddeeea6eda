"""Serving until somebody stops it: what `homie play-server` calls."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import reason_of
from planners.llm.play_server import PlayServer

LEAST = 16
"""Characters of a token that is not made here."""
_OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)


def serve_play(*, host: str, port: int, token_env: str, ready: Callable[[PlayServer], None]) -> None:
    """Serve until KeyboardInterrupt, which is raised again. `ready` is called when it listens; port 0 is a free one.

    The token is that of the environment variable, else made for this once. Raises BadInput for an address that is
    not this machine's or a token that is too weak, InfrastructureError for a port that is taken.
    """
    token = os.environ.get(token_env, "").strip()
    if token and (len(token) < LEAST or not token.isascii() or not token.isalnum()):
        raise BadInput(
            f"The token in {token_env} must be at least {LEAST} letters and digits; leave it out for one made here."
        )
    try:
        server = PlayServer(host, port, token or secrets.token_hex(16))
    except OSError as error:
        if error.errno not in _OF_THE_PORT:
            raise BadInput(f"Cannot listen at {host}: {reason_of(error)}. Give an address of this machine.") from error
        raise InfrastructureError(
            f"Cannot listen at {host} port {port}: {reason_of(error)}. Try another --port."
        ) from error
    with server:
        ready(server)
        server.serve_forever(poll_interval=0.2)

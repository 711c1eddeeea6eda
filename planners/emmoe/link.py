"""TCP connection between the two processes of EMMOE: complete messages within timeouts, without framing."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable

from homie.kernel.errors import BadInput
from homie.kernel.support.page_headers_and_cookies import is_local
from planners.emmoe.wire import MalformedMessage, quote_bytes

QUIET = 0.05
"""Seconds without a byte after which a possibly complete subtask counts as complete: it has no end marker."""
REST = 10.0
"""Timeout for the rest of a message after its beginning, and for sending a message, s."""


class PeerGone(Exception):
    """The connection to the peer is unusable; the message is a clause about the peer (`closed the connection`)."""


class Link:
    """A half-duplex connection.

    Args:
        connection: A connected socket.
        limit: Maximum bytes of a received message.
    """

    def __init__(self, connection: socket.socket, limit: int) -> None:
        self._connection, self._limit = connection, limit
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, message: bytes) -> None:
        """Send a message. Raises PeerGone."""
        self._connection.settimeout(REST)
        try:
            self._connection.sendall(message)
        except TimeoutError:
            raise PeerGone(f"has not taken a message in {REST:.0f} s") from None
        except OSError:
            raise PeerGone("closed the connection") from None

    def receive(self, is_whole: Callable[[bytes], bool], seconds: float, *, quiet: float = 0.0) -> bytes:
        """Return the next message; b"" if the peer closed the connection without another message.

        Args:
            is_whole: Whether bytes may be a complete message; may raise MalformedMessage.
            seconds: Timeout until the message begins.
            quiet: Seconds without a byte that end the message, if it has no end marker.

        Raises:
            MalformedMessage: The message is invalid or too long.
            PeerGone: The peer is silent, or closed the connection in the middle of a message.
        """
        data = b""
        deadline = time.monotonic() + seconds
        while True:
            is_complete = bool(data) and is_whole(data)
            if is_complete and not quiet:
                return data
            remaining = deadline - time.monotonic()
            self._connection.settimeout(max(1e-3, min(quiet, remaining) if is_complete else remaining))
            try:
                received = self._connection.recv(self._limit + 1)
            except TimeoutError:
                if is_complete:
                    return data
                if data:
                    raise MalformedMessage(
                        f"sent the beginning of a message ({quote_bytes(data)}) and no end of it"
                    ) from None
                raise PeerGone(f"has sent nothing for {seconds:g} s") from None
            except OSError:
                received = b""
            if not data:
                deadline = time.monotonic() + REST
            if not received:
                if data and not is_complete:
                    raise PeerGone(f"closed the connection in the middle of a message ({quote_bytes(data)})")
                return data
            data += received
            if len(data) > self._limit:
                raise MalformedMessage(f"sent a message of more than {self._limit} bytes")

    def close(self) -> None:
        """End the connection. Idempotent."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def require_local(host: str, allowed: bool, option: str) -> None:
    """Raise BadInput for an address that other machines can reach, unless an option allows it."""
    if not (allowed or is_local(host)):
        raise BadInput(
            f"EMMOE's protocol has no token and no encryption, and {host} is not this machine alone: whoever reaches"
            f" the port can take part. Use 127.0.0.1 and a tunnel, or add {option}."
        )


def connect(host: str, port: int, seconds: float, limit: int) -> Link:
    """Connect, retrying while nobody listens. Raises PeerGone after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return Link(socket.create_connection((host, port), max(0.1, deadline - time.monotonic())), limit)
        except OSError as error:
            if time.monotonic() + 0.2 >= deadline or isinstance(error, socket.gaierror):
                reason = error.strerror or str(error)
                raise PeerGone(f"cannot be reached ({reason}), tried for {seconds:g} s") from None
        time.sleep(0.2)

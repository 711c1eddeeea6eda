"""A connection to a policy server over ZeroMQ, one request and one answer at a time. Needs the extra `gr00t`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from homie.kernel.support.packages import missing_part
from skills.policy_codec import FRAME_BYTES
from skills.policy_wire import ServerUnreachable, Wire

T = TypeVar("T")
SLICE = 0.02
"""Seconds for which one thread waits before another can cut the connection: a socket is not thread-safe."""


class ZmqWire(Wire):
    """A request socket (REQ). Whether there is a server is unknown before the first answer.

    Args:
        url: `tcp://HOST:PORT`.

    Raises:
        MissingPart: pyzmq is not installed.
    """

    def __init__(self, url: str) -> None:
        try:
            import zmq
        except ImportError as error:
            raise missing_part("The skill set 'gr00t'", "pyzmq", "gr00t") from error
        self._zmq, self._lock = zmq, threading.Lock()
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.MAXMSGSIZE, FRAME_BYTES)
        self._socket.connect(url)

    def send(self, frame: bytes, seconds: float) -> None:
        self._run_when_ready(self._zmq.POLLOUT, seconds, lambda: self._socket.send(frame))

    def receive(self, seconds: float) -> bytes:
        return bytes(self._run_when_ready(self._zmq.POLLIN, seconds, self._socket.recv))

    def cut(self) -> None:
        with self._lock:
            self._socket.close(linger=0)

    def _run_when_ready(self, event: int, seconds: float, work: Callable[[], T]) -> T:
        """Run `work` once the socket is ready."""
        deadline = time.monotonic() + seconds
        while True:
            with self._lock:
                if self._socket.closed:
                    raise ServerUnreachable("the connection is closed")
                try:
                    if self._socket.poll(round(SLICE * 1000), event):
                        return work()
                except self._zmq.ZMQError as error:
                    raise ServerUnreachable(str(error)) from error
            if time.monotonic() > deadline:
                raise ServerUnreachable(f"it has not answered for {seconds:.3g} s")
            time.sleep(0)  # a lock is not fair

"""A policy that runs on a server: a connection with deadlines, and what happens when it is lost.

If the server does not answer, is stopped, killed or disconnected:

- during an attempt (`step`), the attempt fails with the reason once `reply_seconds` have passed or the connection
  breaks. Nothing is sent twice, because the state of the policy is lost with its session.
- at the start of the next attempt (`reset`), the client tries to reconnect for `reconnect_seconds`. If it succeeds, the
  attempt runs in a new session; if not, InfrastructureError ends the episode.

A session is closed on a timeout, so that a late answer is never taken for the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import reason_of
from homie.kernel.types import FailureReason
from skills.policies.policy import Named, PolicyFailed
from skills.policy_codec import FRAME_BYTES

RETRY_SECONDS = 0.5
"""Pause between two attempts to connect."""

GOODBYE_SECONDS = 0.5
"""Timeout of an orderly disconnect."""

LEAST_SECONDS = 0.1
"""Minimum timeout of a connection attempt, so that the last one before the deadline has a chance."""

T = TypeVar("T")
Greeting = TypeVar("Greeting")


class ServerUnreachable(Exception):
    """The server does not answer, or not like a policy server of this kind. The message is the reason."""


class Wire(ABC):
    """One connection to a policy server. Calls block until a deadline."""

    @abstractmethod
    def send(self, frame: bytes, seconds: float) -> None:
        """Send one frame. Raises Unreachable, after which the connection cannot be used again."""

    @abstractmethod
    def receive(self, seconds: float) -> bytes | str:
        """Return the next frame. Raises Unreachable, after which the connection cannot be used again."""

    def part(self) -> None:
        """Close the connection in order. Idempotent."""
        self.cut()

    @abstractmethod
    def cut(self) -> None:
        """Cut the connection without closing it in order. Idempotent."""


class WebSocketWire(Wire):
    """A connection over a websocket. Its event loop runs in a thread of its own.

    Args:
        url: `ws://HOST:PORT`.
        headers: Headers of the request that opens it.
        seconds: Timeout of the connection.

    Raises:
        ServerUnreachable: There is no policy server.
        BadInput: The token is wrong.
    """

    def __init__(self, url: str, headers: Mapping[str, str], seconds: float) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="policy wire", daemon=True)
        self._thread.start()
        self._lock = threading.RLock()  # one thread may send a request while another ends the session
        self._is_closed = False
        self._connection: ClientConnection | None = None
        try:
            self._run(self._open(url, headers), seconds)
        except BaseException:
            self.cut()
            raise

    def send(self, frame: bytes, seconds: float) -> None:
        self._run(self._open_connection.send(frame), seconds)

    def receive(self, seconds: float) -> bytes | str:
        return self._run(self._open_connection.recv(), seconds)

    def part(self) -> None:
        """Close the connection in order, or cut it after `GOODBYE_SECONDS`."""
        if self._connection is not None:
            with contextlib.suppress(ServerUnreachable):
                self._run(self._connection.close(), GOODBYE_SECONDS)
        self.cut()

    def cut(self) -> None:
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                asyncio.run_coroutine_threadsafe(self._cut(), self._loop)
                self._thread.join()
                self._loop.close()

    @property
    def _open_connection(self) -> ClientConnection:
        assert self._connection is not None
        return self._connection

    async def _cut(self) -> None:
        other_tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in other_tasks:
            task.cancel()
        if other_tasks:
            await asyncio.wait(other_tasks, timeout=GOODBYE_SECONDS)
        if self._connection is not None:
            self._connection.transport.abort()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._connection.wait_closed(), GOODBYE_SECONDS)
        self._loop.stop()

    def _run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        async def timed() -> T:
            async with asyncio.timeout(seconds):
                return await work

        with self._lock:
            if self._is_closed:
                work.close()
                raise ServerUnreachable("the connection is closed")
            answer = asyncio.run_coroutine_threadsafe(timed(), self._loop)
        try:
            return answer.result()
        except CancelledError as error:
            raise ServerUnreachable("the connection was closed") from error
        except TimeoutError as error:
            raise ServerUnreachable(f"it has not answered for {seconds:.3g} s") from error
        except ConnectionClosed as error:
            raise ServerUnreachable(f"it has closed the connection ({_close_reason(error)})") from error
        except InvalidStatus as error:
            code = error.response.status_code
            if code == 401:
                raise BadInput(
                    "The policy server wants another token: put its token in the environment variable that"
                    " the setting `token_env` names."
                ) from error
            raise ServerUnreachable(f"it answers {code}, so it is not a policy server") from error
        except (InvalidHandshake, WebSocketException) as error:
            raise ServerUnreachable(f"it does not answer like a policy server ({error})") from error
        except OSError as error:
            raise ServerUnreachable(reason_of(error)) from error

    async def _open(self, url: str, headers: Mapping[str, str]) -> None:
        self._connection = await connect(
            url,
            additional_headers=headers,
            compression=None,
            max_size=FRAME_BYTES,
            open_timeout=None,
            ping_interval=None,  # a server may compute for longer than any timeout of its pongs
            close_timeout=GOODBYE_SECONDS,
            proxy=None,
        )


def _close_reason(error: ConnectionClosed) -> str:
    frame = error.rcvd
    return (frame.reason or f"code {frame.code}") if frame is not None else "without a word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds on the wall clock.

    Attributes:
        connect: The first connection and the greeting.
        reply: An answer.
        reconnect: How long to try to reconnect at the start of an attempt.
    """

    connect: float
    reply: float
    reconnect: float


class ServedPolicy(ABC, Generic[Greeting]):
    """A policy that runs on a server; the module's docstring explains failures.

    Subclasses implement the dialect: `_greet`, `_same`, `_begin` and `_decide`.

    Args:
        url: `ws://HOST:PORT`.
        headers: Headers of the request that opens a session.
        deadlines: Timeouts.
        advice: How to start a server: the end of the error message when there is none.

    Raises:
        InfrastructureError: There is no policy server.
        BadInput: The address or the token is wrong.

    Attributes:
        welcome: The server's greeting.
    """

    schemes: ClassVar[tuple[str, ...]] = ("ws", "wss")
    """Allowed schemes of addresses."""

    def __init__(self, url: str, headers: Mapping[str, str], deadlines: Deadlines, advice: str) -> None:
        check_address(url, self.schemes)
        self.url = url
        self._headers, self._deadlines = dict(headers), deadlines
        self._wire: Wire | None = None
        try:
            self.welcome = self._connect(deadlines.connect)
        except ServerUnreachable as error:
            raise InfrastructureError(f"There is no policy server at {url}: {error}. {advice}") from error

    def _open(self, seconds: float) -> Wire:
        """Open a new connection. Raises Unreachable; BadInput for a wrong token."""
        return WebSocketWire(self.url, self._headers, seconds)

    @abstractmethod
    def _greet(self, wire: Wire, seconds: float) -> Greeting:
        """Exchange greetings. Raises Unreachable; BadInput or InfrastructureError for a server of another kind."""

    @abstractmethod
    def _same(self, current: Greeting, previous: Greeting) -> str:
        """Return "" for the same policy as before, else the name of the other one."""

    @abstractmethod
    def _begin(self, wire: Wire, goal: Named) -> None:
        """Begin an attempt. Raises Unreachable, PolicyFailed."""

    @abstractmethod
    def _decide(self, wire: Wire, inputs: Named) -> Named:
        """Request one decision. Raises Unreachable, PolicyFailed."""

    def reset(self, goal: Named) -> None:
        """Begin an attempt, in a new session if the last one is lost. Raises InfrastructureError if the server cannot
        be reached."""
        if self._wire is not None:
            try:
                self._begin(self._wire, goal)
                return
            except ServerUnreachable:
                self._drop()
        wire = self._reconnect()
        try:
            self._begin(wire, goal)
        except ServerUnreachable as error:
            self._drop()
            raise InfrastructureError(f"The policy server at {self.url} cannot begin an attempt: {error}.") from error

    def step(self, inputs: Named) -> Named:
        """Request one decision. Raises PolicyFailed if the server does not answer."""
        wire = self._wire
        if wire is None:
            raise PolicyFailed(FailureReason.CONNECTION_LOST)
        try:
            return self._decide(wire, inputs)
        except ServerUnreachable as error:
            self._drop()
            raise PolicyFailed(FailureReason.SERVER_LOST, url=self.url, why=error) from error

    def close(self) -> None:
        """End the session. Idempotent."""
        wire, self._wire = self._wire, None  # another thread may drop it at the same time
        if wire is not None:
            wire.part()

    def _drop(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.cut()

    def _connect(self, seconds: float) -> Greeting:
        deadline = time.monotonic() + seconds
        self._wire = self._open(seconds)
        try:
            return self._greet(self._wire, max(deadline - time.monotonic(), LEAST_SECONDS))
        except BaseException:
            self._drop()
            raise

    def _reconnect(self) -> Wire:
        """Return a new connection to the same policy."""
        deadline = time.monotonic() + self._deadlines.reconnect
        while True:
            try:
                remaining = max(deadline - time.monotonic(), LEAST_SECONDS)
                greeting = self._connect(min(self._deadlines.connect, remaining))
                break
            except ServerUnreachable as error:
                if time.monotonic() + RETRY_SECONDS > deadline:
                    raise InfrastructureError(
                        f"The policy server at {self.url} was lost and cannot be reached again: {error}."
                    ) from error
                time.sleep(RETRY_SECONDS)
        if other := self._same(greeting, self.welcome):
            self._drop()
            raise InfrastructureError(
                f"The policy server at {self.url} has come back with another policy or checkpoint ({other})."
            )
        assert self._wire is not None
        return self._wire


def check_address(url: str, schemes: Sequence[str]) -> None:
    """Raise BadInput for an address that is invalid or has another scheme."""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0 and parts.username is None
    except ValueError:  # an invalid port or bracket
        is_valid = False
    if not is_valid:
        raise BadInput(f"'{url}' is not the address of a policy server: give {schemes[0]}://HOST:PORT.")

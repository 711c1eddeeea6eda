"""The client: a connection with deadlines, and a policy that runs on a server.

If the server does not answer, is stopped, killed or disconnected:

- during an attempt (`step`), the attempt fails with the reason once `reply_seconds` have passed or the connection
  breaks. Nothing is sent twice, because the state of the policy is lost with its session.
- at the start of the next attempt (`reset`), the client tries to reconnect for `reconnect_seconds`. If it succeeds, the
  attempt runs in a new session; if not, InfrastructureError ends the episode.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Coroutine
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import reason_of
from homie.kernel.support.packages import DISTRIBUTION
from homie.kernel.types import Failure, FailureReason
from skills.policies.policy import Named, PolicyFailed
from skills.policy_codec import FRAME_BYTES, CodecError
from skills.policy_messages import (
    PROTOCOL,
    Done,
    Hello,
    Message,
    Problem,
    Reset,
    Sort,
    Step,
    Welcome,
    WrongVersion,
    from_frame,
    to_frame,
)

RETRY_SECONDS = 0.5
"""Pause between two attempts to connect."""

GOODBYE_SECONDS = 0.5
"""Timeout of an orderly disconnect."""

LEAST_SECONDS = 0.1
"""Least timeout of a connection attempt, so that the last one before the deadline has a chance."""

T = TypeVar("T")


class Unreachable(Exception):
    """The server does not answer, or not like a policy server of this version. The message is the reason."""


class Wire:
    """One connection to a policy server. Its event loop runs in a thread of its own; calls block until a deadline.

    Args:
        url: `ws://HOST:PORT`.
        token: "" for none.
        seconds: timeout of the connection and the greeting.

    Raises:
        Unreachable: there is no policy server.
        BadInput: the address or the token is wrong.
        InfrastructureError: the server has another version of the protocol.
    """

    def __init__(self, url: str, token: str, seconds: float) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="policy wire", daemon=True)
        self._thread.start()
        self._connection: ClientConnection | None = None
        try:
            self.welcome = self._run(self._open(url, token), seconds)
        except BaseException:
            self.cut()
            raise

    def ask(self, frame: bytes, seconds: float) -> Message:
        """The answer to a message. Raises Unreachable, after which the connection cannot be used again."""
        return self._run(self._exchange(frame), seconds)

    def part(self) -> None:
        """Close the connection in order, or cut it after `GOODBYE_SECONDS`. Idempotent."""
        if not self._loop.is_closed() and self._connection is not None:
            with contextlib.suppress(Unreachable):
                self._run(self._connection.close(), GOODBYE_SECONDS)
        self.cut()

    def cut(self) -> None:
        """Cut the connection without closing it in order. Idempotent."""
        if not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._cut(), self._loop)
            self._thread.join()
            self._loop.close()

    async def _cut(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=GOODBYE_SECONDS)
        if self._connection is not None:
            self._connection.transport.abort()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._connection.wait_closed(), GOODBYE_SECONDS)
        self._loop.stop()

    def _run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        async def timed() -> T:
            async with asyncio.timeout(seconds):
                return await work

        try:
            return asyncio.run_coroutine_threadsafe(timed(), self._loop).result()
        except TimeoutError as error:
            raise Unreachable(f"it has not answered for {seconds:g} s") from error
        except ConnectionClosed as error:
            raise Unreachable(f"it has closed the connection ({_why(error)})") from error
        except InvalidStatus as error:
            code = error.response.status_code
            if code == 401:
                raise BadInput(
                    "The policy server wants another token: put its token in the environment variable that"
                    " the setting `token_env` names."
                ) from error
            raise Unreachable(f"it answers {code}, so it is not a policy server") from error
        except (InvalidHandshake, WebSocketException) as error:
            raise Unreachable(f"it does not answer like a policy server ({error})") from error
        except OSError as error:
            raise Unreachable(reason_of(error)) from error

    async def _open(self, url: str, token: str) -> Welcome:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._connection = await connect(
            url,
            additional_headers=headers,
            compression=None,
            max_size=FRAME_BYTES,
            open_timeout=None,
            ping_interval=None,
            close_timeout=GOODBYE_SECONDS,
            proxy=None,
        )
        try:
            answer = await self._exchange(to_frame(Hello(PROTOCOL, version(DISTRIBUTION))))
        except WrongVersion as error:
            raise InfrastructureError(_other_version(str(error))) from error
        if isinstance(answer, Welcome):
            return answer
        reason = answer.message if isinstance(answer, Problem) else f"a {answer.kind}"
        if isinstance(answer, Problem) and answer.sort == Sort.VERSION:
            raise InfrastructureError(_other_version(reason))
        raise Unreachable(reason)

    async def _exchange(self, frame: bytes) -> Message:
        assert self._connection is not None
        await self._connection.send(frame)
        answer = await self._connection.recv()
        try:
            return from_frame(answer)
        except WrongVersion:
            raise
        except CodecError as error:
            raise Unreachable(f"its answer cannot be read: {error}") from error


def _why(error: ConnectionClosed) -> str:
    frame = error.rcvd
    return (frame.reason or f"code {frame.code}") if frame is not None else "without a word"


def _other_version(reason: str) -> str:
    return f"The policy server is of another version: {reason} Install the same Homie on both machines."


class RemotePolicy:
    """A policy that runs on a server; the module's docstring explains failures.

    Args:
        url: `ws://HOST:PORT`.
        token: "" for none.
        connect_seconds: timeout of the first connection.
        reply_seconds: timeout of an answer.
        reconnect_seconds: how long to try to reconnect at the start of an attempt.

    Raises:
        InfrastructureError: there is no policy server.
        BadInput: the address or the token is wrong.
    """

    def __init__(
        self, url: str, *, token: str, connect_seconds: float, reply_seconds: float, reconnect_seconds: float
    ) -> None:
        _check_address(url)
        self.url = url
        self._token = token
        self._connect_seconds, self._reply_seconds = connect_seconds, reply_seconds
        self._reconnect_seconds = reconnect_seconds
        self._number = 0
        self._wire: Wire | None = None
        try:
            self._wire = Wire(url, token, connect_seconds)
        except Unreachable as error:
            raise InfrastructureError(
                f"There is no policy server at {url}: {error}. `homie serve policy NAME --checkpoint PATH` starts one."
            ) from error
        self.welcome = self._wire.welcome

    @property
    def facts(self) -> Named:
        return self.welcome.facts

    def reset(self, goal: Named) -> None:
        """Begin an attempt, in a new session if the last one is lost. Raises InfrastructureError if the server cannot
        be reached."""
        self._number += 1
        frame = _packed(Reset(self._number, dict(goal)))
        if self._wire is not None:
            try:
                self._finish(self._wire.ask(frame, self._reply_seconds))
                return
            except Unreachable:
                self._drop()
        wire = self._reach()
        try:
            self._finish(wire.ask(frame, self._reply_seconds))
        except Unreachable as error:
            self._drop()
            raise InfrastructureError(f"The policy server at {self.url} cannot begin an attempt: {error}.") from error

    def step(self, inputs: Named) -> Named:
        """One decision. Raises PolicyFailed if the server does not answer."""
        if self._wire is None:
            raise PolicyFailed(FailureReason.CONNECTION_LOST)
        self._number += 1
        frame = _packed(Step(self._number, dict(inputs)))
        try:
            return self._finish(self._wire.ask(frame, self._reply_seconds))
        except Unreachable as error:
            self._drop()
            raise PolicyFailed(FailureReason.SERVER_LOST, url=self.url, why=error) from error

    def close(self) -> None:
        """End the session. Idempotent."""
        if self._wire is not None:
            self._wire.part()
            self._wire = None

    def _drop(self) -> None:
        if self._wire is not None:
            self._wire.cut()
            self._wire = None

    def _finish(self, answer: Message) -> Named:
        """The result in the answer to the last message."""
        if isinstance(answer, Problem):
            # The number -1 refers to bytes that could not be decoded: those of the last message.
            if answer.sort == Sort.POLICY:
                raise PolicyFailed(_failure(answer))
            raise PolicyFailed(FailureReason.SERVER_FAILED, why=answer.message)
        if not isinstance(answer, Done) or answer.number != self._number:
            raise Unreachable(f"it has answered with a {answer.kind} that was not asked for")
        return answer.result

    def _reach(self) -> Wire:
        """A new connection to the same policy."""
        until = time.monotonic() + self._reconnect_seconds
        while True:
            try:
                left = max(until - time.monotonic(), LEAST_SECONDS)
                self._wire = Wire(self.url, self._token, min(self._connect_seconds, left))
                break
            except Unreachable as error:
                if time.monotonic() + RETRY_SECONDS > until:
                    raise InfrastructureError(
                        f"The policy server at {self.url} was lost and cannot be reached again: {error}."
                    ) from error
                time.sleep(RETRY_SECONDS)
        now, before = self._wire.welcome, self.welcome
        if (now.policy, now.about) != (before.policy, before.about):
            self._drop()
            raise InfrastructureError(
                f"The policy server at {self.url} has come back with another policy or checkpoint ({now.policy})."
            )
        return self._wire


def _failure(problem: Problem) -> str:
    """The failure of the policy on the server; its text where this side does not know the reason."""
    if problem.reason not in FailureReason.__members__:
        return problem.message
    return Failure.read(FailureReason[problem.reason], problem.message)


def _packed(message: Message) -> bytes:
    try:
        return to_frame(message)
    except CodecError as error:
        raise PolicyFailed(FailureReason.MESSAGE_NOT_SENT, why=error) from error


def _check_address(url: str) -> None:
    """Raises BadInput for an invalid websocket address."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0 and parts.username is None
    except ValueError:  # an invalid port or bracket
        good = False
    if not good:
        raise BadInput(f"'{url}' is not the address of a policy server: give ws://HOST:PORT.")

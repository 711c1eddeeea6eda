"""A connection to a robot server: requests with timeouts, and readable error messages.

Link.ask(request) --> result
                  --> CommandRefused, RobotFault, BadInput: raised by the robot; the connection stays usable
                  --> RobotFault: the server was killed, hangs or sends invalid data; later requests raise it again
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from homie.envs.remote.process import ServerProcess
from homie.kernel.errors import BadInput, HomieError, InfrastructureError, RobotFault
from homie.kernel.robot.safety import refusal
from homie.kernel.stop_signals import SIGNALS
from homie.kernel.support.files import reason_of
from robot_server.wire import PROTOCOL, ConnectionClosed, DeadlinePassed, MalformedFrame, parse, prepare, receive, send


class Link:
    """A client connection to a robot server.

    Args:
        url: `unix:PATH` or `tcp://HOST:PORT`.
        token: Token that the server requires, "" for none.
        connect_seconds: Timeout for connection and handshake.
        reply_seconds: Timeout for a reply.
        process: The server process if it was started for this link: `close` ends it.

    Attributes:
        about: Information that the server sent about itself and its robot.

    Raises:
        BadInput: The address or the token is wrong.
        InfrastructureError: There is no robot server, or its robot is in use.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str,
        connect_seconds: float,
        reply_seconds: float,
        process: ServerProcess | None = None,
    ) -> None:
        self.url = url
        self._reply_seconds, self._process = reply_seconds, process
        self._server_name = (
            f"The robot server at {url}" if process is None else f"The robot server of '{process.target}'"
        )
        self._number = 0
        self._lost_message = ""
        try:
            family, place = parse(url)
        except ValueError as error:
            raise BadInput(str(error)) from error
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self.about = self._greet(place, token, connect_seconds)
        except BaseException:
            self._socket.close()
            raise

    def _greet(self, place: Any, token: str, seconds: float) -> Mapping[str, Any]:
        deadline = time.monotonic() + seconds
        hello = {"hello": "robot", "protocol": PROTOCOL, "token": token}
        try:
            self._socket.settimeout(seconds)
            self._socket.connect(place)
            send(prepare(self._socket), hello, deadline)
            answer = receive(self._socket, deadline)
        except (OSError, ConnectionClosed, DeadlinePassed, MalformedFrame) as error:
            raise InfrastructureError(
                f"There is no robot server at {self.url}: {_reason(error, seconds)}. `homie serve robot` starts one."
            ) from error
        match answer:
            case [0, "done", {"spec": _, "offers": _} as about]:
                return dict(about)
            case [0, "failed", "token", _]:
                raise BadInput(
                    f"The robot server at {self.url} wants another token: put the one that it has printed into the"
                    " environment variable that the setting `token_env` names."
                )
            case [0, "failed", str(), str(sentence)]:
                raise InfrastructureError(f"{self._server_name} does not take this client: {sentence}.")
        raise InfrastructureError(f"What answers at {self.url} is not a robot server.")

    def ask(self, name: str, seconds: float | None = None, /, **arguments: object) -> Any:
        """Send a request and return its result.

        Args:
            name: Name of the request.
            seconds: Timeout, None for `reply_seconds`.
            arguments: Arguments of the request.

        Raises:
            CommandRefused, BadInput: Raised by the robot.
            RobotFault: Raised by the robot, or the connection is lost.
            InfrastructureError: The code of the robot raised another error.
        """
        if self._lost_message:
            raise RobotFault(self._lost_message)
        self._number += 1
        limit = seconds or self._reply_seconds
        deadline = time.monotonic() + limit
        try:
            with _defer_signals():
                send(self._socket, [self._number, name, arguments], deadline)
            answer = self._answer(deadline)
        except (ConnectionClosed, DeadlinePassed, MalformedFrame) as error:
            raise self._lose(name, error, limit) from error
        match answer:
            case [self._number, "done", result]:
                return result
            case [self._number, "failed", str(kind), str(sentence)]:
                raise _failure(kind, sentence)
        raise self._lose(name, MalformedFrame("this does not answer it"), limit)

    def _answer(self, deadline: float) -> Any:
        """Receive the reply to the last request, skipping replies to requests that Ctrl-C has interrupted."""
        while True:
            if not select.select([self._socket], [], [], max(deadline - time.monotonic(), 0.0))[0]:
                raise DeadlinePassed
            with _defer_signals():
                answer = receive(self._socket, deadline)
            match answer:
                case [int(number), *_] if number < self._number:
                    continue
            return answer

    def _lose(self, name: str, error: Exception, seconds: float) -> RobotFault:
        """Close the connection and return its error: a late reply would be mistaken for that of another request."""
        self._socket.close()
        reason = self._process.why_gone() if self._process and isinstance(error, ConnectionClosed) else ""
        self._lost_message = f"{self._server_name} was lost at '{name}': {reason or _reason(error, seconds)}."
        return RobotFault(self._lost_message)

    def close(self) -> None:
        """Disconnect; the server then halts the robot. Idempotent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        if self._process is not None:
            self._process.close()


@contextlib.contextmanager
def _defer_signals() -> Iterator[None]:
    """Defer signals while a message is transferred, so that none is left half-sent or half-read. Only in the main
    thread, where Python handles signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers: list[int] = []
    previous_handlers = {number: signal.getsignal(number) for number in SIGNALS}
    handled = {number: handler for number, handler in previous_handlers.items() if callable(handler)}
    for number in handled:
        signal.signal(number, lambda number, frame: numbers.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        for pending_number in numbers:
            signal.raise_signal(pending_number)


def _reason(error: Exception, seconds: float) -> str:
    if isinstance(error, DeadlinePassed | TimeoutError):
        return f"it has not answered for {seconds:g} s"
    if isinstance(error, OSError):
        return reason_of(error)
    return str(error).rstrip(".") or type(error).__name__


def _failure(kind: str, sentence: str) -> HomieError:
    """Return the error that a robot has raised."""
    if kind == "refused":
        return refusal(sentence)
    if kind in ("fault", "input"):
        return {"fault": RobotFault, "input": BadInput}[kind](sentence)
    return InfrastructureError(f"The robot server failed: {sentence}.")

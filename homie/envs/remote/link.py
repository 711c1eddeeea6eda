"""A connection to a robot server: requests with deadlines, and failures as sentences.

Link.ask(request) --> result
                  --> CommandRefused, RobotFault, BadInput: the robot says so, and the connection goes on
                  --> RobotFault: the server was killed, hangs or answers nonsense; every later request says so again
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
from homie.kernel.robot.safety import refused
from homie.kernel.stop_signals import SIGNALS
from homie.kernel.support.files import reason_of
from robot_server.wire import PROTOCOL, Gone, Late, Malformed, parse, prepare, receive, send


class Link:
    """One client of a robot server.

    Args:
        url: `unix:PATH` or `tcp://HOST:PORT`.
        token: What the server wants, "" for none.
        connect_seconds: Time limit of the connection and the greeting.
        reply_seconds: Time limit of an answer.
        process: The server, where it was started for this link: it ends with it.

    Attributes:
        about: What the server said of itself and its robot.

    Raises:
        BadInput: The address is wrong, or the token.
        InfrastructureError: There is no robot server, or its robot is taken.
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
        self._who = f"The robot server at {url}" if process is None else f"The robot server of '{process.target}'"
        self._number = 0
        self._lost = ""
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
        except (OSError, Gone, Late, Malformed) as error:
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
                raise InfrastructureError(f"{self._who} does not take this client: {sentence}.")
        raise InfrastructureError(f"What answers at {self.url} is not a robot server.")

    def ask(self, name: str, seconds: float | None = None, /, **arguments: object) -> Any:
        """The result of a request.

        Args:
            name: Of the request.
            seconds: Time limit, if it is not the usual one.
            arguments: Of the request.

        Raises:
            CommandRefused, BadInput: The robot says so.
            RobotFault: The robot says so, or the server cannot be asked any more.
            InfrastructureError: The code of the robot raised another error.
        """
        if self._lost:
            raise RobotFault(self._lost)
        self._number += 1
        limit = seconds or self._reply_seconds
        deadline = time.monotonic() + limit
        try:
            with _signals_held():
                send(self._socket, [self._number, name, arguments], deadline)
            answer = self._answer(deadline)
        except (Gone, Late, Malformed) as error:
            raise self._lost_error(name, error, limit) from error
        match answer:
            case [self._number, "done", result]:
                return result
            case [self._number, "failed", str(kind), str(sentence)]:
                raise _failure(kind, sentence)
        raise self._lost_error(name, Malformed("this does not answer it"), limit)

    def _answer(self, deadline: float) -> Any:
        """The answer to the last request; those to requests that Ctrl-C has interrupted come before it."""
        while True:
            if not select.select([self._socket], [], [], max(deadline - time.monotonic(), 0.0))[0]:
                raise Late
            with _signals_held():
                answer = receive(self._socket, deadline)
            match answer:
                case [int(number), *_] if number < self._number:
                    continue
            return answer

    def _lost_error(self, name: str, error: Exception, seconds: float) -> RobotFault:
        """The error of a connection that cannot be used any more: what comes late would be taken for another answer."""
        self._socket.close()
        reason = self._process.why_gone() if self._process and isinstance(error, Gone) else ""
        self._lost = f"{self._who} was lost at '{name}': {reason or _reason(error, seconds)}."
        return RobotFault(self._lost)

    def close(self) -> None:
        """Leave: the server tells the robot to halt. Idempotent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        if self._process is not None:
            self._process.close()


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait while a frame is on its way: half of one would be taken for the next. In the main thread, where
    Python handles them."""
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
    if isinstance(error, Late | TimeoutError):
        return f"it has not answered for {seconds:g} s"
    if isinstance(error, OSError):
        return reason_of(error)
    return str(error).rstrip(".") or type(error).__name__


def _failure(kind: str, sentence: str) -> HomieError:
    """The error that a robot has raised."""
    if kind == "refused":
        return refused(sentence)
    if kind in ("fault", "input"):
        return {"fault": RobotFault, "input": BadInput}[kind](sentence)
    return InfrastructureError(f"The robot server failed: {sentence}.")

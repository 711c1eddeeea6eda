"""The robot server: one robot, one client at a time, one request after the other in one thread.

    client --[number, name, arguments]--> Server --> the methods of the robot
           <--[number, "done", result]---        or [number, "failed", kind, sentence]

When a client disconnects, in whatever way, the robot halts. So it does when the client sends nothing for `PATIENCE`
seconds while the time of the robot advances by itself.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import platform
import select
import socket
import stat
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from robot_server.robot import OPTIONAL, Fault, Refused, ServedRobot, WrongInput
from robot_server.wire import (
    PROTOCOL,
    UNIX,
    ConnectionClosed,
    DeadlinePassed,
    MalformedFrame,
    parse,
    prepare,
    receive,
    send,
)

LOCAL = ("127.0.0.1", "::1", "localhost")
HELLO_SECONDS = 5.0
"""Time limit for the first message of a client."""
BUSY_SECONDS = 0.2
"""Time limit for the answer to another client, while the robot has one."""
ANSWER_SECONDS = 60.0
"""Time limit for a client to take an answer, and for the rest of a request that has begun."""
PATIENCE = 0.5
"""Seconds without a request after which a robot whose time advances by itself has to halt."""
FAILURES = ((Refused, "refused"), (Fault, "fault"), (WrongInput, "input"))
"""Exceptions of a robot, and their names in an answer; any other is an `error`."""


def listen(address: str) -> tuple[socket.socket, str]:
    """Open a listening socket; return it, and its address for clients. Port 0 takes a free one.

    Only this user can access a Unix socket. One that a killed server has left is replaced.

    Raises:
        WrongInput: Nothing can listen there, or it would be reachable from other machines.
    """
    try:
        family, place = parse(address)
    except ValueError as error:
        raise WrongInput(str(error)) from error
    if family != socket.AF_UNIX and place[0] not in LOCAL:
        raise WrongInput(
            f"A robot server listens on this machine only, not at {place[0]}: give tcp://127.0.0.1:{place[1]}, and"
            " reach it from others through `ssh -L`."
        )
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_UNIX:
            _remove_left_over(place)
            before = os.umask(0o177)
            try:
                listener.bind(place)
            finally:
                os.umask(before)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
        listener.listen(8)
    except OSError as error:
        listener.close()
        raise WrongInput(f"Cannot listen at {address}: {error.strerror or error}. Give another address.") from error
    if family == socket.AF_UNIX:
        return listener, f"unix:{place}"
    host, port = listener.getsockname()[:2]
    return listener, f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


@contextlib.contextmanager
def listening(listener: socket.socket, address: str) -> Iterator[None]:
    """Close a socket of `listen` at the end, and remove its file."""
    try:
        yield
    finally:
        listener.close()
        if address.startswith(UNIX):
            with contextlib.suppress(OSError):
                os.unlink(address[len(UNIX) :])


def _remove_left_over(path: str) -> None:
    """Remove the socket of a server that has ended. Raises OSError if somebody listens there."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
    except OSError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)


def _place(error: Exception) -> str:
    """Return the line of the robot's own code that raised an error, ` (cart.py, line 12, in step)`; "" for none."""
    others = (os.path.dirname(__file__), os.path.dirname(os.__file__))  # the second has the installed packages too
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(others)]
    own = [frame for frame in frames if "site-packages" not in frame.filename and not frame.filename.startswith("<")]
    return f" ({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})" if own else ""


class Server:
    """Serves a robot on a listening socket.

    Args:
        robot: The robot; its methods are called in the thread of `serve`.
        listener: The socket of `listen`.
        token: The token that clients must send, "" for none.
        tell: Receives lines for the log.
    """

    def __init__(
        self, robot: ServedRobot, listener: socket.socket, token: str = "", tell: Callable[[str], None] = print
    ) -> None:
        self._robot, self._listener, self._token, self._tell = robot, listener, token, tell
        self.spec = dict(robot.spec)
        self._is_real_time = not self.spec.get("waits", False)
        self._offers = [name for name in OPTIONAL if callable(getattr(robot, name, None))]
        self._halted = True

    def serve(self) -> None:
        """Serve one client after the other, for ever."""
        while True:
            connection, _ = self._listener.accept()
            with connection:
                try:
                    if self._greet(prepare(connection)):
                        self._session(connection)
                except (ConnectionClosed, DeadlinePassed, MalformedFrame) as error:
                    self._tell(f"A client has gone: {error or type(error).__name__}.")
                finally:
                    self._halt()

    def _halt(self) -> None:
        """Halt the robot, unless nothing has moved it since the last halt."""
        if not self._halted:
            self._halted = True
            try:
                self._robot.halt()
            except Exception:
                self._tell(f"The robot could not be halted.\n{traceback.format_exc().rstrip()}")

    # ------------------------------------------------------------ a client

    def _greet(self, connection: socket.socket) -> bool:
        """Greet a client, and return whether it may have the robot; the answer says why not."""
        until = time.monotonic() + HELLO_SECONDS
        hello = receive(connection, until)
        if not (isinstance(hello, dict) and hello.get("hello") == "robot"):
            raise MalformedFrame("it does not greet as a client of robots")
        if hello.get("protocol") != PROTOCOL:
            version = str(hello.get("protocol"))[:20]
            refusal = ("version", f"it speaks version {PROTOCOL} of the robot protocol, and this client {version}")
        elif self._token and not hmac.compare_digest(str(hello.get("token", "")).encode(), self._token.encode()):
            refusal = ("token", "it wants another token")
            self._tell("A client was refused: no token or a wrong one.")
        else:
            about = {
                "protocol": PROTOCOL,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "pid": os.getpid(),
                "offers": self._offers,
                "spec": self.spec,
            }
            send(connection, [0, "done", about], until)
            return True
        send(connection, [0, "failed", *refusal], until)
        return False

    def _session(self, connection: socket.socket) -> None:
        """Answer a client until it disconnects."""
        while True:
            self._wait_for(connection)
            until = time.monotonic() + ANSWER_SECONDS
            request = receive(connection, until)
            answer = self._answer(request)
            until = time.monotonic() + ANSWER_SECONDS
            try:
                send(connection, answer, until)
            except MalformedFrame as error:
                send(connection, [answer[0], "failed", "error", f"What it returns cannot be sent: {error}"], until)

    def _wait_for(self, connection: socket.socket) -> None:
        """Wait for the start of a request. Other clients are refused; a robot that moves is halted after a while."""
        while True:
            patience = PATIENCE if self._is_real_time and not self._halted else None
            ready, _, _ = select.select([connection, self._listener], [], [], patience)
            if not ready:
                self._tell(f"No request for {PATIENCE:g} s: the robot has to halt.")
                self._halt()
            elif connection in ready:
                return
            else:
                _send_away(self._listener)

    def _answer(self, request: Any) -> list[Any]:
        if not (
            isinstance(request, list)
            and len(request) == 3
            and isinstance(request[0], int)
            and isinstance(request[1], str)
            and isinstance(request[2], dict)
        ):
            raise MalformedFrame("a request is [number, name, arguments]")
        number, name, arguments = request
        method = getattr(self, f"_do_{name}", None)
        if method is None or (name in OPTIONAL and name not in self._offers):
            return [number, "failed", "error", f"the robot has no '{name}'"]
        try:
            return [number, "done", method(**arguments)]
        except tuple(kind for kind, _ in FAILURES) as failure:
            kind = next(word for exception, word in FAILURES if isinstance(failure, exception))
            return [number, "failed", kind, str(failure)]
        except Exception as error:
            self._tell(traceback.format_exc().rstrip())
            return [number, "failed", "error", f"'{name}' raised {type(error).__name__}: {error}{_place(error)}"]

    # ------------------------------------------------------------ requests

    def _do_reset(self, seed: int) -> Any:
        self._halted = False
        self._robot.reset(seed)
        return self._robot.measured()

    def _do_step(self, targets: Mapping[str, Any]) -> Any:
        self._halted = False
        self._robot.step(targets)
        return self._robot.measured()

    def _do_halt(self) -> Any:
        self._robot.halt()
        self._halted = True
        return self._robot.measured()

    def _do_measured(self) -> Any:
        return self._robot.measured()

    def _do_observe(self, cameras: list[str]) -> Any:
        return {"measured": self._robot.measured(), "pictures": {name: self._robot.picture(name) for name in cameras}}

    def _do_snapshot(self) -> Any:
        return self._robot.snapshot()  # type: ignore[attr-defined]

    def _do_shapes(self) -> Any:
        return self._robot.shapes()  # type: ignore[attr-defined]

    def _do_film(self, width: int, height: int, target: str) -> Any:
        return self._robot.film(width, height, target)  # type: ignore[attr-defined]

    def _do_perform(self, action: str, target: str, destination: str, entity: str) -> Any:
        self._halted = False
        why = self._robot.perform(action, target, destination, entity)  # type: ignore[attr-defined]
        return {"measured": self._robot.measured(), "why": str(why or "")}


def _send_away(listener: socket.socket) -> None:
    """Tell a second client that the robot is in use."""
    connection, _ = listener.accept()
    with connection, contextlib.suppress(ConnectionClosed, DeadlinePassed, MalformedFrame):
        receive(connection, time.monotonic() + BUSY_SECONDS)  # closed with something unread, TCP would drop the answer
        send(connection, [0, "failed", "busy", "another client has the robot"], time.monotonic() + BUSY_SECONDS)


def tell(line: str) -> None:
    """Write a line to the log, which is stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()

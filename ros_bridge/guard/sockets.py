"""The Unix socket on which a guard serves one agent at a time, and its path."""

from __future__ import annotations

import fcntl
import logging
import os
import selectors
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import writing
from ros_bridge.guard.greeting import difference, greeting
from ros_bridge.guard.guard import Guard
from ros_bridge.guard.messages import LONGEST_LINE, FromGuard, Hello, RefusalMessage, Welcome, from_agent, line
from ros_bridge.transport.network import Network
from ros_bridge.transport.refusals import Refusals

log = logging.getLogger("homie.ros_bridge")

MOST_MESSAGES = 400
"""Messages per second: an agent sends velocities at 50 Hz and heartbeats at 20 Hz."""
CHUNK = 1 << 16
LONGEST_PATH = 100
"""Longest path of a Unix socket in bytes: the system allows 108."""
SETTLING = 8.0
"""Seconds in which a guard finds out whether the robot on its network reports that it is simulated: of 50 guards of
runs on two busy cores, one had not after 3 s."""


def socket_path(robot: str, network: Network | None = None) -> Path:
    """Return the socket path of a robot's guard: in the session folder of the user, else in a private one under /tmp.

    Args:
        robot: The name of its profile.
        network: The robot's network: robots of one name on several domains have a guard each. None: from the
            environment.
    """
    network = network or Network.from_environment()
    home = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(home) / "homie" if home else Path(tempfile.gettempdir()) / f"homie-{os.getuid()}"
    safe = "".join(character if character.isalnum() or character in "-_" else "_" for character in robot)
    return folder / f"guard-{safe}-{network.domain}.sock"


class AgentSocket:
    """Accepts the agent's connection and passes its messages to the guard.

    Args:
        path: Path of the socket; a guard that listens there already is not replaced.
        guard: The guard that decides.
        dry_run: Announced to the agent.
        network: The robot's network; None: from the environment. An agent of another network is refused.
        simulated: Whether the robot reports that it is simulated. An agent that disagrees is refused.

    Raises:
        BadInput: The path is too long or its folder cannot be created.
        InfrastructureError: Another guard listens there.
    """

    def __init__(
        self,
        path: Path,
        guard: Guard,
        dry_run: bool,
        *,
        network: Network | None = None,
        simulated: Callable[[], bool] = lambda: False,
    ) -> None:
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise BadInput(f"The path of the guard's socket is too long: {path}. Choose a shorter one with --socket.")
        self.path = path
        self._guard = guard
        self._dry_run = dry_run
        self._own = greeting(guard.profile, network or Network.from_environment(), None)
        self._simulated = simulated
        self._hello: tuple[Hello, float] | None = None
        """The unanswered hello, and the deadline of its answer."""
        self._emergency = ""
        """The emergency stop that was last reported to the agent."""
        self._agent: socket.socket | None = None
        self._buffer = b""
        self._greeted = False
        self._refusals = Refusals()
        self._window: tuple[float, int]
        """Start of the second in which messages are counted, and their number; reset for each agent."""
        self._heard_at: float
        with writing(path, "the guard's socket"):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise InfrastructureError(f"Another guard listens at {path}: a robot has one.") from error
        # Bound to a temporary path and moved once it listens: a new file can always be connected to, and the file that
        # a killed guard has left is never mistaken for this one.
        new_path = path.with_suffix(".new")
        new_path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(new_path))
        os.chmod(new_path, 0o600)
        self._listener.listen(4)
        os.replace(new_path, path)
        self._listener.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    @property
    def connected(self) -> bool:
        """Whether an agent is connected and greeted."""
        return self._agent is not None and self._greeted

    def also(self, descriptor: int, ready: Callable[[], None]) -> None:
        """Call `ready` when another descriptor, such as the terminal, is readable."""
        self._selector.register(descriptor, selectors.EVENT_READ, ready)

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor."""
        self._selector.unregister(descriptor)

    def wait(self, seconds: float) -> None:
        """Handle input, for at most this long."""
        for key, _ in self._selector.select(seconds):
            key.data()
        self._greet()
        self._tell_emergency()
        if self._agent is None or self._guard.standing:
            return
        if time.monotonic() - self._heard_at > self._guard.silence:
            self._lose("it is silent")

    def send(self, message: FromGuard) -> None:
        """Send to the agent, from any thread; an agent that does not read misses it, and the guard does not wait."""
        agent = self._agent
        if agent is None:
            return
        try:
            agent.send(line(message))
        except OSError as error:
            log.warning("The agent does not take a message: %s", error.strerror)

    def close(self) -> None:
        """Stop listening."""
        self._lose("the guard ends")
        self._selector.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)
        os.close(self._lock)

    def _accept(self) -> None:
        agent, _ = self._listener.accept()
        if self._agent is not None:
            agent.send(line(RefusalMessage(why="Another agent commands this robot: one at a time.")))
            agent.close()
            log.warning("A second agent was turned away")
            return
        agent.setblocking(False)
        self._agent, self._buffer, self._greeted, self._hello, self._emergency = agent, b"", False, None, ""
        self._window, self._heard_at = (time.monotonic(), 0), time.monotonic()
        self._selector.register(agent, selectors.EVENT_READ, self._read)

    def _read(self) -> None:
        assert self._agent is not None
        try:
            data = self._agent.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(error.strerror or "its connection failed")
            return
        if not data:
            self._lose("it has ended")
            return
        self._heard_at = time.monotonic()
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        if len(self._buffer) > LONGEST_LINE or any(len(text) > LONGEST_LINE for text in lines):
            self._lose(f"it sent a message of more than {LONGEST_LINE} bytes")
            return
        window_start, count = self._window
        is_new_window = self._heard_at - window_start > 1.0
        self._window = (self._heard_at, len(lines)) if is_new_window else (window_start, count + len(lines))
        if self._window[1] > MOST_MESSAGES:
            self._lose(f"it sent more than {MOST_MESSAGES} messages in a second")
            return
        for text in lines:
            if self._agent is not None:
                self._take(text)
        self._heard_at = time.monotonic()

    def _take(self, data: bytes) -> None:
        try:
            message = from_agent(data)
        except ValueError as error:
            self._refusals.add("the agent's socket", error)
            self.send(RefusalMessage(why=f"This is not a message to a guard: {error}"))
            return
        if isinstance(message, Hello):
            self._hello = (message, time.monotonic() + SETTLING)
            self._greet()
        elif self._greeted:
            self._guard.receive(message, self.send)
        elif self._hello is None:
            self._lose("it began without a hello")

    def _greet(self) -> None:
        """Answer a hello: at once, unless the guard must first find out whether its robot is simulated."""
        if self._hello is None:
            return
        hello, deadline = self._hello
        own_hello = self._own.model_copy(update={"simulated": self._simulated()})
        reason = difference(own_hello, hello)
        if (
            reason
            and time.monotonic() < deadline
            and not difference(own_hello, hello.model_copy(update={"simulated": None}))
        ):
            return
        self._hello = None
        if reason:
            self.send(RefusalMessage(why=reason))
            self._lose("it belongs to another guard")
            return
        self._greeted = True
        log.info("An agent is here")
        self.send(Welcome(armed=self._guard.armed, dry_run=self._dry_run, approval=self._guard.approval != "none"))

    def _tell_emergency(self) -> None:
        """Report an emergency stop to the agent at once, so that it need not find out by trying."""
        reason = self._guard.emergency_stop
        if self._greeted and reason != self._emergency:
            self._emergency = reason
            if reason:
                self.send(RefusalMessage(why=reason, emergency=True))

    def _lose(self, reason: str) -> None:
        """Disconnect the agent, and stop what it began."""
        if self._agent is None:
            return
        self.send(RefusalMessage(why=f"The guard lets this agent go: {reason}."))
        self._selector.unregister(self._agent)
        self._agent.close()
        self._agent = self._hello = None
        log.warning("The agent is gone: %s", reason)
        self._guard.lost(f"the agent is gone: {reason}")

"""The policy server: the policy of one skill set, a session per client, one computation at a time.

The networks are loaded once. Every session has a policy with its own state around them, created at the client's hello
and dropped when the connection ends. Images and actions are transferred, never code.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import http
import json
import logging
import signal
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import SkillSet
from homie.kernel.support.files import reason_of
from homie.kernel.support.packages import DISTRIBUTION, missing_part
from skills.policies.policy import Policy, PolicyFailed, PolicySet
from skills.policy_access import read_token, require_token

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.exceptions import ConnectionClosed

    from skills.policy_codec import FRAME_BYTES, CodecError
    from skills.policy_messages import (
        PROTOCOL,
        Hello,
        PolicyResult,
        Problem,
        ProblemKind,
        Reset,
        Step,
        Welcome,
        WrongVersion,
        from_frame,
        to_frame,
    )
except ModuleNotFoundError as missing:
    raise missing_part("The policy server", missing.name, "remote") from missing

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

HELLO_SECONDS = 10.0
"""Time limit for a client's hello."""

PING_SECONDS = 20.0
"""Interval of pings to a silent client, and time limit for its answer."""

OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)
"""Errors of listening that concern the port; all others concern the address."""

T = TypeVar("T")


class Session(Protocol):
    """Server side of another dialect; one session per client. Created with the name of the skill set and a policy of
    its own; raises BadInput for a policy that the dialect cannot express.

    Attributes:
        health: Bodies of answers to HTTP requests, by path.
        closes: Whether the connection is closed after a problem.
        greeting: Sent first, before the client sends anything.
    """

    health: Mapping[str, str]
    closes: bool
    greeting: bytes | None

    def answer(self, frame: bytes | str) -> bytes | None:
        """Return the reply to a frame, or None if it has none. Raises CodecError, PolicyFailed."""

    def problem(self, frame: bytes | str, reason: str) -> bytes | str:
        """Return the reply to a frame that could not be answered."""


class Dialect(Protocol):
    """Factory of the sessions of a dialect other than Homie's."""

    health: Mapping[str, str]

    def __call__(self, name: str, policy: Policy) -> Session: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The configuration of a policy server.

    Attributes:
        name: The registered name of the skill set.
        token: Token that clients must send, "" for none.
        sessions: Maximum number of clients.
        debug: Whether clients get the tracebacks of unexpected errors.
        tell: Receives lines for the log.
        dialect: Dialect of clients of another toolkit, None for Homie's own protocol.
    """

    name: str
    skills: PolicySet
    dialect: Dialect | None = None
    host: str = "127.0.0.1"
    port: int = 8765
    token: str = field(default="", repr=False)
    idle_seconds: float = 600.0
    sessions: int = 16
    debug: bool = False
    tell: Callable[[str], None] = lambda line: None


class PolicyServer:
    """Serves one policy on one address. Use it as `async with PolicyServer(service) as server`.

    Raises:
        BadInput: other machines could reach it without a token, or the address is not one of this machine.
        InfrastructureError: the port is taken.
    """

    def __init__(self, service: Service) -> None:
        require_token(service.host, service.token)
        self.service = service
        self._sessions = self._decisions = 0
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="policy")
        self._server: Server | None = None
        self._logger = logging.getLogger("homie.policy_server")
        if not service.debug:
            self._logger.setLevel(logging.CRITICAL)  # malformed bytes of a stranger need no traceback

    async def __aenter__(self) -> PolicyServer:
        service = self.service
        try:
            self._server = await serve(
                self._session,
                service.host,
                service.port,
                process_request=self._greet,
                origins=[None],  # refuses web pages, which could connect through a local user's browser
                compression=None,
                max_size=FRAME_BYTES,
                max_queue=2,  # a client waits for its answers, so it never has more messages in the queue
                ping_interval=None if service.dialect else PING_SECONDS,  # another simulator may block its loop
                ping_timeout=PING_SECONDS,
                close_timeout=2.0,
                logger=self._logger,
                server_header=None,
            )
        except OSError as error:
            if error.errno not in OF_THE_PORT:
                raise BadInput(
                    f"Cannot listen at {service.host}: this machine has no such address ({reason_of(error)})."
                    " Give one of its own as --host."
                ) from error
            raise InfrastructureError(
                f"Cannot listen at {service.host} port {service.port}: {reason_of(error)}. Try another --port."
            ) from error
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        self._worker.shutdown(cancel_futures=True)

    @property
    def url(self) -> str:
        """Address for clients."""
        assert self._server is not None
        port = next(iter(self._server.sockets)).getsockname()[1]
        host = f"[{self.service.host}]" if ":" in self.service.host else self.service.host
        return f"ws://{host}:{port}"

    # ------------------------------------------------------------ before the websocket

    def _greet(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer `/healthz`, and refuse clients without the token."""
        if self.service.dialect is not None and request.path in self.service.dialect.health:
            return connection.respond(http.HTTPStatus.OK, self.service.dialect.health[request.path])
        if request.path == "/healthz":
            return connection.respond(http.HTTPStatus.OK, json.dumps(self._health()) + "\n")
        scheme = "Bearer" if self.service.dialect is None else "Api-Key"
        authorization = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if self.service.token and not hmac.compare_digest(authorization, f"{scheme} {self.service.token}".encode()):
            self.service.tell(f"{_client_name(connection)} was refused: no token or a wrong one")
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, "This policy server wants a token.\n")
        return None

    def _health(self) -> dict[str, object]:
        return {
            "status": "ok",
            "policy": self.service.name,
            "protocol": PROTOCOL,
            "sessions": self._sessions,
            "decisions": self._decisions,
        }

    # ------------------------------------------------------------ a session

    async def _session(self, connection: ServerConnection) -> None:
        """Serve one client from its hello to its disconnect."""
        dialect = self.service.dialect
        problem = await self._check_hello(connection) if dialect is None else None
        if problem is None and self._sessions >= self.service.sessions:
            problem = Problem(-1, ProblemKind.FULL, f"it has {self._sessions} sessions, as many as it takes")
        if problem is None:
            self._sessions += 1
            self.service.tell(f"{_client_name(connection)} has a session")
            try:
                policy = await self._compute(self.service.skills.policy)
                if dialect is None:
                    await connection.send(to_frame(self._about(policy)))
                    await self._serve(connection, lambda frame: self._answer(frame, policy))
                else:
                    await self._serve_other(connection, dialect(self.service.name, policy))
            except ConnectionClosed:
                pass
            except Exception as error:
                problem = self._unexpected(-1, error)
            finally:
                self._sessions -= 1
                self.service.tell(f"{_client_name(connection)} has ended its session")
        if problem is not None:
            await connection.send(to_frame(problem) if dialect is None else problem.message)
            await connection.close(1008)

    async def _serve_other(self, connection: ServerConnection, session: Session) -> None:
        """Serve a client of another dialect."""

        async def reply_to(frame: bytes | str) -> bytes | str | None:
            self._decisions += 1
            try:
                return await self._compute(lambda: session.answer(frame))
            except (CodecError, PolicyFailed) as error:
                reason = str(error)
            except Exception as error:  # a client's arrays can make a policy fail in any way
                reason = self._unexpected(-1, error).message
            if not session.closes:
                return session.problem(frame, reason)
            await connection.send(session.problem(frame, reason))
            await connection.close(1011)
            return None

        if session.greeting is not None:
            await connection.send(session.greeting)
        await self._serve(connection, reply_to)

    async def _check_hello(self, connection: ServerConnection) -> Problem | None:
        """Return the problem with a client's first message, or None if it is a hello."""
        try:
            first = from_frame(await asyncio.wait_for(connection.recv(), HELLO_SECONDS))
        except TimeoutError:
            return Problem(-1, ProblemKind.REQUEST, "a hello was expected")
        except WrongVersion as error:
            return Problem(-1, ProblemKind.VERSION, str(error))
        except CodecError as error:
            return Problem(-1, ProblemKind.FRAME, str(error))
        return (
            None if isinstance(first, Hello) else Problem(-1, ProblemKind.REQUEST, "the first message must be a hello")
        )

    def _about(self, policy: Policy) -> Welcome:
        service = self.service
        return Welcome(
            protocol=PROTOCOL,
            homie=version(DISTRIBUTION),
            policy=service.name,
            actions=list(service.skills.actions),
            facts=dict(policy.facts),
            about=dict(service.skills.describe()),
            idle_seconds=service.idle_seconds,
        )

    async def _serve(
        self, connection: ServerConnection, answer: Callable[[bytes | str], Awaitable[bytes | str | None]]
    ) -> None:
        while True:
            try:
                frame = await asyncio.wait_for(connection.recv(), self.service.idle_seconds)
            except TimeoutError:
                await connection.close(1000, f"idle for {self.service.idle_seconds:g} s")
                return
            reply = await answer(frame)
            if reply is not None:
                await connection.send(reply)

    async def _answer(self, frame: bytes | str, policy: Policy) -> bytes:
        try:
            request = from_frame(frame)
        except CodecError as error:
            return to_frame(Problem(-1, ProblemKind.FRAME, str(error)))
        self._decisions += isinstance(request, Step)
        if not isinstance(request, Reset | Step):
            return to_frame(Problem(-1, ProblemKind.REQUEST, f"a {request.kind} has no place here"))
        try:
            return to_frame(await self._compute(lambda: _execute(request, policy)))
        except PolicyFailed as failure:
            return to_frame(
                Problem(
                    request.number,
                    ProblemKind.POLICY,
                    str(failure),
                    failure.name,
                )
            )
        except Exception as error:  # a client's arrays can make a policy fail in any way; the server must survive
            return to_frame(self._unexpected(request.number, error))

    def _unexpected(self, number: int, error: Exception) -> Problem:
        """Log an unexpected error and report it to the client, with its traceback only in debug mode."""
        report = "".join(traceback.format_exception(error)).rstrip()
        self.service.tell(report)
        summary = f"the policy met an unexpected {type(error).__name__}; the server's log says more"
        return Problem(number, ProblemKind.INTERNAL, report if self.service.debug else summary)

    async def _compute(self, work: Callable[[], T]) -> T:
        """Run a function on the single computing thread, because policies share their networks."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)


def _execute(request: Reset | Step, policy: Policy) -> PolicyResult:
    start = time.perf_counter()
    result: Mapping[str, Any] = {}
    if isinstance(request, Reset):
        policy.reset(request.goal)
    else:
        result = policy.step(request.given)
    return PolicyResult(request.number, dict(result), time.perf_counter() - start)


def _client_name(connection: ServerConnection) -> str:
    address = connection.remote_address
    return f"{address[0]}:{address[1]}" if address else "a client"


def serve_policy(
    name: str,
    load: Callable[[], SkillSet],
    *,
    dialect: Dialect | None = None,
    host: str,
    port: int,
    token_env: str,
    idle_seconds: float,
    sessions: int,
    debug: bool,
    ready: Callable[[str, SkillSet], None],
    tell: Callable[[str], None],
) -> None:
    """Serve the policy of a skill set until Ctrl-C or SIGTERM.

    Args:
        name: the registered name of the skill set.
        load: creates the skill set; called after the address and the token were checked.
        dialect: of clients of another toolkit, None for Homie's own protocol.
        host: the address to listen at.
        port: the port, 0 for a free one.
        token_env: the environment variable with the token.
        idle_seconds: time without a request after which a session ends.
        sessions: maximum number of clients.
        debug: whether clients get the tracebacks of unexpected errors.
        ready: called with the address and the skill set when clients can connect.
        tell: receives lines for the log.

    Raises:
        BadInput: the set has no policy or none that the dialect has words for, or other machines could connect
            without a token.
        InfrastructureError: it cannot listen at the port.
    """
    token = read_token(token_env)
    require_token(host, token)
    skills = load()
    try:
        if not isinstance(skills, PolicySet):
            raise BadInput(f"The skill set '{name}' has no policy that could be served.")
        if dialect is not None:
            dialect(name, skills.policy())
        service = Service(
            name=name,
            skills=skills,
            dialect=dialect,
            host=host,
            port=port,
            token=token,
            idle_seconds=idle_seconds,
            sessions=sessions,
            debug=debug,
            tell=tell,
        )
        asyncio.run(_until_stopped(service, lambda url: ready(url, skills)))
    finally:
        skills.close()


async def _until_stopped(service: Service, ready: Callable[[str], None]) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with PolicyServer(service) as server:
        ready(server.url)
        await stopped.wait()
